// SPDX-License-Identifier: Apache-2.0
#include "service.h"

#include <grpcpp/support/client_interceptor.h>
#include <grpcpp/support/server_interceptor.h>
#include <tracekin/grpc.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <utility>
#include <vector>

namespace {

[[noreturn]] void Exit(const std::string& reason) {
  std::cerr << program_invocation_short_name << ": " << reason << std::endl;
  std::exit(1);
}

sigset_t EndSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

}  // namespace

std::shared_ptr<tracekin::Tracer> MakeTracerOrExit() {
  std::string error;
  std::shared_ptr<tracekin::Tracer> tracer = tracekin::MakeTracerFromEnvironment(&error);
  if (tracer == nullptr) Exit(error);
  opentracing::Tracer::InitGlobal(tracer);
  return tracer;
}

std::shared_ptr<grpc::Channel> ConnectOrExit(const std::string& address,
                                             const std::shared_ptr<tracekin::Tracer>& tracer) {
  std::vector<std::unique_ptr<grpc::experimental::ClientInterceptorFactoryInterface>> interceptors;
  interceptors.push_back(tracekin::MakeGrpcClientInterceptorFactory(tracer));
  std::shared_ptr<grpc::Channel> channel = grpc::experimental::CreateCustomChannelWithInterceptors(
      address, grpc::InsecureChannelCredentials(), {}, std::move(interceptors));
  if (!channel->WaitForConnected(std::chrono::system_clock::now() + std::chrono::seconds(10))) {
    Exit("nobody listens at " + address);
  }
  return channel;
}

void BlockEndSignals() {
  const sigset_t signals = EndSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

void Serve(const std::string& address, grpc::Service* service,
           const std::shared_ptr<tracekin::Tracer>& tracer) {
  std::vector<std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>> interceptors;
  interceptors.push_back(tracekin::MakeGrpcServerInterceptorFactory(tracer));
  grpc::ServerBuilder builder;
  builder.AddListeningPort(address, grpc::InsecureServerCredentials());
  builder.RegisterService(service);
  builder.experimental().SetInterceptorCreators(std::move(interceptors));
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr) Exit("cannot listen at " + address);

  const sigset_t signals = EndSignals();
  int signal;
  sigwait(&signals, &signal);
  server->Shutdown();
  tracer->Close();
}
