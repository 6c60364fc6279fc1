// SPDX-License-Identifier: Apache-2.0
// A host's use of the libraries that the plugin uses as well. Each class does some work when it is
// called, and checks the result.
#ifndef TRACEKIN_TESTS_PLUGIN_HOST_WORK_H
#define TRACEKIN_TESTS_PLUGIN_HOST_WORK_H

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/exporter/transport/fault_server.h"
#include "tests/plugin/host_tls.h"

namespace tracekin::testing {

/// libcurl: a GET over HTTP and one over HTTPS. The owner must have initialised libcurl.
class CurlWork {
 public:
  explicit CurlWork(const Identity& identity);
  void operator()() const;

 private:
  const Identity identity_;
  const FaultServer pages_;
  const TlsFront front_;
};

/// OpenSSL: a digest and a message over TLS.
class OpensslWork {
 public:
  explicit OpensslWork(Identity identity) : identity_(std::move(identity)) {}
  void operator()() const;

 private:
  const Identity identity_;
};

/// libthrift: writes a struct and reads it again.
struct ThriftWork {
  void operator()() const;
};

/// gRPC: a channel over TLS to a server in this process, and a call.
class GrpcWork {
 public:
  explicit GrpcWork(const Identity& identity);
  ~GrpcWork();
  void operator()() const;

 private:
  const Identity identity_;
  const std::unique_ptr<grpc::CallbackGenericService> service_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

/// All of the above.
class Host {
 public:
  explicit Host(const Identity& identity);

  /// Does each kind of work once.
  void Work() const;

  /// Calls `body` while each kind of work is repeated on its own thread.
  void WorkDuring(const std::function<void()>& body) const;

 private:
  const CurlWork curl_;
  const OpensslWork openssl_;
  const ThriftWork thrift_{};
  const GrpcWork grpc_;
  const std::vector<std::function<void()>> works_;
};

}  // namespace tracekin::testing

#endif  // TRACEKIN_TESTS_PLUGIN_HOST_WORK_H
