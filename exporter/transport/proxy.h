// SPDX-License-Identifier: Apache-2.0
// The HTTP proxy that the environment names, by the variables that libcurl has for it: http_proxy, https_proxy,
// all_proxy and no_proxy, each but the first also in capitals.
//
// libcurl by itself reads them for each request. It would do so on the sender thread, while the host may be
// changing its environment, which no lock protects. So they are read once, when the tracer is made.
#ifndef TRACEKIN_EXPORTER_TRANSPORT_PROXY_H
#define TRACEKIN_EXPORTER_TRANSPORT_PROXY_H

#include <string>
#include <string_view>

namespace tracekin {

struct Proxy {
  std::string url;     // empty: none
  std::string exempt;  // hosts that are connected to directly, as in no_proxy
};

/// For requests to `url`, which is http or https. Empty in a set-user-ID program. Reads the environment, so no
/// other thread may change it meanwhile. Throws std::bad_alloc.
Proxy ProxyFromEnvironment(std::string_view url);

}  // namespace tracekin

#endif  // TRACEKIN_EXPORTER_TRANSPORT_PROXY_H
