// SPDX-License-Identifier: Apache-2.0
// The W3C tracestate: what other vendors want carried along with a trace, which nobody else reads.
//
// Source: W3C Trace Context, section 3.3; format: docs/wire-formats.md.
#ifndef TRACEKIN_PROPAGATION_TRACESTATE_H
#define TRACEKIN_PROPAGATION_TRACESTATE_H

#include <string>
#include <string_view>

namespace tracekin {

/// Checks the list `text` and puts it into `tracestate`, without white space around its members and
/// without empty ones. Returns false, and leaves `tracestate` alone, if anything in it is
/// malformed: a key that stands twice and a thirty-third member are, too. Throws std::bad_alloc.
bool ParseTracestate(std::string_view text, std::string* tracestate);

}  // namespace tracekin

#endif  // TRACEKIN_PROPAGATION_TRACESTATE_H
