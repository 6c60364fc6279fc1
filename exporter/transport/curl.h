// SPDX-License-Identifier: Apache-2.0
// What all that use libcurl begin with, and how they stand a fork.
//
// OpenSSL does not renew its locks in the child of a fork: one that another thread had at that moment stays
// taken, and the child's first handshake waits for ever (of 1,500 forks beside six exporters that were always
// reconnecting, three children did). So a fork waits until no exporter of ours is in there.
#ifndef TRACEKIN_EXPORTER_TRANSPORT_CURL_H
#define TRACEKIN_EXPORTER_TRANSPORT_CURL_H

#include <curl/curl.h>

namespace tracekin {

/// Throws std::bad_alloc if `code` says that memory lacks, and std::runtime_error with libcurl's
/// words if it says that anything else is wrong.
void CheckCurl(CURLcode code);

/// Initialises libcurl, and OpenSSL with it, once a process. Any thread. Throws what CheckCurl() does if
/// that fails, and std::runtime_error if SSLKEYLOGFILE is set in a set-user-ID program: libcurl would
/// write the keys of connections to that file, with the program's rights. MakeTracer calls it before the
/// first transport is made: OpenSSL registers an exit handler then, which must not run before ours
/// (tracer/process.h).
void InitialiseCurl();

/// Whether InitialiseCurl() has succeeded in this process.
bool CurlIsInitialised() noexcept;

/// Held while libcurl may take locks of OpenSSL's, or of its own that a child cannot renew, by any number of
/// threads; not while it waits for the network. The sender holds it while it makes a transport, for a module's
/// copy of this class stops no fork.
class CurlAtWork {
 public:
  CurlAtWork() noexcept;
  ~CurlAtWork();
  CurlAtWork(const CurlAtWork&) = delete;
  CurlAtWork& operator=(const CurlAtWork&) = delete;
};

/// Before a fork, by the thread that forks, and one at a time: waits until nobody holds a CurlAtWork, and keeps it
/// so, unless that takes more than 100 ms. After the fork one of the other two is called.
void StopCurlForFork() noexcept;
void ResumeCurlAfterForkInParent() noexcept;
void ResumeCurlAfterForkInChild() noexcept;

/// When the process exits, and exporters are still at work: waits until nobody holds a CurlAtWork, a second at
/// most. Whoever wants one from then on waits until the process has ended, while OpenSSL is cleaned up.
void StopCurlForExit() noexcept;

}  // namespace tracekin

#endif  // TRACEKIN_EXPORTER_TRANSPORT_CURL_H
