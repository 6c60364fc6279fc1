// What the answer of an HTTP collector means, and how it is told to an operator.
//
// Thread-safety: pure functions. They throw std::bad_alloc.
#ifndef TRACEKIN_EXPORTER_HTTP_ANSWER_H
#define TRACEKIN_EXPORTER_HTTP_ANSWER_H

#include <string>
#include <string_view>

#include "tracekin/transport.h"

namespace tracekin {

/// 2xx is kAccepted. 4xx is kRejected, but for 408 (time-out) and 429 (too many requests), and so is
/// Zipkin's way to say 413: status 500 with a text that begins with it. The rest is kFailed. The
/// message is the status and OneLine(text).
SendResult JudgeAnswer(long status, std::string_view text);

/// The first 256 bytes, at most, of `text` as valid UTF-8: control characters and runs of white space
/// have become single spaces.
std::string OneLine(std::string_view text);

}  // namespace tracekin

#endif  // TRACEKIN_EXPORTER_HTTP_ANSWER_H
