// SPDX-License-Identifier: Apache-2.0
// Queries of tests to the real Zipkin server whose URL is in TRACEKIN_ZIPKIN_URL; see
// with_zipkin.sh.
#ifndef TRACEKIN_TESTS_EXPORTER_ZIPKIN_CLIENT_H
#define TRACEKIN_TESTS_EXPORTER_ZIPKIN_CLIENT_H

#include <rapidjson/document.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace tracekin {

/// Returns the variable's value, or an invalid URL that names the missing variable.
std::string ServerUrl(const char* variable = "TRACEKIN_ZIPKIN_URL");

/// Returns the body of the server's answer to GET `path`.
std::string Get(const std::string& path);

/// Returns the spans of a trace as the server stores them. The server stores acknowledged spans
/// with a delay, so this waits for `count` of them. Fails the running test if there are not that
/// many in the end.
rapidjson::Document StoredSpans(std::uint64_t trace_id_high, std::uint64_t trace_id_low,
                                std::size_t count);

/// Returns a trace id that no other test uses.
std::uint64_t RandomTraceId();

}  // namespace tracekin

#endif  // TRACEKIN_TESTS_EXPORTER_ZIPKIN_CLIENT_H
