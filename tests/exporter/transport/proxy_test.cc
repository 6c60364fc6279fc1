// SPDX-License-Identifier: Apache-2.0
// Tests the variables that name a proxy, and how a transport uses a proxy.
#include "exporter/transport/proxy.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <string>

#include "exporter/encoding/zipkin_answer.h"
#include "exporter/transport/http_transport.h"
#include "tests/exporter/transport/fault_server.h"
#include "tests/support/temp_folder.h"

namespace tracekin::exporter {
namespace {

class ProxyTest : public ::testing::Test {
 protected:
  ProxyTest() {
    for (const char* name : {"http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy",
                             "ALL_PROXY", "no_proxy", "NO_PROXY"}) {
      unsetenv(name);
    }
  }

  static std::string Url(const char* endpoint) { return ProxyFromEnvironment(endpoint).url; }

  static SendStatus Send(const ExporterOptions& options, const Proxy& proxy) {
    HttpTransport transport(options, "application/json", JudgeZipkinAnswer, proxy);
    return transport.Send("[]", Transport::Clock::now() + std::chrono::seconds(20)).status;
  }

  FaultServer collector_{[](FaultServer::Connection& c) { c.Answer("202 Accepted"); }};
  FaultServer proxy_{[](FaultServer::Connection& c) { c.Answer("202 Accepted"); }};
};

TEST_F(ProxyTest, IsNamedByTheSchemesVariableOrTheOneForAll) {
  EXPECT_EQ(Url("http://zipkin/"), "");
  setenv("ALL_PROXY", "capitals", 1);
  EXPECT_EQ(Url("http://zipkin/"), "capitals");
  setenv("all_proxy", "all", 1);
  EXPECT_EQ(Url("http://zipkin/"), "all");
  EXPECT_EQ(Url("https://zipkin/"), "all");
  setenv("HTTPS_PROXY", "https capitals", 1);
  EXPECT_EQ(Url("HTTPS://zipkin/"), "https capitals");
  setenv("https_proxy", "https", 1);
  EXPECT_EQ(Url("https://zipkin/"), "https");
  setenv("https_proxy", "", 1);  // like an unset variable
  EXPECT_EQ(Url("https://zipkin/"), "https capitals");
  setenv("http_proxy", "http", 1);
  EXPECT_EQ(Url("http://zipkin/"), "http");
}

TEST_F(ProxyTest, IsNotNamedByAHeaderThatACgiProgramIsSent) {
  setenv("HTTP_PROXY", "evil", 1);
  EXPECT_EQ(Url("http://zipkin/"), "");
}

TEST_F(ProxyTest, IsLeftOutForHostsThatAreExempt) {
  ExporterOptions options;
  options.endpoint = collector_.url();
  EXPECT_EQ(Send(options, {proxy_.url(), {}}), SendStatus::kAccepted);
  EXPECT_EQ(proxy_.connections(), 1);
  setenv("NO_PROXY", "zipkin.example,127.0.0.1", 1);
  EXPECT_EQ(Send(options, {proxy_.url(), ProxyFromEnvironment(options.endpoint).exempt}),
            SendStatus::kAccepted);
  EXPECT_EQ(proxy_.connections(), 1);
  EXPECT_EQ(collector_.connections(), 1);
}

TEST_F(ProxyTest, IsLeftOutForAUnixSocket) {
  const testing::TempFolder folder;
  ExporterOptions options;
  options.endpoint = "http://zipkin.example/api/v2/spans";
  options.unix_socket = folder.path() + "/collector";
  const FaultServer collector([](FaultServer::Connection& c) { c.Answer("202 Accepted"); },
                              options.unix_socket);
  EXPECT_EQ(Send(options, {proxy_.url(), {}}), SendStatus::kAccepted);
  EXPECT_EQ(proxy_.connections(), 0);
}

// A transport that read the variable itself would do so on the sender thread.
TEST_F(ProxyTest, IsNotLookedForByTheTransport) {
  setenv("http_proxy", proxy_.url().c_str(), 1);
  ExporterOptions options;
  options.endpoint = collector_.url();
  EXPECT_EQ(Send(options, {}), SendStatus::kAccepted);
  EXPECT_EQ(proxy_.connections(), 0);
}

}  // namespace
}  // namespace tracekin::exporter
