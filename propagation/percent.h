// SPDX-License-Identifier: Apache-2.0
// Percent-encoding (RFC 3986, section 2.1), which baggage values use.
#ifndef TRACEKIN_PROPAGATION_PERCENT_H
#define TRACEKIN_PROPAGATION_PERCENT_H

#include <string>
#include <string_view>

#include "base/ascii.h"

namespace tracekin::propagation {

/// The meaning of a '+' in encoded text.
enum class Plus { kItself, kSpace };

/// Appends `text` to `out` and encodes each byte that is not in `literal` as %XX with upper-case
/// digits. Throws std::bad_alloc.
void AppendPercentEncoded(std::string_view text, const CharSet& literal, std::string* out);

/// Returns the decoded text as UTF-8. Invalid UTF-8 is replaced by U+FFFD. A '%' without two
/// hexadecimal digits after it is kept. The result is at most three times as long as `encoded`.
/// Throws std::bad_alloc.
std::string PercentDecode(std::string_view encoded, Plus plus);

}  // namespace tracekin::propagation

#endif  // TRACEKIN_PROPAGATION_PERCENT_H
