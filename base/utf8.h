// SPDX-License-Identifier: Apache-2.0
// Text as JSON and UTF-8 want it: what the encoders and the LTTng events share.
//
// Thread-safety: pure functions. UTF-8 is that of The Unicode Standard, section 3.9, table 3-7: no
// overlong forms, no surrogates, nothing above U+10FFFF. JSON is RFC 8259.
#ifndef TRACEKIN_BASE_UTF8_H
#define TRACEKIN_BASE_UTF8_H

#include <cstddef>
#include <string>
#include <string_view>

namespace tracekin {

/// Whether `text` may stand between the quotes of a JSON string as it is: printable ASCII (and DEL)
/// without '"' and '\'. Such text is valid UTF-8 too.
bool IsPlain(const char* text, std::size_t size) noexcept;

/// The bytes after a text that the next two functions read, and after `out` write: any.
constexpr std::size_t kPadding = 15;

/// IsPlain() in less time, of text that is followed by kPadding bytes.
bool IsPlainPadded(const char* text, std::size_t size) noexcept;

/// The same, and copies the text to `out`, which is followed by as many bytes.
bool CopyIfPlain(const char* text, std::size_t size, char* out) noexcept;

/// Whether `text` is ASCII without NUL: the text that Sanitize leaves alone most often, and known sooner.
bool IsAscii(std::string_view text) noexcept;

/// `text` with each NUL, and each maximal subpart of an ill-formed sequence (Unicode 3.9, "U+FFFD
/// Substitution of Maximal Subparts"), replaced by U+FFFD. Returns `text` itself if there are none,
/// else a view of `*scratch`, whose old content is lost. Throws std::bad_alloc: the result is at
/// most three times as long.
std::string_view Sanitize(std::string_view text, std::string* scratch);

/// The longest prefix of `text` that has at most `max_bytes` bytes and ends between two code
/// points, if `text` is valid UTF-8; of any other text some prefix that is short enough.
std::string_view TruncateUtf8(std::string_view text, std::size_t max_bytes) noexcept;

/// What WriteJsonString needs at most for a text of `size` bytes.
constexpr std::size_t MaxJsonStringSize(std::size_t size) { return 6 * size + 2; }

/// Writes `text`, which is valid UTF-8, as a JSON string with its quotes to [out, end). Returns the
/// end of what it wrote, or nullptr, with [out, end) in any state, if that does not fit.
char* WriteJsonString(std::string_view text, char* out, const char* end) noexcept;

}  // namespace tracekin

#endif  // TRACEKIN_BASE_UTF8_H
