// SPDX-License-Identifier: Apache-2.0
#include "configuration/url.h"

#include <arpa/inet.h>
#include <strings.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "base/ascii.h"
#include "exporter/destination.h"

namespace tracekin::configuration {
namespace {

constexpr std::string_view kSchemeEnd = "://";

/// The range of the authority (user:password@host:port) in a URL, or an empty range at the end.
struct Authority {
  explicit Authority(std::string_view url) : begin(url.size()), end(url.size()) {
    const std::size_t scheme_end = url.find(kSchemeEnd);
    if (scheme_end == std::string_view::npos) return;
    begin = scheme_end + kSchemeEnd.size();
    end = std::min(url.find_first_of("/?#", begin), url.size());
  }
  std::size_t begin;
  std::size_t end;
};

bool IsPort(std::string_view text) {
  if (text.empty() || text.size() > 5) return false;
  unsigned port = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return false;
    port = port * 10 + static_cast<unsigned>(c - '0');
  }
  return port >= 1 && port <= 65535;
}

/// Returns whether `text` is an IPv6 address. It may have a zone: fe80::1%eth0, or %25eth0 as in
/// RFC 6874.
bool IsIpv6(std::string_view text) {
  const std::size_t zone = text.find('%');
  if (zone != std::string_view::npos && zone + 1 == text.size()) return false;
  struct in6_addr address;
  return inet_pton(AF_INET6, std::string(text.substr(0, zone)).c_str(), &address) == 1;
}

/// Returns whether `text` is a host's name. It must not contain a character that libcurl refuses in
/// one, or a '%', which could encode such a character.
bool IsName(std::string_view text) {
  return !text.empty() && text.find_first_of("%/:#?!@{}[]\\$'\"^`*<>=;,+&()") == text.npos;
}

/// Returns whether `text` is host, host:port, [ipv6] or [ipv6]:port.
bool IsHostAndPort(std::string_view text) {
  const bool ipv6 = !text.empty() && text.front() == '[';
  const std::size_t host_end = std::min(ipv6 ? text.find(']') : text.find(':'), text.size());
  const std::string_view host = text.substr(0, host_end);
  const std::string_view rest = text.substr(std::min(host_end + ipv6, text.size()));
  if (ipv6 ? host_end == text.size() || !IsIpv6(host.substr(1)) : !IsName(host)) return false;
  return rest.empty() || (rest.front() == ':' && IsPort(rest.substr(1)));
}

/// Returns whether `text` has a percent-encoded control character, which libcurl refuses in a user
/// and in a password.
bool HasEncodedControl(std::string_view text) {
  const auto is_hex = [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; };
  for (std::size_t at = 0; at + 2 < text.size(); ++at) {
    const char high = text[at + 1], low = text[at + 2];
    if (text[at] != '%' || !is_hex(low)) continue;
    if (high == '0' || high == '1' || (high == '7' && (low == 'f' || low == 'F'))) return true;
  }
  return false;
}

}  // namespace

bool IsUrl(std::string_view url) {
  const auto unprintable = [](char c) { return (c >= 0 && c <= ' ') || c == '\x7f'; };
  if (std::any_of(url.begin(), url.end(), unprintable)) return false;
  const Authority authority(url);
  std::string_view host = url.substr(authority.begin, authority.end - authority.begin);
  const exporter::Destination* const destination = exporter::DestinationOfUrl(url);
  if (destination == nullptr) return false;
  if (destination->bare_endpoint) {
    const std::string_view rest = url.substr(authority.end);
    return IsHostAndPort(host) && (rest.empty() || rest == "/");
  }
  if (HasStrayAt(url) || HasEncodedControl(host)) return false;
  const std::size_t at = host.rfind('@');
  if (at != std::string_view::npos) host.remove_prefix(at + 1);
  return IsHostAndPort(host);
}

bool HasStrayAt(std::string_view url) {
  const Authority authority(url);
  const std::string_view text = url.substr(authority.begin, authority.end - authority.begin);
  return text.find('@') != text.rfind('@');
}

bool IsHttps(std::string_view url) {
  constexpr std::string_view kHttps = "https://";
  return EqualsIgnoringCase(url.substr(0, kHttps.size()), kHttps);
}

bool HasUserInfo(std::string_view url) {
  const Authority authority(url);
  return url.substr(0, authority.end).find('@', authority.begin) != std::string_view::npos;
}

bool IsLoopback(std::string_view url) {
  const Authority authority(url);
  std::string host(url.substr(authority.begin, authority.end - authority.begin));
  host.erase(0, host.rfind('@') + 1);
  host.erase(
      std::min(host.find(':', host.empty() || host[0] != '[' ? 0 : host.find(']')), host.size()));
  struct in_addr address;
  if (inet_pton(AF_INET, host.c_str(), &address) == 1) return ntohl(address.s_addr) >> 24 == 127;
  constexpr std::string_view kLocalhost = "localhost";
  if (host == "[::1]" || strcasecmp(host.c_str(), kLocalhost.data()) == 0) return true;
  const std::size_t dot = host.size() - std::min(host.size(), kLocalhost.size() + 1);
  return strcasecmp(host.c_str() + dot, ".localhost") == 0;
}

std::string MaskPassword(std::string_view text) {
  std::string masked(text);
  const Authority authority(text);
  // A password with a slash makes the URL invalid. The part after the slash must be masked as well.
  const std::size_t end = IsUrl(text) || HasUserInfo(text) ? authority.end : text.size();
  const std::size_t colon = text.substr(0, end).find(':', authority.begin);
  const std::size_t at = text.substr(0, end).rfind('@');
  if (colon == std::string_view::npos || at == std::string_view::npos || at < colon) return masked;
  return masked.replace(colon + 1, at - colon - 1, "***");
}

std::string_view UrlPath(std::string_view url) {
  const std::string_view rest = url.substr(Authority(url).end);
  return rest.substr(0, rest.find_first_of("?#"));
}

}  // namespace tracekin::configuration
