// SPDX-License-Identifier: Apache-2.0
// An HTTP server on loopback, or on a Unix socket, for tests of clients: it reads requests whole, notes
// them, and then does to the connection what the test tells it to. Frames of Thrift are requests to it,
// too.
//
// Thread-safety: the server has a thread of its own, on which it calls the test's function.
#ifndef TRACEKIN_TESTS_EXPORTER_TRANSPORT_FAULT_SERVER_H
#define TRACEKIN_TESTS_EXPORTER_TRANSPORT_FAULT_SERVER_H

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace tracekin {

class FaultServer {
 public:
  /// The connection on which a request has just come in.
  class Connection {
   public:
    Connection(int socket, int stop) : socket_(socket), stop_(stop) {}

    /// Returns false once the peer has gone.
    bool Write(std::string_view text);

    /// A whole answer.
    void Answer(const std::string& status, std::string_view body = {},
                const std::string& headers = {});

    /// Waits until the peer closes, the server ends or `timeout_ms` have passed (-1: never).
    /// Returns false for the last.
    bool WaitForPeer(int timeout_ms = -1);

    /// Closes with a RST.
    void Reset();

    /// Closes with a FIN.
    void Close() { closed_ = true; }

    /// Sends a FIN, and goes on reading.
    void CloseHalf();

   private:
    friend class FaultServer;
    int socket_;
    int stop_;
    bool closed_ = false;
  };

  using Handler = std::function<void(Connection&)>;

  /// Listens on `port`, or on a free one.
  explicit FaultServer(Handler handler, std::uint16_t port = 0);

  /// Listens on a Unix socket at `path`.
  FaultServer(Handler handler, const std::string& path);
  ~FaultServer();

  std::uint16_t port() const { return port_; }
  std::string url(const std::string& user = {}) const;

  std::vector<std::string> requests() const;
  int connections() const { return connections_; }

 private:
  void Run();
  bool Serve(int socket);  // one request; false if the connection is over

  const Handler handler_;
  int listener_;
  int stop_;
  std::uint16_t port_ = 0;
  std::atomic<int> connections_{0};
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace tracekin

#endif  // TRACEKIN_TESTS_EXPORTER_TRANSPORT_FAULT_SERVER_H
