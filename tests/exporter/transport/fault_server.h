// SPDX-License-Identifier: Apache-2.0
// An HTTP server on loopback or on a Unix socket, for tests of clients. It reads whole requests,
// records them, and then handles the connection as the test specifies. It also accepts Thrift
// frames as requests.
//
// Thread-safety: the server has its own thread, on which it calls the test's function.
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
  /// The connection on which a request has just arrived.
  class Connection {
   public:
    Connection(int socket, int stop) : socket_(socket), stop_(stop) {}

    /// Returns false once the peer has closed.
    bool Write(std::string_view text);

    /// Sends a complete answer.
    void Answer(const std::string& status, std::string_view body = {},
                const std::string& headers = {});

    /// Waits until the peer closes, the server ends or `timeout_ms` have passed (-1 means no
    /// limit). Returns false if the time has passed.
    bool WaitForPeer(int timeout_ms = -1);

    /// Closes the connection with an RST.
    void Reset();

    /// Closes the connection with a FIN.
    void Close() { closed_ = true; }

    /// Sends a FIN and continues to read.
    void CloseHalf();

   private:
    friend class FaultServer;
    int socket_;
    int stop_;
    bool closed_ = false;
  };

  using Handler = std::function<void(Connection&)>;

  /// Listens on `port`, or on any free port.
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
  bool Serve(int socket);  // serves one request; returns false if the connection has ended

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
