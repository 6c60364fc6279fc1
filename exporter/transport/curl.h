// SPDX-License-Identifier: Apache-2.0
// What all that use libcurl begin with.
#ifndef TRACEKIN_EXPORTER_TRANSPORT_CURL_H
#define TRACEKIN_EXPORTER_TRANSPORT_CURL_H

#include <curl/curl.h>

namespace tracekin::exporter {

/// Throws std::bad_alloc if `code` reports a lack of memory, and std::runtime_error with libcurl's
/// message for any other error.
void CheckCurl(CURLcode code);

/// Initialises libcurl, and with it OpenSSL, once per process. May be called from any thread.
/// Throws the same as CheckCurl() if that fails. Throws std::runtime_error if SSLKEYLOGFILE is set
/// in a set-user-ID program, because libcurl would write the keys of connections to that file with
/// the program's rights.
///
/// MakeTracer calls this function before it makes the first transport. OpenSSL then registers its
/// exit handler before ours, and exit() runs ours first (tracer/process.h).
void InitialiseCurl();

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_TRANSPORT_CURL_H
