// SPDX-License-Identifier: Apache-2.0
// Which header fields an operator may add to requests (RFC 9110, section 5).
//
// Thread-safety: functions of their arguments.
#ifndef TRACEKIN_CONFIGURATION_HEADER_H
#define TRACEKIN_CONFIGURATION_HEADER_H

#include <string_view>

namespace tracekin {

/// A token: letters, digits and some punctuation, at least one of them.
bool IsHeaderName(std::string_view name);

/// Whether the exporter or the connection decides on it, so that another would break requests:
/// Content-Type, Content-Length, Host, Transfer-Encoding and the like; in any case of letters.
bool IsReservedHeader(std::string_view name);

/// UTF-8 without control characters and without blanks at its ends; not empty, which would mean
/// "no such header" to libcurl.
bool IsHeaderValue(std::string_view value);

}  // namespace tracekin

#endif  // TRACEKIN_CONFIGURATION_HEADER_H
