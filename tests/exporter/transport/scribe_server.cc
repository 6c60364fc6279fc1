// SPDX-License-Identifier: Apache-2.0
#include "tests/exporter/transport/scribe_server.h"

#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/server/TThreadedServer.h>
#include <thrift/transport/TBufferTransports.h>
#include <thrift/transport/TServerSocket.h>

#include <condition_variable>
#include <mutex>
#include <stdexcept>

#include "exporter/encoding/Scribe.h"

namespace tracekin {

namespace {

using apache::thrift::protocol::TBinaryProtocolFactory;
using apache::thrift::protocol::TProtocol;
using apache::thrift::server::TServerEventHandler;
using apache::thrift::server::TThreadedServer;
using apache::thrift::transport::TFramedTransportFactory;
using apache::thrift::transport::TServerSocket;
using apache::thrift::transport::TTransport;

// The connection of the call that this thread serves.
thread_local TTransport* current_connection = nullptr;

}  // namespace

class ScribeServer::Handler : public thrift::ScribeIf, public TServerEventHandler {
 public:
  thrift::ResultCode::type Log(const std::vector<thrift::LogEntry>& messages) override {
    const std::lock_guard<std::mutex> lock(mutex);
    calls.push_back(messages);
    switch (answer) {
      case Answer::kTryLater:
        return thrift::ResultCode::TRY_LATER;
      case Answer::kException:
        throw std::runtime_error("cannot\nread that");
      case Answer::kClose:
        current_connection->close();
        break;
      case Answer::kOk:
        break;
    }
    return thrift::ResultCode::OK;
  }

  void preServe() override {
    const std::lock_guard<std::mutex> lock(mutex);
    serving = true;
    changed.notify_all();
  }
  void* createContext(std::shared_ptr<TProtocol> /*input*/,
                      std::shared_ptr<TProtocol> /*output*/) override {
    const std::lock_guard<std::mutex> lock(mutex);
    ++connections;
    return nullptr;
  }
  void processContext(void* /*context*/, std::shared_ptr<TTransport> transport) override {
    current_connection = transport.get();
  }

  std::mutex mutex;
  std::condition_variable changed;
  bool serving = false;
  Answer answer = Answer::kOk;
  int connections = 0;
  std::vector<std::vector<thrift::LogEntry>> calls;
};

struct ScribeServer::Parts {
  std::shared_ptr<TServerSocket> socket;
  std::unique_ptr<TThreadedServer> server;
};

ScribeServer::ScribeServer(bool strict_read, bool strict_write)
    : handler_(std::make_shared<Handler>()), parts_(std::make_unique<Parts>()) {
  parts_->socket = std::make_shared<TServerSocket>("127.0.0.1", 0);
  parts_->server = std::make_unique<TThreadedServer>(
      std::make_shared<thrift::ScribeProcessor>(handler_), parts_->socket,
      std::make_shared<TFramedTransportFactory>(),
      std::make_shared<TBinaryProtocolFactory>(0, 0, strict_read, strict_write));
  parts_->server->setServerEventHandler(handler_);
  thread_ = std::thread([this] { parts_->server->serve(); });
  std::unique_lock<std::mutex> lock(handler_->mutex);
  handler_->changed.wait(lock, [this] { return handler_->serving; });
}

ScribeServer::~ScribeServer() {
  parts_->server->stop();
  thread_.join();
}

void ScribeServer::set_answer(Answer answer) {
  const std::lock_guard<std::mutex> lock(handler_->mutex);
  handler_->answer = answer;
}

std::uint16_t ScribeServer::port() const {
  return static_cast<std::uint16_t>(parts_->socket->getPort());
}

std::vector<std::vector<thrift::LogEntry>> ScribeServer::calls() const {
  const std::lock_guard<std::mutex> lock(handler_->mutex);
  return handler_->calls;
}

int ScribeServer::connections() const {
  const std::lock_guard<std::mutex> lock(handler_->mutex);
  return handler_->connections;
}

}  // namespace tracekin
