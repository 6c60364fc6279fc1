// SPDX-License-Identifier: Apache-2.0
// A traced Echo server, a traced channel to it, and the spans of their calls.
#ifndef TRACEKIN_TESTS_INTEGRATIONS_GRPC_ECHO_TEST_H
#define TRACEKIN_TESTS_INTEGRATIONS_GRPC_ECHO_TEST_H

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/integrations/grpc/echo_client.h"
#include "tests/integrations/grpc/spans.h"
#include "tracekin/grpc.h"
#include "tracekin/scope.h"

namespace tracekin::testing {

inline ClientInterceptors Traced(std::shared_ptr<opentracing::Tracer> tracer,
                                 GrpcClientOptions options = {}) {
  ClientInterceptors interceptors;
  interceptors.push_back(MakeGrpcClientInterceptorFactory(std::move(tracer), std::move(options)));
  return interceptors;
}

inline ServerInterceptors TracedServer(std::shared_ptr<opentracing::Tracer> tracer,
                                       GrpcServerOptions options = {}) {
  ServerInterceptors interceptors;
  interceptors.push_back(MakeGrpcServerInterceptorFactory(std::move(tracer), std::move(options)));
  return interceptors;
}

class EchoTest : public ::testing::Test {
 protected:
  void Serve(Api api) { Serve(api, TracedServer(tracer_), Traced(tracer_)); }

  void Serve(Api api, ServerInterceptors on_server, ClientInterceptors on_client) {
    server_ = std::make_unique<EchoServer>(api, std::move(on_server), hooks_);
    stub_ = test::Echo::NewStub(server_->Connect(std::move(on_client)));
  }

  /// Returns every span of the test. Stops the server first, so that no more spans can follow.
  std::vector<SpanData> AllSpans() {
    server_->Stop();
    return log_->Wait(0);
  }

  const std::shared_ptr<SpanLog> log_ = std::make_shared<SpanLog>();
  std::shared_ptr<opentracing::Tracer> tracer_ = MakeTracer(log_);
  Hooks hooks_;
  std::unique_ptr<EchoServer> server_;
  std::unique_ptr<test::Echo::Stub> stub_;
};

}  // namespace tracekin::testing

#endif  // TRACEKIN_TESTS_INTEGRATIONS_GRPC_ECHO_TEST_H
