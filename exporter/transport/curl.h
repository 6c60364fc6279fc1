// SPDX-License-Identifier: Apache-2.0
// What all that use libcurl begin with.
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

}  // namespace tracekin

#endif  // TRACEKIN_EXPORTER_TRANSPORT_CURL_H
