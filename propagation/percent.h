// SPDX-License-Identifier: Apache-2.0
// Percent-encoding (RFC 3986, section 2.1), in which baggage values travel.
#ifndef TRACEKIN_PROPAGATION_PERCENT_H
#define TRACEKIN_PROPAGATION_PERCENT_H

#include <string>
#include <string_view>

#include "base/ascii.h"

namespace tracekin {

/// What a '+' stands for in encoded text.
enum class Plus { kItself, kSpace };

/// Appends `text` to `out`, each byte that is not in `literal` as %XX with upper-case digits.
/// Throws std::bad_alloc.
void AppendPercentEncoded(std::string_view text, const CharSet& literal, std::string* out);

/// The text that `encoded` stands for, as UTF-8: what does not decode to UTF-8 becomes U+FFFD. A
/// '%' that two hexadecimal digits do not follow stands for itself. At most three times as long.
/// Throws std::bad_alloc.
std::string PercentDecode(std::string_view encoded, Plus plus);

}  // namespace tracekin

#endif  // TRACEKIN_PROPAGATION_PERCENT_H
