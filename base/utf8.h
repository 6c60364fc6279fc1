// SPDX-License-Identifier: Apache-2.0
// Text for JSON and UTF-8, which the encoders and the LTTng events share.
//
// Thread-safety: pure functions. UTF-8 follows The Unicode Standard, section 3.9, table 3-7: no
// overlong forms, no surrogates, nothing above U+10FFFF. JSON follows RFC 8259.
#ifndef TRACEKIN_BASE_UTF8_H
#define TRACEKIN_BASE_UTF8_H

#include <cstddef>
#include <string>
#include <string_view>

#include "base/private_api.h"

namespace tracekin {

/// Returns whether `text` needs no escaping between the quotes of a JSON string: printable ASCII
/// (and DEL) without '"' and '\'. Such text is also valid UTF-8.
bool IsPlain(const char* text, std::size_t size) noexcept;

/// The number of bytes after the text that the next two functions read, and after `out` that they
/// overwrite. Their values do not matter.
constexpr std::size_t kPadding = 15;

/// Faster than IsPlain(), but the text must be followed by kPadding bytes.
bool IsPlainPadded(const char* text, std::size_t size) noexcept;

/// Same as IsPlainPadded(), and copies the text to `out`, which must have room for kPadding more
/// bytes.
bool CopyIfPlain(const char* text, std::size_t size, char* out) noexcept;

/// Returns whether `text` is ASCII without NUL. Sanitize does not change such text, and most text
/// is of this kind.
bool IsAscii(std::string_view text) noexcept;

/// Replaces each NUL, and each maximal subpart of an ill-formed sequence (Unicode 3.9, "U+FFFD
/// Substitution of Maximal Subparts"), by U+FFFD. Returns `text` itself if there are none,
/// otherwise a view of `*scratch`, which is overwritten. The result is at most three times as long.
/// May throw std::bad_alloc.
std::string_view Sanitize(std::string_view text, std::string* scratch);

/// Returns the longest prefix of `text` that has at most `max_bytes` bytes and ends between two
/// code points, if `text` is valid UTF-8. Otherwise returns some prefix that is short enough.
std::string_view TruncateUtf8(std::string_view text, std::size_t max_bytes) noexcept;

/// Returns Sanitize(TruncateUtf8(text, max_bytes), scratch). Other libraries call this function,
/// because those two are hidden so that the compiler can inline them.
TRACEKIN_PRIVATE_API std::string_view SanitizePrefix(std::string_view text, std::size_t max_bytes,
                                                     std::string* scratch);

/// Removes the first code point from `*text` and returns it. REQUIRES: `*text` is valid UTF-8 and
/// not empty.
char32_t TakeCodePoint(std::string_view* text) noexcept;

/// Returns whether a terminal or a viewer may do something other than show `code_point`: ASCII and
/// Unicode controls, line separators, and characters that change the direction of the text.
bool IsControl(char32_t code_point) noexcept;

/// Returns the maximum number of bytes that WriteJsonString writes for text of `size` bytes.
constexpr std::size_t MaxJsonStringSize(std::size_t size) { return 6 * size + 2; }

/// The form of characters beyond ASCII in a JSON string: UTF-8, or escapes (\uXXXX).
enum class NonAscii { kKeep, kEscape };

/// Writes `text`, which must be valid UTF-8, to [out, end) as a JSON string with its quotes.
/// Returns the end of the string. If it does not fit, returns nullptr and leaves [out, end) in an
/// unspecified state.
char* WriteJsonString(std::string_view text, char* out, const char* end,
                      NonAscii non_ascii = NonAscii::kKeep) noexcept;

}  // namespace tracekin

#endif  // TRACEKIN_BASE_UTF8_H
