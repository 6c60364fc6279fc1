// SPDX-License-Identifier: Apache-2.0
// What the answer of an HTTP collector means, and how it is told to an operator.
//
// Thread-safety: pure functions. They throw std::bad_alloc.
#ifndef TRACEKIN_EXPORTER_TRANSPORT_HTTP_ANSWER_H
#define TRACEKIN_EXPORTER_TRANSPORT_HTTP_ANSWER_H

#include <chrono>
#include <string>
#include <string_view>

#include "tracekin/transport.h"

namespace tracekin {

/// 2xx is kAccepted. 413 is kTooLarge, and so is Zipkin's way to say it: status 500 with a text that
/// begins with 413. Other 4xx are kRejected, but for 401 (a credential is about to be renewed), 408
/// (time-out) and 429 (too many requests). The rest is kFailed. The message is the status and
/// OneLine(text). `retry_after` is what the answer asks for; an hour of it is obeyed, at most.
SendResult JudgeAnswer(long status, std::string_view text,
                       std::chrono::seconds retry_after = std::chrono::seconds(0));

}  // namespace tracekin

#endif  // TRACEKIN_EXPORTER_TRANSPORT_HTTP_ANSWER_H
