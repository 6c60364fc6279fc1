// SPDX-License-Identifier: Apache-2.0
// A fixture for tests of transports over TCP. It contains a server and the transport, and measures
// how long a call takes.
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

/// The maximum difference between a deadline and the time at which a transport returns.
constexpr std::chrono::milliseconds kSlack{200};

inline Transport::Clock::time_point In(std::chrono::milliseconds time) {
  return Transport::Clock::now() + time;
}

/// The fixture for transports of class `T`.
template <class T>
class TransportFixture : public ::testing::Test {
 protected:
  using Milliseconds = std::chrono::milliseconds;

  /// `empty` is a request body without spans.
  explicit TransportFixture(std::string empty) : empty_(std::move(empty)) {
    // Transport::Send requires this from its caller.
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
  std::optional<T> transport_;  // the last member, so that it is destroyed first
};

}  // namespace tracekin::testing

#endif  // TRACEKIN_TESTS_SUPPORT_TRANSPORT_FIXTURE_H
