// SPDX-License-Identifier: Apache-2.0
// The operations of one client at one OSD. Each is a span.
//
// A span begins when the request's front passes and ends with the last byte of the reply with the
// same transaction id. It is a child of the context in the request, if there is one. If this relay
// stamps and the client does not sign its messages, the span's context replaces the one in the
// request.
//
// Thread-safety: only the counters are thread-safe; one thread serves a connection.
#ifndef TRACEKIN_EXAMPLES_CEPH_RELAY_OPERATIONS_H
#define TRACEKIN_EXAMPLES_CEPH_RELAY_OPERATIONS_H

#include <tracekin/tracer.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "messenger.h"

/// Counters over all connections.
struct Counts {
  std::atomic<std::uint64_t> requests{0};
  std::atomic<std::uint64_t> replies{0};        // replies whose request had passed
  std::atomic<std::uint64_t> unanswered{0};     // requests whose connection ended first
  std::atomic<std::uint64_t> with_context{0};   // requests that arrived with a context
  std::atomic<std::uint64_t> stamped{0};        // requests that were passed on with our context
  std::atomic<std::uint64_t> may_be_signed{0};  // not stamped: a signature would no longer match
  std::atomic<std::uint64_t> too_large{0};      // not stamped: a front larger than kMaxHeldFront
  std::atomic<std::uint64_t> unknown{0};        // not stamped: an unknown version of the message
  std::atomic<std::uint64_t> inconsistent{0};   // not stamped: a malformed front
  std::atomic<std::uint64_t> not_followed{0};   // no span: too many were open, or no memory
  std::atomic<std::uint64_t> passed_through{
      0};  // directions that could not be understood from some byte on
};

class Operations {
 public:
  /// `osd` is the OSD's address, for the spans. Borrows `handshake` and `counts`.
  Operations(std::shared_ptr<tracekin::Tracer> tracer, bool stamp, std::string osd,
             const Handshake* handshake, Counts* counts);
  /// Finishes the spans whose reply has not arrived.
  ~Operations();

  Observer* requests() { return &requests_; }
  Observer* replies() { return &replies_; }

 private:
  using Clock = std::chrono::steady_clock;

  struct Operation {
    std::unique_ptr<opentracing::Span> span;
    Clock::time_point sent{};
  };

  class Requests final : public Observer {
   public:
    explicit Requests(Operations* all) : all_(all) {}
    bool Wants(const MessageHeader& header) override;
    void Front(const MessageHeader& header, std::string* front) override;
    void Passed(const MessageHeader& header) override;
    void NotUnderstood() override { all_->Stop(); }

   private:
    Operations* const all_;
  };

  class Replies final : public Observer {
   public:
    explicit Replies(Operations* all) : all_(all) {}
    bool Wants(const MessageHeader& header) override;
    void Front(const MessageHeader& header, std::string* front) override;
    void Passed(const MessageHeader& header) override;
    void NotUnderstood() override { all_->Stop(); }

   private:
    Operations* const all_;
  };

  std::unique_ptr<opentracing::Span> Start(const MessageHeader& header, const std::string* front);
  void Stamp(const opentracing::Span& span, const MessageHeader& header, std::string* front);
  /// Stops tracing this connection: without one of the directions, requests and replies cannot be
  /// matched.
  void Stop();
  void Abandon(Operation* operation);

  const std::shared_ptr<tracekin::Tracer> tracer_;
  const bool stamp_;
  const std::string osd_;
  const Handshake* const handshake_;
  Counts* const counts_;
  Requests requests_{this};
  Replies replies_{this};
  bool stopped_ = false;
  std::unordered_map<std::uint64_t, Operation> open_;  // keyed by transaction id
};

#endif  // TRACEKIN_EXAMPLES_CEPH_RELAY_OPERATIONS_H
