// SPDX-License-Identifier: Apache-2.0
// The operations of one client at one OSD, each a span.
//
// A span begins when the request's front passes and ends with the last byte of the reply of the same
// transaction id. It is a child of the context in the request, if there is one; its own context goes
// into the request in place of that, if this relay stamps and the client does not sign its messages.
//
// Thread-safety: none, but for the counters; a connection is one thread's.
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

/// Of all connections.
struct Counts {
  std::atomic<std::uint64_t> requests{0};
  std::atomic<std::uint64_t> replies{0};        // whose request had passed
  std::atomic<std::uint64_t> unanswered{0};     // requests whose connection ended first
  std::atomic<std::uint64_t> with_context{0};   // requests that came with one
  std::atomic<std::uint64_t> stamped{0};        // requests that went on with ours
  std::atomic<std::uint64_t> may_be_signed{0};  // not stamped: a signature would not fit any more
  std::atomic<std::uint64_t> too_large{0};      // not stamped: a front larger than kMaxHeldFront
  std::atomic<std::uint64_t> unknown{0};        // not stamped: a version of which nothing is known
  std::atomic<std::uint64_t> inconsistent{0};  // not stamped: a front that is not what it should be
  std::atomic<std::uint64_t> not_followed{0};  // without a span: too many are open, or no memory
  std::atomic<std::uint64_t> passed_through{
      0};  // directions that were not understood from some point
};

class Operations {
 public:
  /// `osd` is its address, for the spans. Borrows `handshake` and `counts`.
  Operations(std::shared_ptr<tracekin::Tracer> tracer, bool stamp, std::string osd,
             const Handshake* handshake, Counts* counts);
  /// Finishes the spans whose reply has not come.
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
  /// Without one of the directions requests and replies cannot be matched any more.
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
  std::unordered_map<std::uint64_t, Operation> open_;  // by transaction id
};

#endif  // TRACEKIN_EXAMPLES_CEPH_RELAY_OPERATIONS_H
