// SPDX-License-Identifier: Apache-2.0
// Tests the exporter without memory: every allocation on its threads fails in turn, in C++ and in C
// libraries. At the same time, spans are sent to a collector that fails at first.
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <new>
#include <string>

#include "exporter/pipeline/spool.h"
#include "tests/exporter/transport/fault_server.h"
#include "tests/support/failing_malloc.h"
#include "tests/support/make_span.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait.h"
#include "tracekin/tracer.h"

namespace tracekin::testing {
namespace {

using namespace exporter;

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr int kSpans = 12;

// Refuses and fails in every way, then accepts everything.
class MoodyCollector {
 public:
  std::string url() const { return server_.url(); }
  std::uint16_t port() const { return server_.port(); }
  void Begin() { requests_ = 0; }

 private:
  void Answer(FaultServer::Connection& connection) {
    switch (requests_++) {
      case 0:
        return connection.Answer("503 Service Unavailable", "come back later");
      case 1:
        return connection.Answer("413 Payload Too Large", "half of it, please");
      case 2:
        return connection.Answer("400 Bad Request", "what is this?");
      case 3:
        return connection.Reset();
      default:
        return connection.Answer("202 Accepted");
    }
  }

  std::atomic<int> requests_{0};
  FaultServer server_{[this](FaultServer::Connection& connection) { Answer(connection); }};
};

class NoMemory : public ::testing::Test {
 protected:
  NoMemory() {
    options_.service_name = "no memory";
    options_.logger = [](LogLevel, const std::string&) {};
    options_.exporter.endpoint = collector_.url();
    options_.exporter.flush_interval_ms = 1;
    options_.exporter.batch_spans = 4;
    options_.exporter.retry_backoff_ms = 1;
    options_.exporter.retry_max_backoff_ms = 2;
    options_.exporter.retry_max_tries = 1'000'000;
    options_.exporter.close_timeout_ms = 60'000;
  }

  // Runs once. Makes spans before memory runs out, without memory, and after it is available again.
  void Run(long good, long bad) {
    collector_.Begin();
    if (!options_.exporter.spool_path.empty()) LeaveDeadProcessSpans();
    std::string error;
    const auto tracer = MakeTracer(options_, &error);
    ASSERT_NE(tracer, nullptr) << error;
    FailAllocations(good, bad);
    for (int i = 0; i < kSpans / 2; ++i) tracer->StartSpan("a")->SetTag("number", i);
    tracer->Flush(10s);
    for (int i = 0; i < kSpans / 2; ++i) tracer->StartSpan("b")->SetTag("number", i);
    tracer->Flush(10s);
    allocations_ = EndFailingAllocations();
    EXPECT_TRUE(Eventually([&] { return NothingWaits(tracer->counters()); })) << good;
    ExpectConserved(tracer->counters(), good);
    tracer->Close();
    ExpectConserved(tracer->counters(), good);
    EXPECT_EQ(tracer->counters().dropped.closed, 0U) << good;
  }

  static bool NothingWaits(const Counters& counters) {
    return counters.queued == 0 && counters.in_flight == 0 && counters.spooled == 0;
  }

  static void ExpectConserved(const Counters& counters, long good) {
    EXPECT_TRUE(NothingWaits(counters)) << good;
    EXPECT_EQ(counters.started, static_cast<std::uint64_t>(kSpans)) << good;
    EXPECT_EQ(counters.started + counters.adopted, counters.exported + counters.TotalDropped())
        << good;
  }

  // Leaves two segments of a process that appears to have ended.
  void LeaveDeadProcessSpans() {
    if (!fs::exists(remains_)) MakeRemains();
    fs::remove_all(options_.exporter.spool_path);
    fs::copy(remains_, options_.exporter.spool_path);
  }

  void MakeRemains() {
    Options options = options_;
    options.exporter.endpoint = "http://127.0.0.1:1/";
    options.exporter.spool_path = remains_;
    options.exporter.close_timeout_ms = 0;
    const auto tracer = MakeTracer(options);
    for (int i = 0; i < kSpans; ++i) tracer->StartSpan("dead");
    tracer->Close();
    ASSERT_FALSE(fs::is_empty(remains_));
  }

  // Makes every allocation fail once alone, and then together with the following ones.
  void RunAll() {
    for (const long bad : {1L, 10L, 1000L}) {
      long good = 0;
      do {
        Run(good, bad);
        // The first allocations occur at the start. Later ones repeat.
        good += good < 300 ? 1 : 7;
      } while (good < allocations_ && !HasFailure());
      EXPECT_GT(good, 30) << "failures were really tried";
    }
  }

  const TempFolder temp_;
  const std::string remains_ = temp_.path() + "/remains";
  MoodyCollector collector_;
  Options options_;
  long allocations_ = 0;
};

TEST_F(NoMemory, NeverLosesCountOfSpansOnTheWayToACollector) { RunAll(); }

TEST_F(NoMemory, NeverLosesCountOfCompressedSpans) {
  options_.exporter.compression = "gzip";
  options_.exporter.format = "proto3";
  RunAll();
}

TEST_F(NoMemory, NeverLosesCountOfSpansInTheSpool) {
  options_.exporter.spool_path = temp_.path() + "/spool";
  RunAll();
}

#ifdef TRACEKIN_HAVE_THRIFT
// The answers are not valid for Scribe, so each batch fails. The test only checks that every batch
// is settled.
TEST_F(NoMemory, NeverLosesCountOfSpansOnTheWayToScribe) {
  options_.exporter.endpoint = "scribe://127.0.0.1:" + std::to_string(collector_.port());
  options_.exporter.retry_max_tries = 3;
  RunAll();
}
#endif

TEST_F(NoMemory, NeverLosesCountOfSpansOnTheWayToAFile) {
  options_.exporter.endpoint.clear();
  options_.exporter.path = temp_.path() + "/spans.json";
  options_.exporter.rotate_bytes = 500;
  RunAll();
}

// Tests all functions of the spool alone. Repeats a call that lacks memory, as Delivery does.
class SpoolWithoutMemory : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kSpoolBytes = 1 << 22;
  static constexpr std::uint64_t kDead = 3000, kOwn = 5000, kAtOnce = 250;

  // Makes the spool's allocations fail, but not those of the test, which run on the same thread.
  struct OnOurThread {
    OnOurThread() { pthread_setname_np(pthread_self(), "tracekin-test"); }
    ~OnOurThread() { pthread_setname_np(pthread_self(), "test"); }
  };

  // Repeats `step` until it has enough memory.
  template <class Step>
  void Persist(Step step) {
    for (;;) {
      try {
        const OnOurThread here;
        return step();
      } catch (const std::bad_alloc&) {
        ++failures_;
      }
    }
  }

  void Append(Spool* spool, ExporterCounts* counts, std::uint64_t first, std::uint64_t last) {
    for (; first <= last; first += kAtOnce) {
      Batch batch;
      for (std::uint64_t id = first; id < first + kAtOnce; ++id) {
        batch.Add(MakeSpan(id, std::string(1000, 'n')).data());
      }
      counts->in_flight += batch.spans;
      Persist([&] { EXPECT_TRUE(spool->Append(batch)) << spool->error(); });
    }
  }

  // Reads and settles everything. Read() does not distinguish the end from a lack of memory.
  void Drain(Spool* spool, ExporterCounts* counts) {
    while (!spool->empty()) {
      Batch batch;
      bool read = false;
      Persist([&] { read = spool->Read(1000, 1 << 20, &batch); });
      if (!read) continue;
      for (const std::uint64_t id : IdsOf(batch)) ++found_[id];
      ExporterCounts::Move(&counts->spooled, &counts->exported, batch.spans);
      Persist([&] { spool->Settle(batch.spans); });
    }
  }

  void Run(long good) {
    const TempFolder temp;
    found_.clear();
    {
      ExporterCounts counts;
      Spool dead(temp.path(), kSpoolBytes, ResourceBytes({"dead", {}}), &counts);
      Append(&dead, &counts, 1, kDead);
    }
    ExporterCounts counts;
    {
      Spool spool(temp.path(), kSpoolBytes, ResourceBytes({"service", {}}), &counts);
      FailAllocations(good, 3);
      Persist([&] { spool.Adopt(); });
      Append(&spool, &counts, kDead + 1, kDead + kOwn);  // more than fits
      Drain(&spool, &counts);
    }
    allocations_ = EndFailingAllocations();
    const Counters totals = counts.Read();
    EXPECT_EQ(totals.in_flight + totals.spooled, 0U) << good;
    EXPECT_EQ(totals.adopted, kDead) << good;
    EXPECT_EQ(totals.adopted + kOwn, totals.exported + totals.dropped.spool_full) << good;
    EXPECT_GT(totals.dropped.spool_full, 0U) << good;
    EXPECT_EQ(totals.exported, found_.size()) << good;
    for (const auto& [id, times] : found_) ASSERT_EQ(times, 1) << good << ": span " << id;
    EXPECT_TRUE(fs::is_empty(temp.path())) << good;
  }

  std::map<std::uint64_t, int> found_;
  long allocations_ = 0;
  long failures_ = 0;
};

TEST_F(SpoolWithoutMemory, NeverLosesOrRepeatsASpan) {
  long good = 0;
  do {
    Run(good);
    good += good < 100 ? 1 : 50;
  } while (good < allocations_ && !HasFailure());
  EXPECT_GT(failures_, 30) << good;
}

#ifdef TRACEKIN_HAVE_KAFKA
// librdkafka asserts that malloc() never fails, as docs/reliability.md mentions.
TEST(NoMemoryLimit, LibrdkafkaEndsTheProcess) {
  const pid_t child = fork();
  if (child == 0) {
    Options options;
    options.service_name = "no memory";
    options.logger = [](LogLevel, const std::string&) {};
    options.exporter.type = "kafka";
    options.exporter.kafka_brokers = "127.0.0.1:1";
    close(STDERR_FILENO);  // where the failed assertion would be printed
    for (long good = 0; good < 200; ++good) {
      FailAllocations(good, 1'000'000);
      std::string error;
      const auto tracer = MakeTracer(options, &error);
      EndFailingAllocations();
    }
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status)) << status;
  EXPECT_EQ(WTERMSIG(status), SIGABRT);
}
#endif

}  // namespace
}  // namespace tracekin::testing
