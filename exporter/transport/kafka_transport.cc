// SPDX-License-Identifier: Apache-2.0
#include "exporter/transport/kafka_transport.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <future>
#include <new>
#include <stdexcept>
#include <thread>
#include <utility>

#include "base/one_line.h"
#include "base/signals_blocked.h"
#include "exporter/transport/kafka_configuration.h"

namespace tracekin::exporter {

namespace {

using std::chrono::milliseconds;

// How long a wait may last before Interrupt() is noticed.
constexpr milliseconds kPoll{20};

// How long TakeBack() waits after the deadline. librdkafka reports a purged message immediately
// unless one of its threads hangs.
constexpr milliseconds kTakeBack{20};

constexpr milliseconds kEnd{1000};

constexpr int kEverything =
    RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT | RD_KAFKA_PURGE_F_NON_BLOCKING;

bool IsTimeOut(rd_kafka_resp_err_t error) {
  return error == RD_KAFKA_RESP_ERR__MSG_TIMED_OUT || error == RD_KAFKA_RESP_ERR__PURGE_QUEUE ||
         error == RD_KAFKA_RESP_ERR__PURGE_INFLIGHT;
}

bool IsTooLarge(rd_kafka_resp_err_t error) {
  return error == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE ||
         error == RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE;
}

// Errors that neither a retry nor an operator of the brokers can resolve.
bool IsRejection(rd_kafka_resp_err_t error) {
  return error == RD_KAFKA_RESP_ERR_INVALID_RECORD || error == RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION;
}

}  // namespace

// A producer and the state of its callbacks. The thread that destroys a producer keeps the client
// alive until librdkafka's threads have ended.
struct KafkaTransport::Client {
  std::shared_ptr<Sockets> sockets;
  rd_kafka_t* producer = nullptr;

  // These are written by callbacks of rd_kafka_poll(), which Send() calls.
  bool waiting = false;  // true while waiting for the last message's delivery report
  rd_kafka_resp_err_t report = RD_KAFKA_RESP_ERR_NO_ERROR;
  bool broken = false;  // permanently
  std::string words;    // the last error message

  std::shared_ptr<Client> itself;  // set if the client is leaked

  void Poll(Clock::time_point until) {
    const auto left = std::chrono::ceil<milliseconds>(until - Clock::now());
    rd_kafka_poll(producer, static_cast<int>(std::clamp(left, milliseconds(0), kPoll).count()));
  }

  static int OnOpen(int domain, int type, int protocol, void* self) {
    return static_cast<Client*>(self)->sockets->Open(domain, type, protocol);
  }
  static int OnClose(int descriptor, void* self) {
    static_cast<Client*>(self)->sockets->Close(descriptor);
    return 0;
  }
  static void OnReport(rd_kafka_t*, const rd_kafka_message_t* message, void* self) {
    static_cast<Client*>(self)->waiting = false;
    static_cast<Client*>(self)->report = message->err;
  }
  static void OnError(rd_kafka_t*, int error, const char* words, void* self) noexcept {
    auto* client = static_cast<Client*>(self);
    if (error == RD_KAFKA_RESP_ERR__FATAL) client->broken = true;
    if (error == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN) return;  // the reason was reported before
    try {
      client->words = OneLine(words);
    } catch (...) {
      client->words.clear();
    }
  }
  // Ignores the message: errors are also reported to OnError, and standard error belongs to the
  // host.
  static void OnLog(const rd_kafka_t*, int, const char*, const char*) {}
};

void KafkaTransport::Check(const ExporterOptions& options) { MakeKafkaConfiguration(options); }

KafkaTransport::KafkaTransport(const ExporterOptions& options)
    : options_(options), sockets_(std::make_shared<Sockets>()) {
  try {
    client_ = Connect();
  } catch (const std::runtime_error&) {
    // The first batch will report the error.
  }
}

KafkaTransport::~KafkaTransport() {
  if (client_ != nullptr) BeginEnd(std::move(client_));
  AwaitEnds(Clock::now() + kEnd);
  for (Ending& ending : ending_) ending.thread.detach();
}

std::shared_ptr<KafkaTransport::Client> KafkaTransport::Connect() const {
  auto client = std::make_shared<Client>();
  client->sockets = sockets_;
  KafkaConfiguration configuration = MakeKafkaConfiguration(options_);
  rd_kafka_conf_set_opaque(configuration.get(), client.get());
  rd_kafka_conf_set_socket_cb(configuration.get(), &Client::OnOpen);
  rd_kafka_conf_set_closesocket_cb(configuration.get(), &Client::OnClose);
  rd_kafka_conf_set_dr_msg_cb(configuration.get(), &Client::OnReport);
  rd_kafka_conf_set_error_cb(configuration.get(), &Client::OnError);
  rd_kafka_conf_set_log_cb(configuration.get(), &Client::OnLog);
  std::array<char, 512> words{};
  client->producer =
      rd_kafka_new(RD_KAFKA_PRODUCER, configuration.get(), words.data(), words.size());
  if (client->producer == nullptr) throw std::runtime_error(OneLine(words.data()));
  static_cast<void>(configuration.release());  // the producer owns it now
  return client;
}

// Destroys the producer on a new thread. That takes as long as the slowest of librdkafka's threads,
// and one of them may be waiting for a name server. If no thread can be started, the producer is
// leaked.
void KafkaTransport::BeginEnd(std::shared_ptr<Client> client) noexcept {
  const SignalsBlocked signals_blocked;
  try {
    ending_.reserve(ending_.size() + 1);
    std::promise<void> promise;
    std::future<void> done = promise.get_future();
    std::thread thread([client, promise = std::move(promise)]() mutable {
      rd_kafka_purge(client->producer, kEverything);
      rd_kafka_destroy_flags(client->producer, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
      promise.set_value();
    });
    ending_.push_back({std::move(thread), std::move(done)});
  } catch (...) {
    // librdkafka's threads continue to use the client in callbacks, so it must stay alive.
    Client* const leaked = client.get();
    leaked->itself = std::move(client);
  }
}

// Joins the threads that end before `until`, so that they are not running when the process exits.
void KafkaTransport::AwaitEnds(Clock::time_point until) noexcept {
  const auto is_done = [until](Ending& ending) {
    if (ending.done.wait_until(until) != std::future_status::ready) return false;
    ending.thread.join();
    return true;
  };
  ending_.erase(std::remove_if(ending_.begin(), ending_.end(), is_done), ending_.end());
}

SendResult KafkaTransport::Send(const std::string& body, Clock::time_point deadline) {
  const Clock::time_point start = Clock::now();
  if (start >= interrupt_.Or(deadline))
    return {SendStatus::kFailed, "no time left to send the batch"};
  try {
    if (client_ == nullptr) client_ = Connect();
  } catch (const std::runtime_error& error) {
    return {SendStatus::kFailed, error.what()};
  }
  if (!AwaitReport(deadline)) {
    return {SendStatus::kFailed, "librdkafka is still busy with the previous batch"};
  }
  do {
    Produce(body);
    if (!AwaitReport(deadline)) TakeBack();
    // The purge of the previous batch may reach one of librdkafka's threads late, and then it also
    // removes this batch.
  } while (client_->report == RD_KAFKA_RESP_ERR__PURGE_QUEUE &&
           Clock::now() < interrupt_.Or(deadline));
  SendResult result = Judge(Clock::now() - start);
  if (result.status == SendStatus::kAccepted) client_->words.clear();
  if (client_->broken || client_->report == RD_KAFKA_RESP_ERR__PURGE_INFLIGHT) Renew();
  return result;
}

// Replaces the producer. A producer with a fatal error is unusable. If a broker has received a
// message but does not answer, the producer would send the next ones after it. A broker that was
// only delayed would then accept all of them. A new connection sends nothing until the broker has
// answered. In a host that allows no new threads, the old producer stays in use.
void KafkaTransport::Renew() {
  try {
    BeginEnd(std::exchange(client_, Connect()));
    AwaitEnds(Clock::now());
  } catch (const std::runtime_error&) {
  }
}

// Waits for the delivery report until `deadline`, or an earlier one from Interrupt(). Returns
// whether the report arrived.
bool KafkaTransport::AwaitReport(Clock::time_point deadline) {
  while (client_->waiting && Clock::now() < interrupt_.Or(deadline)) {
    client_->Poll(interrupt_.Or(deadline));
  }
  return !client_->waiting;
}

void KafkaTransport::Produce(const std::string& body) {
  const rd_kafka_resp_err_t error =
      rd_kafka_producev(client_->producer, RD_KAFKA_V_TOPIC(options_.kafka_topic.c_str()),
                        RD_KAFKA_V_VALUE(const_cast<char*>(body.data()), body.size()),
                        RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END);
  client_->waiting = error == RD_KAFKA_RESP_ERR_NO_ERROR;
  client_->report = error;
}

void KafkaTransport::TakeBack() {
  const Clock::time_point until = Clock::now() + kTakeBack;
  rd_kafka_purge(client_->producer, kEverything);
  while (client_->waiting && Clock::now() < until) client_->Poll(until);
  if (client_->waiting) client_->report = RD_KAFKA_RESP_ERR__MSG_TIMED_OUT;
}

SendResult KafkaTransport::Judge(Clock::duration waited) const {
  const rd_kafka_resp_err_t error = client_->report;
  if (error == RD_KAFKA_RESP_ERR_NO_ERROR) return {SendStatus::kAccepted};
  std::string message = rd_kafka_err2str(error);
  if (IsTooLarge(error)) return {SendStatus::kTooLarge, std::move(message)};
  if (IsRejection(error)) return {SendStatus::kRejected, std::move(message)};
  if (IsTimeOut(error)) {
    const auto ms = std::chrono::duration_cast<milliseconds>(waited).count();
    message = "no acknowledgement within " + std::to_string(ms) + " ms";
  }
  if (!client_->words.empty()) message += ": " + client_->words;
  return {SendStatus::kFailed, std::move(message)};
}

void KafkaTransport::Interrupt(Clock::time_point deadline) noexcept {
  interrupt_.MoveForward(deadline);
}

// The producer is leaked: its threads do not exist in this process, and its locks may never be
// released.
void KafkaTransport::AbandonAfterFork() noexcept { sockets_->CloseAll(); }

}  // namespace tracekin::exporter
