// SPDX-License-Identifier: Apache-2.0
#include "exporter/transport/proxy.h"

#include <stdlib.h>
#include <strings.h>

#include <initializer_list>

namespace tracekin::exporter {

namespace {

// Returns the first variable that is set and not empty.
std::string FirstOf(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const char* const value = secure_getenv(name);
    if (value != nullptr && *value != '\0') return value;
  }
  return {};
}

bool IsHttps(std::string_view url) {
  return url.size() >= 6 && strncasecmp(url.data(), "https:", 6) == 0;
}

}  // namespace

Proxy ProxyFromEnvironment(std::string_view url) {
  Proxy proxy;
  // HTTP_PROXY is not used: in a CGI program, it comes from a request's header "Proxy", which any
  // client can send.
  proxy.url = IsHttps(url) ? FirstOf({"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"})
                           : FirstOf({"http_proxy", "all_proxy", "ALL_PROXY"});
  proxy.exempt = FirstOf({"no_proxy", "NO_PROXY"});
  return proxy;
}

}  // namespace tracekin::exporter
