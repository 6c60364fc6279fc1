// SPDX-License-Identifier: Apache-2.0
// Checks URLs in the configuration (RFC 3986). libcurl parses them for use. These checks show an
// operator at start-up, not at the first span, that a URL cannot work.
//
// Thread-safety: pure functions.
#ifndef TRACEKIN_CONFIGURATION_URL_H
#define TRACEKIN_CONFIGURATION_URL_H

#include <string>
#include <string_view>

namespace tracekin::configuration {

/// Returns whether `url` is valid. Its scheme must be http, https or scribe, and it must name a
/// host. A port must be a decimal number from 1 to 65535. Blanks and control characters are not
/// allowed, and a scribe URL may have only a host and a port. libcurl accepts all valid URLs.
bool IsUrl(std::string_view url);

/// Returns whether the user or the password contains an '@', which must be written as %40 there.
bool HasStrayAt(std::string_view url);

/// Returns the path, from the first slash after the host up to a query or fragment, or "" if there
/// is none.
std::string_view UrlPath(std::string_view url);

/// Returns whether the scheme is https.
bool IsHttps(std::string_view url);

/// Returns whether `url` names a user: scheme://user@host or scheme://user:password@host.
bool HasUserInfo(std::string_view url);

/// Returns whether the host is this machine: localhost or a name below it, 127.0.0.0/8 or [::1].
bool IsLoopback(std::string_view url);

/// Returns `text` with the password of scheme://user:password@host replaced by ***. Other text is
/// not changed.
std::string MaskPassword(std::string_view text);

}  // namespace tracekin::configuration

#endif  // TRACEKIN_CONFIGURATION_URL_H
