// SPDX-License-Identifier: Apache-2.0
// Makes the ids of new spans and converts them for the wire. Both dialects of BlkKin's API use
// these functions.
//
// Ids are random, in [1, 2^63), like BlkKin's. Thread-safety: any thread may call these. Nothing
// throws.
#ifndef TRACEKIN_INTEGRATIONS_BLKIN_IDS_H
#define TRACEKIN_INTEGRATIONS_BLKIN_IDS_H

#include "tracekin/blkin/trace_info.h"

namespace tracekin::blkin {

/// Returns the ids of a new root. If its trace is not sampled, only the trace id is 0.
blkin_trace_info RootWithTwoIds() noexcept;
/// Same as RootWithTwoIds, but the span id equals the trace id.
blkin_trace_info RootWithOneId() noexcept;

/// Returns the ids of a new child of `parent`. It is not traced if the parent is not.
blkin_trace_info ChildOf(const blkin_trace_info& parent) noexcept;

/// These convert to and from network byte order.
blkin_trace_info_packed Pack(const blkin_trace_info& info) noexcept;
blkin_trace_info Unpack(const blkin_trace_info_packed& packed) noexcept;

}  // namespace tracekin::blkin

#endif  // TRACEKIN_INTEGRATIONS_BLKIN_IDS_H
