// SPDX-License-Identifier: Apache-2.0
// Keeps forks and the process's end apart from the work of libraries that stand neither: OpenSSL, and
// what uses it, libcurl and librdkafka.
//
// OpenSSL does not renew its locks in the child of a fork. A lock that another thread had at that moment
// stays taken, and the child's first handshake waits for ever. So a fork waits until no thread of ours is
// in there.
//
// OpenSSL also registers an exit handler when it is initialised, which frees what our threads may be
// using. exit() runs handlers in the reverse order of their registration, so whoever ends those threads
// registers a handler after each initialisation.
//
// Thread-safety: any thread, unless a function says otherwise.
#ifndef TRACEKIN_BASE_LIBRARY_AT_WORK_H
#define TRACEKIN_BASE_LIBRARY_AT_WORK_H

#include <cstdint>

namespace tracekin {

/// Hold one while a library may take locks that a child cannot renew, but not while it waits for the
/// network. Any number of threads may hold one. The sender thread holds one while it makes a transport,
/// because a module's copy of this class stops no fork.
class LibraryAtWork {
 public:
  LibraryAtWork() noexcept;
  ~LibraryAtWork();
  LibraryAtWork(const LibraryAtWork&) = delete;
  LibraryAtWork& operator=(const LibraryAtWork&) = delete;
};

/// Says that a library has been initialised, and so may have registered an exit handler.
void CountInitialisedLibrary() noexcept;

/// How often that was said in this process.
std::uint32_t InitialisedLibraries() noexcept;

/// Waits until nobody holds a LibraryAtWork, and keeps it so, unless that takes more than 100 ms. Called
/// before a fork, by the thread that forks, and by one thread at a time. One of the other two follows.
void StopLibrariesForFork() noexcept;
void ResumeLibrariesAfterForkInParent() noexcept;
void ResumeLibrariesAfterForkInChild() noexcept;

/// Waits until nobody holds a LibraryAtWork, a second at most. Whoever wants one from then on waits
/// until the process has ended, while the libraries clean up. Called at exit, when exporters are still
/// at work.
void StopLibrariesForExit() noexcept;

}  // namespace tracekin

#endif  // TRACEKIN_BASE_LIBRARY_AT_WORK_H
