// SPDX-License-Identifier: Apache-2.0
// What tests ask the real Zipkin server whose URL is in TRACEKIN_ZIPKIN_URL; see with_zipkin.sh.
#ifndef TRACEKIN_TESTS_EXPORTER_ZIPKIN_CLIENT_H
#define TRACEKIN_TESTS_EXPORTER_ZIPKIN_CLIENT_H

#include <rapidjson/document.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace tracekin {

/// The variable's value, or something that is no URL and tells which variable is missing.
std::string ServerUrl(const char* variable = "TRACEKIN_ZIPKIN_URL");

/// The body that the server answers to GET `path` with.
std::string Get(const std::string& path);

/// The spans of a trace as the server has them. It stores what it has acknowledged a moment later:
/// waits for `count` of them, and fails the running test if there are not so many in the end.
rapidjson::Document StoredSpans(std::uint64_t trace_id_high, std::uint64_t trace_id_low,
                                std::size_t count);

/// A trace id that no other test has.
std::uint64_t RandomTraceId();

}  // namespace tracekin

#endif  // TRACEKIN_TESTS_EXPORTER_ZIPKIN_CLIENT_H
