// SPDX-License-Identifier: Apache-2.0
// The Echo service in each of gRPC's three server APIs, on a free port of the loopback.
#ifndef TRACEKIN_TESTS_INTEGRATIONS_GRPC_ECHO_SERVER_H
#define TRACEKIN_TESTS_INTEGRATIONS_GRPC_ECHO_SERVER_H

#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/integrations/grpc/echo.grpc.pb.h"

namespace tracekin::testing {

enum class Api { kSync, kCallback, kQueue };
constexpr Api kApis[] = {Api::kSync, Api::kCallback, Api::kQueue};
inline std::string Name(Api api) {
  return api == Api::kSync ? "Sync" : api == Api::kCallback ? "Callback" : "Queue";
}

struct Hooks {
  /// Runs in every handler: inside the method in the callback API, and else when the call has its
  /// (first) request.
  std::function<void(const grpc::ServerContextBase&)> on_call = [](const auto&) {};
};

using ServerInterceptors =
    std::vector<std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>>;
using ClientInterceptors =
    std::vector<std::unique_ptr<grpc::experimental::ClientInterceptorFactoryInterface>>;

/// A service and what runs it; the queue's needs a thread. A handler whose request says `wait`
/// waits until the client has gone. Then it answers all the same, but for the queue's: that one
/// drops the call.
class EchoHandlers {
 public:
  virtual ~EchoHandlers() = default;
  virtual void Register(grpc::ServerBuilder& builder) = 0;
  virtual void Start() {}
  virtual void Stop() {}
};
std::unique_ptr<EchoHandlers> MakeEchoHandlers(Api api, Hooks& hooks);

class EchoServer {
 public:
  EchoServer(Api api, ServerInterceptors interceptors, Hooks& hooks);
  ~EchoServer() { Stop(); }

  /// Cancels what still runs and waits for it. Every server span has finished afterwards.
  void Stop();

  std::shared_ptr<grpc::Channel> Connect(ClientInterceptors interceptors,
                                         const grpc::ChannelArguments& arguments = {}) const;
  std::shared_ptr<grpc::Channel> ConnectInProcess(ClientInterceptors interceptors) const;

 private:
  std::unique_ptr<EchoHandlers> handlers_;
  std::unique_ptr<grpc::Server> server_;
  int port_ = 0;
  bool running_ = true;
};

}  // namespace tracekin::testing

#endif  // TRACEKIN_TESTS_INTEGRATIONS_GRPC_ECHO_SERVER_H
