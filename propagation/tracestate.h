// SPDX-License-Identifier: Apache-2.0
// The W3C tracestate: data that other vendors attach to a trace. tracekin only forwards it.
//
// Source: W3C Trace Context Level 2, section 3.3; format: docs/wire-formats.md.
#ifndef TRACEKIN_PROPAGATION_TRACESTATE_H
#define TRACEKIN_PROPAGATION_TRACESTATE_H

#include <string>
#include <string_view>

namespace tracekin::propagation {

/// Checks the list `text` and stores it in `tracestate`, without empty members and without white
/// space around the others. If a key occurs several times, keeps its first member, because senders
/// add their member on the left. Returns false, without changing `tracestate`, if any part is
/// malformed or if there are more than 32 members. Throws std::bad_alloc.
bool ParseTracestate(std::string_view text, std::string* tracestate);

}  // namespace tracekin::propagation

#endif  // TRACEKIN_PROPAGATION_TRACESTATE_H
