// SPDX-License-Identifier: Apache-2.0
// What the answer of a Zipkin collector to a POST of spans means.
//
// Thread-safety: a pure function.
#ifndef TRACEKIN_EXPORTER_ENCODING_ZIPKIN_ANSWER_H
#define TRACEKIN_EXPORTER_ENCODING_ZIPKIN_ANSWER_H

#include <chrono>
#include <string_view>

#include "tracekin/transport.h"

namespace tracekin::exporter {

/// Judges an answer by its HTTP status and the beginning of its text:
///
///   2xx                              kAccepted
///   413, or 500 whose text begins    kTooLarge; Zipkin says it in the second way
///     with 413
///   401, 408, 429                    kFailed: a credential is renewed soon, a time-out, too many
///   other 4xx                        kRejected
///   the rest                         kFailed
///
/// The message is the status and OneLine(text). `retry_after` is what the answer asks for; an hour
/// of it is obeyed, at most. Throws std::bad_alloc.
SendResult JudgeZipkinAnswer(long status, std::string_view text,
                             std::chrono::seconds retry_after = std::chrono::seconds(0));

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_ENCODING_ZIPKIN_ANSWER_H
