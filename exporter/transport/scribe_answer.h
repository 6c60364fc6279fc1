// SPDX-License-Identifier: Apache-2.0
// What the answer of a Scribe server to a call of Log means: a reply or an exception in Thrift's binary
// protocol, without its frame.
//
// Thread-safety: a pure function. It throws std::bad_alloc.
#ifndef TRACEKIN_EXPORTER_TRANSPORT_SCRIBE_ANSWER_H
#define TRACEKIN_EXPORTER_TRANSPORT_SCRIBE_ANSWER_H

#include <cstdint>
#include <string_view>

#include "tracekin/transport.h"

namespace tracekin {

/// No answer to Log is larger, unless somebody has much to say.
constexpr std::uint32_t kMaxScribeAnswer = 65536;

/// OK is kAccepted, an exception kRejected. TRY_LATER is kFailed, and so is what is no answer.
SendResult JudgeScribeAnswer(std::string_view answer);

}  // namespace tracekin

#endif  // TRACEKIN_EXPORTER_TRANSPORT_SCRIBE_ANSWER_H
