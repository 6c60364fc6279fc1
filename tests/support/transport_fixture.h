// SPDX-License-Identifier: Apache-2.0
// What tests of a transport over TCP have in common: a server, the transport, and how long it took.
#ifndef TRACEKIN_TESTS_SUPPORT_TRANSPORT_FIXTURE_H
#define TRACEKIN_TESTS_SUPPORT_TRANSPORT_FIXTURE_H

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "tests/exporter/transport/fault_server.h"
#include "tracekin/options.h"
#include "tracekin/transport.h"

namespace tracekin::testing {

/// How far from a deadline a transport may return.
constexpr std::chrono::milliseconds kSlack{200};

inline Transport::Clock::time_point In(std::chrono::milliseconds time) {
  return Transport::Clock::now() + time;
}

/// `T` is the transport's class.
template <class T>
class TransportFixture : public ::testing::Test {
 protected:
  using Milliseconds = std::chrono::milliseconds;

  /// `empty` is a body without spans.
  explicit TransportFixture(std::string empty) : empty_(std::move(empty)) {
    // As Transport::Send requires of its caller:
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  }

  SendResult Send(const std::string& body, Milliseconds time = Milliseconds(10000)) {
    const auto start = Transport::Clock::now();
    const SendResult result = transport_->Send(body, start + time);
    elapsed_ = Transport::Clock::now() - start;
    return result;
  }
  SendResult Send() { return Send(empty_); }

  const std::string empty_;
  ExporterOptions options_;
  Transport::Clock::duration elapsed_{};
  std::optional<FaultServer> server_;
  std::optional<T> transport_;  // ends first
};

}  // namespace tracekin::testing

#endif  // TRACEKIN_TESTS_SUPPORT_TRANSPORT_FIXTURE_H
