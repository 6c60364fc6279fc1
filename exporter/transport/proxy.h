// SPDX-License-Identifier: Apache-2.0
// Finds the HTTP proxy in the environment, from the variables that libcurl uses: http_proxy,
// https_proxy, all_proxy and no_proxy. All but http_proxy may also be in capitals.
//
// libcurl would read them for each request, on the sender thread. The host may be changing its
// environment at that time, and no lock protects it. They are therefore read once, when the tracer
// is made.
#ifndef TRACEKIN_EXPORTER_TRANSPORT_PROXY_H
#define TRACEKIN_EXPORTER_TRANSPORT_PROXY_H

#include <string>
#include <string_view>

namespace tracekin::exporter {

struct Proxy {
  std::string url;     // empty: no proxy
  std::string exempt;  // hosts to connect to directly, in the format of no_proxy
};

/// Returns the proxy for requests to `url`, which is http or https. Returns an empty Proxy in a
/// set-user-ID program. Throws std::bad_alloc. REQUIRES: no other thread changes the environment
/// during the call.
Proxy ProxyFromEnvironment(std::string_view url);

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_TRANSPORT_PROXY_H
