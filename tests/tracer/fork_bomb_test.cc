// SPDX-License-Identifier: Apache-2.0
// Tests many forks, in parallel and in sequence, while threads of the parent use everything else.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/exporter/transport/fault_server.h"
#include "tests/support/attack.h"
#include "tests/support/background.h"
#include "tests/support/fork.h"
#include "tests/support/recording_tracer.h"
#include "tests/support/span_file.h"

namespace tracekin::testing {
namespace {

constexpr int kMostAtOnce = 200;
constexpr std::uint64_t kSpansOfAChild = 50;

std::shared_ptr<Tracer> MakeTracerFor(ExporterOptions exporter) {
  Options options;
  options.service_name = "test";
  options.logger = [](LogLevel, const std::string&) {};
  options.exporter = std::move(exporter);
  options.exporter.queue_spans = 1 << 20;
  options.exporter.queue_bytes = 1 << 28;
  options.exporter.flush_interval_ms = 1;
  options.exporter.timeout_ms = 30'000;
  options.exporter.close_timeout_ms = 30'000;
  std::string error;
  auto tracer = MakeTracer(options, &error);
  EXPECT_NE(tracer, nullptr) << error;
  return tracer;
}

/// Makes `count` spans and returns whether the tracer has exported all of them. One more span may
/// be open, because a thread of the parent may have been in it at the fork.
bool Exports(Tracer* tracer, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) tracer->StartSpan("child")->SetTag("number", i);
  tracer->Close();
  return tracer->counters().exported == count && tracer->counters().open <= 1;
}

class ForkBomb : public ::testing::Test {
 protected:
  void SetUp() override { TRACEKIN_SKIP_WITHOUT_MEMORY_AFTER_FORK(); }

  /// Forks `count` children in quick succession. A fifth of them immediately execute another
  /// program. Returns the number of the other children.
  static std::uint64_t Explode(Tracer* tracer, int count) {
    std::vector<pid_t> children;
    for (int i = 0; i < count; ++i) {
      const pid_t child = fork();
      if (child == 0) {
        if (i % 5 == 4) execl("/bin/true", "true", nullptr);
        _exit(Exports(tracer, kSpansOfAChild) ? 0 : 1);
      }
      EXPECT_GT(child, 0);
      children.push_back(child);
    }
    for (const pid_t child : children) EXPECT_EQ(AwaitChild(child), 0);
    return static_cast<std::uint64_t>(count - count / 5);
  }

  /// Calls Explode repeatedly while another thread makes spans. `ids` returns the ids of the spans
  /// that have arrived.
  template <class Ids>
  void ExpectEachSpanOnce(const std::shared_ptr<Tracer>& tracer, Ids ids) {
    const int children = Attacks(20);
    std::uint64_t spans = 0;
    Background load;
    load.Repeat([&tracer] {
      tracer->StartSpan("parent");
      usleep(100);  // leaves a processor to the others
    });
    for (int left = children; left > 0 && !HasFailure(); left -= kMostAtOnce) {
      spans += kSpansOfAChild * Explode(tracer.get(), std::min(left, kMostAtOnce));
    }
    load.Stop();
    tracer->Close();
    EXPECT_TRUE(Conserved(tracer->counters(), 0)) << ::testing::PrintToString(tracer->counters());
    EXPECT_EQ(tracer->counters().exported, tracer->counters().started);
    std::vector<std::string> arrived = ids();
    EXPECT_EQ(arrived.size(), spans + tracer->counters().started);
    std::sort(arrived.begin(), arrived.end());
    EXPECT_EQ(std::adjacent_find(arrived.begin(), arrived.end()), arrived.end());
    ReportAttacks(static_cast<std::uint64_t>(children), "forks");
    ReportAttacks(arrived.size(), "spans");
  }
};

TEST_F(ForkBomb, LosesAndRepeatsNoSpanInAFile) {
  const SpanFile file;
  ExporterOptions exporter;
  exporter.path = file.path();
  ExpectEachSpanOnce(MakeTracerFor(exporter), [&file] { return file.Values("id"); });
}

TEST_F(ForkBomb, LosesAndRepeatsNoSpanOverHttp) {
  const FaultServer server([](FaultServer::Connection& c) { c.Answer("202 Accepted"); });
  ExporterOptions exporter;
  exporter.endpoint = server.url();
  ExpectEachSpanOnce(MakeTracerFor(exporter), [&server] {
    const std::string key = R"("id":")";
    std::vector<std::string> ids;
    for (const std::string& request : server.requests()) {
      for (std::size_t at = request.find(key); at != request.npos; at = request.find(key, at + 1)) {
        ids.push_back(request.substr(at + key.size(), 16));
      }
    }
    return ids;
  });
}

// A thread of libcurl resolves the name. A fork may happen at any moment during that.
TEST_F(ForkBomb, LosesNoSpanBesideTracersThatLookUpNames) {
  const FaultServer server([](FaultServer::Connection& c) { c.Answer("202 Accepted"); });
  ExporterOptions by_address;
  by_address.endpoint = server.url();
  ExporterOptions by_name;
  by_name.endpoint = "http://tracekin.invalid:1/";
  const auto use_another = [&by_name] {
    Options options;
    options.service_name = "test";
    options.logger = [](LogLevel, const std::string&) {};
    options.exporter = by_name;
    options.exporter.flush_interval_ms = 1;
    options.exporter.close_timeout_ms = 10;
    MakeTracer(options)->StartSpan("short-lived");
  };
  Background load;
  for (int i = 0; i < 3; ++i) load.Repeat(use_another);
  const int forks = Attacks(30);
  for (int i = 0; i < forks && !HasFailure(); ++i) {
    const auto tracer = MakeTracerFor(by_address);
    InFork([&] {
      use_another();
      EXPECT_TRUE(Exports(tracer.get(), kSpansOfAChild));
    });
  }
  ReportAttacks(static_cast<std::uint64_t>(forks), "forks");
}

}  // namespace
}  // namespace tracekin::testing
