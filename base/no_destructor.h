// SPDX-License-Identifier: Apache-2.0
// Contains an object and never destroys it. Meant for static objects that threads, fork handlers
// and exit handlers use while other static objects are being destroyed.
//
//   Registry& TheRegistry() {
//     static NoDestructor<Registry> registry;
//     return *registry;
//   }
//
// Does not allocate memory or register an exit handler, so it can be used in code that must not
// throw.
//
// Thread-safety: the same as for T.
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
