// SPDX-License-Identifier: Apache-2.0
// A Scribe server built from libthrift's own parts (TThreadedServer, TFramedTransport,
// TBinaryProtocol), for tests of clients.
//
// Thread-safety: the server has its own threads; the test's thread calls the methods.
#ifndef TRACEKIN_TESTS_EXPORTER_TRANSPORT_SCRIBE_SERVER_H
#define TRACEKIN_TESTS_EXPORTER_TRANSPORT_SCRIBE_SERVER_H

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "exporter/encoding/zipkin_types.h"

namespace tracekin {

class ScribeServer {
 public:
  enum class Answer { kOk, kTryLater, kException, kClose };

  /// Listens on a free port of the loopback address. With `strict_read`, calls without a version
  /// number end the connection. With `strict_write`, replies have a version number.
  explicit ScribeServer(bool strict_read = false, bool strict_write = true);
  ~ScribeServer();

  void set_answer(Answer answer);

  std::uint16_t port() const;
  std::string url() const { return "scribe://127.0.0.1:" + std::to_string(port()); }

  /// Returns the entries of each call that was read, regardless of the answer.
  std::vector<std::vector<thrift::LogEntry>> calls() const;
  int connections() const;

 private:
  class Handler;
  struct Parts;

  std::shared_ptr<Handler> handler_;
  std::unique_ptr<Parts> parts_;
  std::thread thread_;
};

}  // namespace tracekin

#endif  // TRACEKIN_TESTS_EXPORTER_TRANSPORT_SCRIBE_SERVER_H
