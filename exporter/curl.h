// What all that use libcurl begin with.
#ifndef TRACEKIN_EXPORTER_CURL_H
#define TRACEKIN_EXPORTER_CURL_H

#include <curl/curl.h>

namespace tracekin {

/// Throws std::runtime_error with libcurl's words, unless all is well.
void CheckCurl(CURLcode code);

/// Initialises libcurl, once a process. Any thread. Throws std::runtime_error if that fails.
void InitialiseCurl();

}  // namespace tracekin

#endif  // TRACEKIN_EXPORTER_CURL_H
