// SPDX-License-Identifier: Apache-2.0
// The ids of new spans, and how they travel: what both dialects of BlkKin's API share.
//
// Ids are random, in [1, 2^63), as BlkKin's were. Thread-safety: any thread. Nothing throws.
#ifndef TRACEKIN_INTEGRATIONS_BLKIN_IDS_H
#define TRACEKIN_INTEGRATIONS_BLKIN_IDS_H

#include "tracekin/blkin/trace_info.h"

namespace tracekin::blkin {

/// Of a root. If its trace is not sampled, the trace id is 0, but the span has an id.
blkin_trace_info RootWithTwoIds() noexcept;
/// The same, with the trace's id as the span's.
blkin_trace_info RootWithOneId() noexcept;

/// Of a new child of `parent`, in the parent's trace or, with it, in none.
blkin_trace_info ChildOf(const blkin_trace_info& parent) noexcept;

/// To and from network byte order.
blkin_trace_info_packed Pack(const blkin_trace_info& info) noexcept;
blkin_trace_info Unpack(const blkin_trace_info_packed& packed) noexcept;

}  // namespace tracekin::blkin

#endif  // TRACEKIN_INTEGRATIONS_BLKIN_IDS_H
