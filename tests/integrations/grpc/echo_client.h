// SPDX-License-Identifier: Apache-2.0
// One call of the Echo service, in each of gRPC's three client APIs.
#ifndef TRACEKIN_TESTS_INTEGRATIONS_GRPC_ECHO_CLIENT_H
#define TRACEKIN_TESTS_INTEGRATIONS_GRPC_ECHO_CLIENT_H

#include "tests/integrations/grpc/echo_server.h"

namespace tracekin::testing {

enum class Kind { kUnary, kClientStream, kServerStream, kBidi };
constexpr Kind kKinds[] = {Kind::kUnary, Kind::kClientStream, Kind::kServerStream, Kind::kBidi};
inline std::string Name(Kind kind) {
  constexpr const char* kNames[] = {"Unary", "ClientStream", "ServerStream", "Bidi"};
  return kNames[static_cast<int>(kind)];
}

/// Starts the call on this thread and returns its status when it has ended. A stream of requests is
/// `request` twice. Reads all replies.
grpc::Status Call(Api api, Kind kind, test::Echo::Stub& stub, grpc::ClientContext& context,
                  const test::EchoRequest& request);

}  // namespace tracekin::testing

#endif  // TRACEKIN_TESTS_INTEGRATIONS_GRPC_ECHO_CLIENT_H
