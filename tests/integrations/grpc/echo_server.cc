// SPDX-License-Identifier: Apache-2.0
#include "tests/integrations/grpc/echo_server.h"

#include <chrono>
#include <utility>

namespace tracekin::testing {

EchoServer::EchoServer(Api api, ServerInterceptors interceptors, Hooks& hooks)
    : handlers_(MakeEchoHandlers(api, hooks)) {
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
  builder.experimental().SetInterceptorCreators(std::move(interceptors));
  handlers_->Register(builder);
  server_ = builder.BuildAndStart();
  handlers_->Start();
}

void EchoServer::Stop() {
  if (!running_) return;
  running_ = false;
  server_->Shutdown(std::chrono::system_clock::now());
  handlers_->Stop();
  server_.reset();
}

std::shared_ptr<grpc::Channel> EchoServer::Connect(ClientInterceptors interceptors,
                                                   const grpc::ChannelArguments& arguments) const {
  return grpc::experimental::CreateCustomChannelWithInterceptors(
      "127.0.0.1:" + std::to_string(port_), grpc::InsecureChannelCredentials(), arguments,
      std::move(interceptors));
}

std::shared_ptr<grpc::Channel> EchoServer::ConnectInProcess(ClientInterceptors interceptors) const {
  return server_->experimental().InProcessChannelWithInterceptors({}, std::move(interceptors));
}

}  // namespace tracekin::testing
