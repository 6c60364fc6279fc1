// SPDX-License-Identifier: Apache-2.0
#include "propagation/blkin.h"

#include <endian.h>

#include <cstdint>
#include <cstring>

namespace tracekin::propagation {

namespace {

static_assert(sizeof(TraceInfo) == kTraceInfoBytes && offsetof(TraceInfo, trace_id) == 0 &&
                  offsetof(TraceInfo, span_id) == 8 && offsetof(TraceInfo, parent_span_id) == 16,
              "laid out as struct blkin_trace_info");

// Each of these functions is its own inverse.
std::int64_t Swapped(std::int64_t id, ByteOrder order) {
  const auto bits = static_cast<std::uint64_t>(id);
  switch (order) {
    case ByteOrder::kBig:
      return static_cast<std::int64_t>(htobe64(bits));
    case ByteOrder::kLittle:
      return static_cast<std::int64_t>(htole64(bits));
    case ByteOrder::kHost:
      break;
  }
  return id;
}

TraceInfo Swapped(const TraceInfo& info, ByteOrder order) {
  return {Swapped(info.trace_id, order), Swapped(info.span_id, order),
          Swapped(info.parent_span_id, order)};
}

}  // namespace

TraceInfo ToTraceInfo(const Context& context) noexcept {
  if (!context.sampled() || context.trace_id_low == 0 || context.span_id == 0) return {};
  return {static_cast<std::int64_t>(context.trace_id_low),
          static_cast<std::int64_t>(context.span_id),
          static_cast<std::int64_t>(context.parent_span_id)};
}

opentracing::expected<bool> FromTraceInfo(const TraceInfo& info, Context* context) noexcept {
  if (info.trace_id == 0) return false;
  if (info.span_id == 0) {
    return opentracing::make_unexpected(opentracing::span_context_corrupted_error);
  }
  *context = {};
  context->trace_id_low = static_cast<std::uint64_t>(info.trace_id);
  context->span_id = static_cast<std::uint64_t>(info.span_id);
  context->parent_span_id = static_cast<std::uint64_t>(info.parent_span_id);
  context->decision = Decision::kAccept;
  return true;
}

void WriteTraceInfo(const TraceInfo& info, ByteOrder order, void* bytes) noexcept {
  const TraceInfo swapped = Swapped(info, order);
  std::memcpy(bytes, &swapped, kTraceInfoBytes);
}

TraceInfo ReadTraceInfo(const void* bytes, ByteOrder order) noexcept {
  TraceInfo info;
  std::memcpy(&info, bytes, kTraceInfoBytes);
  return Swapped(info, order);
}

}  // namespace tracekin::propagation
