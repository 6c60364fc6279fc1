// SPDX-License-Identifier: Apache-2.0
// BlkKin's three ids, and the 24 bytes that they are in messages: packed by BlkKin (big-endian), in
// Ceph's messages (little-endian), in XSEG's requests (the host's order).
//
// The ids have no sampled flag: a trace id of 0 is all that says "not traced". docs/wire-formats.md
// says what of a context is lost. Thread-safe: functions of their arguments.
#ifndef TRACEKIN_PROPAGATION_BLKIN_H
#define TRACEKIN_PROPAGATION_BLKIN_H

#include <opentracing/propagation.h>

#include <cstddef>

#include "propagation/context.h"
#include "tracekin/trace_info.h"

namespace tracekin {

using TraceInfo = ::tracekin_trace_info;

enum class ByteOrder { kBig, kLittle, kHost };

constexpr std::size_t kTraceInfoBytes = 24;

/// All zeros unless `context` is sampled and has ids, the lower half of its trace id among them:
/// nobody down the line may take an unsampled trace for a sampled one.
TraceInfo ToTraceInfo(const Context& context) noexcept;

/// The accepted context that `info` stands for; false if that is none. Fails with
/// span_context_corrupted_error if there is a trace id without a span id. `context` is left alone
/// unless this returns true.
opentracing::expected<bool> FromTraceInfo(const TraceInfo& info, Context* context) noexcept;

/// To and from `kTraceInfoBytes` bytes, of any alignment.
void WriteTraceInfo(const TraceInfo& info, ByteOrder order, void* bytes) noexcept;
TraceInfo ReadTraceInfo(const void* bytes, ByteOrder order) noexcept;

}  // namespace tracekin

#endif  // TRACEKIN_PROPAGATION_BLKIN_H
