#include "blkin/ids.h"

#include <endian.h>

#include "blkin/process.h"
#include "tracer/thread_state.h"

namespace tracekin::blkin {

namespace {

std::int64_t NewId() noexcept { return static_cast<std::int64_t>(RandomId(ThisThread())); }

blkin_trace_info Root(std::int64_t trace_id, std::int64_t span_id) noexcept {
  Initialise();
  return {Sample(trace_id) ? trace_id : 0, span_id, 0};
}

std::uint64_t Bits(std::int64_t id) { return static_cast<std::uint64_t>(id); }
std::int64_t Id(std::uint64_t bits) { return static_cast<std::int64_t>(bits); }

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
  return {htobe64(Bits(info.trace_id)), htobe64(Bits(info.span_id)),
          htobe64(Bits(info.parent_span_id))};
}

blkin_trace_info Unpack(const blkin_trace_info_packed& packed) noexcept {
  return {Id(be64toh(packed.trace_id)), Id(be64toh(packed.span_id)),
          Id(be64toh(packed.parent_span_id))};
}

}  // namespace tracekin::blkin
