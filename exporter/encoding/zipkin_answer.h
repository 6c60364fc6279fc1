// SPDX-License-Identifier: Apache-2.0
// Interprets the response of a Zipkin collector to a POST request with spans.
//
// Thread-safety: the function is pure. Any thread may call it.
#ifndef TRACEKIN_EXPORTER_ENCODING_ZIPKIN_ANSWER_H
#define TRACEKIN_EXPORTER_ENCODING_ZIPKIN_ANSWER_H

#include <chrono>
#include <string_view>

#include "tracekin/transport.h"

namespace tracekin::exporter {

/// Interprets a response by its HTTP status and the beginning of its body:
///
///   2xx                              kAccepted
///   413, or 500 whose text begins    kTooLarge; Zipkin uses the second form
///     with 413
///   401, 408, 429                    kFailed: expired credential, time-out, too many requests
///   other 4xx                        kRejected
///   any other status                 kFailed
///
/// The message consists of the status and OneLine(text). `retry_after` is the delay that the
/// response asks for. It is limited to one hour. Throws std::bad_alloc.
SendResult JudgeZipkinAnswer(long status, std::string_view text,
                             std::chrono::seconds retry_after = std::chrono::seconds(0));

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_ENCODING_ZIPKIN_ANSWER_H
