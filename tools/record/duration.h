// SPDX-License-Identifier: Apache-2.0
// Reads durations such as "500ms" and "1.5m".
//
// Thread-safety: a pure function.
#ifndef TRACEKIN_TOOLS_RECORD_DURATION_H
#define TRACEKIN_TOOLS_RECORD_DURATION_H

#include <optional>
#include <string_view>

namespace tracekin::record {

/// Converts `text` to seconds. It is a decimal number followed by us, ms, s, m, h or d. The default
/// unit is seconds. Returns nothing unless the duration is above 0 and at most a billion seconds.
std::optional<double> ParseDuration(std::string_view text);

}  // namespace tracekin::record

#endif  // TRACEKIN_TOOLS_RECORD_DURATION_H
