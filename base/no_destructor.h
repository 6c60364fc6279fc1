// SPDX-License-Identifier: Apache-2.0
// Holds an object that is never destroyed, in place: for static objects that threads, fork handlers
// and exit handlers use while other static objects are being destroyed.
//
//   Registry& TheRegistry() {
//     static NoDestructor<Registry> registry;
//     return *registry;
//   }
//
// Allocates nothing and registers nothing for the exit, so that it works where nothing may throw.
// Thread-safety: as T has it.
#ifndef TRACEKIN_BASE_NO_DESTRUCTOR_H
#define TRACEKIN_BASE_NO_DESTRUCTOR_H

#include <new>

namespace tracekin {

template <class T>
class NoDestructor {
 public:
  NoDestructor() { new (memory_) T(); }
  NoDestructor(const NoDestructor&) = delete;
  NoDestructor& operator=(const NoDestructor&) = delete;

  T& operator*() noexcept { return *std::launder(reinterpret_cast<T*>(memory_)); }

 private:
  alignas(T) unsigned char memory_[sizeof(T)];
};

}  // namespace tracekin

#endif  // TRACEKIN_BASE_NO_DESTRUCTOR_H
