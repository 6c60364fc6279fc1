// SPDX-License-Identifier: Apache-2.0
// Converts BlkKin's three ids to and from their 24 bytes in messages: big-endian as BlkKin packs
// them, little-endian in Ceph's messages, and in host byte order in XSEG's requests.
//
// The ids do not have a sampled flag: only a trace id of 0 means "not traced". docs/wire-formats.md
// lists the parts of a context that are lost. Thread-safe: the functions use only their arguments.
#ifndef TRACEKIN_PROPAGATION_BLKIN_H
#define TRACEKIN_PROPAGATION_BLKIN_H

#include <opentracing/propagation.h>

#include <cstddef>

#include "base/private_api.h"
#include "propagation/context.h"
#include "tracekin/trace_info.h"

namespace tracekin::propagation {

using TraceInfo = ::tracekin_trace_info;

enum class ByteOrder { kBig, kLittle, kHost };

constexpr std::size_t kTraceInfoBytes = 24;

/// Returns the ids of `context`, or all zeros unless it is sampled and has ids, including the lower
/// half of its trace id. The zeros keep receivers from treating an unsampled trace as sampled.
TraceInfo ToTraceInfo(const Context& context) noexcept;

/// Stores in `context` the accepted context that `info` represents. Returns false if `info` is not
/// traced. Fails with span_context_corrupted_error if there is a trace id without a span id.
/// Changes `context` only when it returns true.
opentracing::expected<bool> FromTraceInfo(const TraceInfo& info, Context* context) noexcept;

/// These convert to and from `kTraceInfoBytes` bytes of any alignment.
TRACEKIN_PRIVATE_API void WriteTraceInfo(const TraceInfo& info, ByteOrder order,
                                         void* bytes) noexcept;
TRACEKIN_PRIVATE_API TraceInfo ReadTraceInfo(const void* bytes, ByteOrder order) noexcept;

}  // namespace tracekin::propagation

#endif  // TRACEKIN_PROPAGATION_BLKIN_H
