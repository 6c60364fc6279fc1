// SPDX-License-Identifier: Apache-2.0
// Checks the header fields that an operator may add to requests (RFC 9110, section 5).
//
// Thread-safety: pure functions.
#ifndef TRACEKIN_CONFIGURATION_HEADER_H
#define TRACEKIN_CONFIGURATION_HEADER_H

#include <string_view>

namespace tracekin::configuration {

/// Returns whether `name` is a token: letters, digits and some punctuation, and not empty.
bool IsHeaderName(std::string_view name);

/// Returns whether the exporter or the connection sets this header, so that another value would
/// break requests: Content-Type, Content-Length, Host, Transfer-Encoding and the like. Names are
/// not case-sensitive.
bool IsReservedHeader(std::string_view name);

/// Returns whether `value` is UTF-8 without control characters and without blanks at its ends. An
/// empty value is not allowed, because libcurl would remove the header.
bool IsHeaderValue(std::string_view value);

}  // namespace tracekin::configuration

#endif  // TRACEKIN_CONFIGURATION_HEADER_H
