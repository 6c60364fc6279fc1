// SPDX-License-Identifier: Apache-2.0
// Judges the response of an HTTP collector, and words it for an operator.
//
// Thread-safety: pure functions. They throw std::bad_alloc.
#ifndef TRACEKIN_EXPORTER_TRANSPORT_HTTP_ANSWER_H
#define TRACEKIN_EXPORTER_TRANSPORT_HTTP_ANSWER_H

#include <chrono>
#include <string>
#include <string_view>

#include "tracekin/transport.h"

namespace tracekin {

/// Maps 2xx to kAccepted, and 413 to kTooLarge. Zipkin's form of 413, a status 500 with a body that
/// begins with 413, is also kTooLarge. 401 (the credential may be renewed soon), 408 (time-out) and
/// 429 (too many requests) are kFailed, and all other 4xx are kRejected. Everything else is
/// kFailed.
///
/// The message is the status and OneLine(text). `retry_after` is the delay that the response asks
/// for, and is capped at one hour.
SendResult JudgeAnswer(long status, std::string_view text,
                       std::chrono::seconds retry_after = std::chrono::seconds(0));

}  // namespace tracekin

#endif  // TRACEKIN_EXPORTER_TRANSPORT_HTTP_ANSWER_H
