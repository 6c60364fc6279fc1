// SPDX-License-Identifier: Apache-2.0
// Judges a Scribe server's response to Log: a reply or an exception in Thrift's binary protocol,
// without its frame.
//
// Thread-safety: pure functions. They throw std::bad_alloc.
#ifndef TRACEKIN_EXPORTER_TRANSPORT_SCRIBE_ANSWER_H
#define TRACEKIN_EXPORTER_TRANSPORT_SCRIBE_ANSWER_H

#include <cstdint>
#include <string_view>

#include "tracekin/transport.h"

namespace tracekin::exporter {

/// The largest response to Log that is read. Real responses are far smaller, unless they quote a
/// long error message.
constexpr std::uint32_t kMaxScribeAnswer = 65536;

/// Maps OK to kAccepted and an exception to kRejected. TRY_LATER and malformed responses are
/// kFailed.
SendResult JudgeScribeAnswer(std::string_view answer);

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_TRANSPORT_SCRIBE_ANSWER_H
