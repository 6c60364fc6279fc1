// SPDX-License-Identifier: Apache-2.0
// The Echo service in each of gRPC's three server APIs, on a free port of the loopback interface.
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
  /// Runs in every handler. In the callback API it runs inside the method. In the other APIs it
  /// runs when the call has received its (first) request.
  std::function<void(const grpc::ServerContextBase&)> on_call = [](const auto&) {};
};

using ServerInterceptors =
    std::vector<std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>>;
using ClientInterceptors =
    std::vector<std::unique_ptr<grpc::experimental::ClientInterceptorFactoryInterface>>;

/// A service and the code that runs it. Only the completion queue needs a thread. If the request
/// sets `wait`, the handler waits until the client is gone. Then the queue's handler drops the
/// call, and the others reply anyway.
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

  /// Cancels calls that are still running and waits for them. After that every server span is
  /// finished.
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
