// SPDX-License-Identifier: Apache-2.0
#include "integrations/blkin/ids.h"

#include "base/thread_state.h"
#include "integrations/blkin/process.h"
#include "propagation/blkin.h"

namespace tracekin::blkin {

namespace {

std::int64_t NewId() noexcept { return static_cast<std::int64_t>(RandomId(ThisThread())); }

blkin_trace_info Root(std::int64_t trace_id, std::int64_t span_id) noexcept {
  Initialise();
  return {Sample(trace_id) ? trace_id : 0, span_id, 0};
}

}  // namespace

blkin_trace_info RootWithTwoIds() noexcept { return Root(NewId(), NewId()); }

blkin_trace_info RootWithOneId() noexcept {
  const std::int64_t id = NewId();
  return Root(id, id);
}

blkin_trace_info ChildOf(const blkin_trace_info& parent) noexcept {
  return {parent.trace_id, NewId(), parent.span_id};
}

blkin_trace_info_packed Pack(const blkin_trace_info& info) noexcept {
  blkin_trace_info_packed packed;
  propagation::WriteTraceInfo({info.trace_id, info.span_id, info.parent_span_id},
                              propagation::ByteOrder::kBig, &packed);
  return packed;
}

blkin_trace_info Unpack(const blkin_trace_info_packed& packed) noexcept {
  const TraceInfo info = propagation::ReadTraceInfo(&packed, propagation::ByteOrder::kBig);
  return {info.trace_id, info.span_id, info.parent_span_id};
}

}  // namespace tracekin::blkin
