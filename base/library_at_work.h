// SPDX-License-Identifier: Apache-2.0
// Delays forks and the end of the process while a library is working that does not support either
// of them. These libraries are OpenSSL and its users, libcurl and librdkafka.
//
// OpenSSL does not reset its locks in the child of a fork. If another thread held a lock during the
// fork, it stays locked, and the first handshake of the child hangs. Therefore a fork waits until
// none of tracekin's threads is inside these libraries.
//
// When OpenSSL is initialized, it registers an exit handler that frees memory that tracekin's
// threads may be using. exit() runs the handlers in the reverse order of their registration.
// Therefore, after each initialization, the code that ends these threads registers its own handler
// again.
//
// Thread-safety: any thread may call these functions unless their comment restricts it.
#ifndef TRACEKIN_BASE_LIBRARY_AT_WORK_H
#define TRACEKIN_BASE_LIBRARY_AT_WORK_H

#include <cstdint>

namespace tracekin {

/// Create an object of this class while a library may take locks that a child cannot reset, but not
/// while the library waits for the network. Any number of threads may hold one. The sender thread
/// holds one while it makes a transport, because a module's copy of this class does not stop forks.
class LibraryAtWork {
 public:
  LibraryAtWork() noexcept;
  ~LibraryAtWork();
  LibraryAtWork(const LibraryAtWork&) = delete;
  LibraryAtWork& operator=(const LibraryAtWork&) = delete;
};

/// Records that a library was initialized and may therefore have registered an exit handler.
void CountInitialisedLibrary() noexcept;

/// Returns how often CountInitialisedLibrary was called in this process.
std::uint32_t InitialisedLibraries() noexcept;

/// Waits up to 100 ms until no thread holds a LibraryAtWork, and then prevents threads from getting
/// one. Gives up if that takes longer. The forking thread calls this function before a fork, and
/// only one thread may do so at a time. After the fork it calls one of the Resume functions.
void StopLibrariesForFork() noexcept;
void ResumeLibrariesAfterForkInParent() noexcept;
void ResumeLibrariesAfterForkInChild() noexcept;

/// Waits up to one second until no thread holds a LibraryAtWork. Threads that ask for one later are
/// blocked until the process has ended, while the libraries clean up. Called at exit if exporters
/// are still working.
void StopLibrariesForExit() noexcept;

}  // namespace tracekin

#endif  // TRACEKIN_BASE_LIBRARY_AT_WORK_H
