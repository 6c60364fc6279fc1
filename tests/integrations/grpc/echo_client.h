// SPDX-License-Identifier: Apache-2.0
// Makes calls of the Echo service through each of gRPC's three client APIs.
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

/// Starts the call on this thread, reads all replies, and returns the status when the call has
/// ended. A stream of requests sends `request` twice.
grpc::Status Call(Api api, Kind kind, test::Echo::Stub& stub, grpc::ClientContext& context,
                  const test::EchoRequest& request);

}  // namespace tracekin::testing

#endif  // TRACEKIN_TESTS_INTEGRATIONS_GRPC_ECHO_CLIENT_H
