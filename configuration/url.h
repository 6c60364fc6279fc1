// SPDX-License-Identifier: Apache-2.0
// What the configuration has to know of URLs (RFC 3986). libcurl reads them for use; this tells an
// operator at start-up, rather than at the first span, that one cannot work.
//
// Thread-safety: functions of their arguments.
#ifndef TRACEKIN_CONFIGURATION_URL_H
#define TRACEKIN_CONFIGURATION_URL_H

#include <string>
#include <string_view>

namespace tracekin {

/// Whether `url` is http, https or scribe, names a host and has no port but a decimal one from 1 to
/// 65535, and has no blanks or control characters; a scribe URL has nothing else than host and port.
/// libcurl takes each such URL.
bool IsUrl(std::string_view url);

/// Whether the user or the password has an '@', which a URL can have there as %40 only.
bool HasStrayAt(std::string_view url);

/// Whether `url` begins with that scheme; "" has none.
bool HasScheme(std::string_view url, std::string_view scheme);

/// From the first slash behind the host up to a query or fragment; empty if there is none.
std::string_view UrlPath(std::string_view url);

/// Whether the scheme is https.
bool IsHttps(std::string_view url);

/// Whether it names a user: scheme://user@host or scheme://user:password@host.
bool HasUserInfo(std::string_view url);

/// Whether the host is this machine's own: localhost or a name below it, 127.0.0.0/8 or [::1].
bool IsLoopback(std::string_view url);

/// `text` with the password of scheme://user:password@host replaced by ***; anything else
/// unchanged.
std::string MaskPassword(std::string_view text);

}  // namespace tracekin

#endif  // TRACEKIN_CONFIGURATION_URL_H
