// SPDX-License-Identifier: Apache-2.0
#include "tracer/counter_publisher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <regex>
#include <string>
#include <thread>

#include "tests/support/fork.h"
#include "tests/support/recording_tracer.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait.h"
#include "tracekin/version.h"

namespace tracekin::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Contents(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class CounterPublisherTest : public ::testing::Test {
 protected:
  CounterPublisherTest() {
    options_.service_name = "shop";
    options_.exporter.path = "/dev/null";
    options_.exporter.metrics_path = folder_ + "/shop-%p.prom";
    options_.exporter.metrics_interval_ms = 100;
    options_.logger = [log = log_](LogLevel, const std::string& line) { log->Add(line); };
  }

  std::string PathOf(pid_t process) const {
    return folder_ + "/shop-" + std::to_string(process) + ".prom";
  }

  static bool Tells(const std::string& path, const std::string& line) {
    return Contents(path).find(line) != std::string::npos;
  }

  const std::shared_ptr<LogLines> log_ = std::make_shared<LogLines>();
  const TempFolder temp_;
  const std::string folder_ = temp_.path();
  Options options_;
};

TEST(PrometheusText, IsOfEachCounterOnce) {
  Counters counters;
  counters.started = 7;
  counters.dropped.expired = 3;
  const std::string text = PrometheusText(counters, "a \"b\"\\\n", 42);
  const std::string labels = R"({service="a \"b\"\\\n",pid="42")";
  EXPECT_THAT(text, HasSubstr("# TYPE tracekin_spans_started_total counter\n"
                              "tracekin_spans_started_total" +
                              labels + "} 7\n"));
  EXPECT_THAT(text,
              HasSubstr("\ntracekin_spans_dropped_total" + labels + ",reason=\"expired\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("\ntracekin_spans_spooled" + labels + "} 0\n"));
  EXPECT_EQ(text.back(), '\n');
  for (const CounterInfo& info : kCounters) {
    const bool dropped = info.group == CounterGroup::kDropped;
    const std::string where = dropped ? "reason=\"" + std::string(info.name) + "\"} "
                                      : std::string(info.name) + (info.grows ? "_total{" : "{");
    EXPECT_NE(text.find(where), std::string::npos) << info.name;
    EXPECT_EQ(text.find(where), text.rfind(where)) << info.name;
  }
}

TEST(PrometheusText, HasTheMetricsThatTheAlertsName) {
  const std::string metrics = PrometheusText(Counters(), "a", 1);
  const std::string alerts = Contents(TRACEKIN_ALERTS);
  const std::regex name("\\btracekin_[a-z_]+");
  int named = 0;
  for (std::sregex_iterator it(alerts.begin(), alerts.end(), name), end; it != end; ++it, ++named) {
    EXPECT_THAT(metrics, HasSubstr("\n" + it->str() + '{'));
  }
  EXPECT_GE(named, 4);
}

TEST(Documentation, TellsWhatToDoOfEachReasonToDropSpans) {
  const std::string document = Contents(TRACEKIN_EXPORTER_MD);
  for (const CounterInfo& info : kCounters) {
    if (info.group != CounterGroup::kDropped) continue;
    EXPECT_THAT(document, HasSubstr("\n| `" + std::string(info.name) + "` |"));
  }
}

TEST_F(CounterPublisherTest, WritesTheCountersUntilTheTracerIsClosed) {
  const auto tracer = MakeTracer(options_);
  for (int i = 0; i < 5; ++i) tracer->StartSpan("a");
  const std::string path = PathOf(getpid());
  EXPECT_TRUE(Eventually([&] {
    return Tells(path, "tracekin_spans_exported_total{service=\"shop\",pid=\"" +
                           std::to_string(getpid()) + "\"} 5\n");
  }));
  EXPECT_EQ(fs::status(path).permissions() & fs::perms::others_read, fs::perms::others_read);
  tracer->Close();
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(CounterPublisherTest, LeavesTheNumberOfSpansThatCloseDropped) {
  options_.exporter.path.clear();
  options_.exporter.endpoint = "http://127.0.0.1:1/";  // nobody listens there
  options_.exporter.close_timeout_ms = 100;
  const auto tracer = MakeTracer(options_);
  tracer->StartSpan("a");
  tracer->Close();
  const std::string path = PathOf(getpid());
  EXPECT_TRUE(Tells(path, "reason=\"closed\"} 1\n")) << Contents(path);
  EXPECT_FALSE(Tells(path, "tracekin_failed_requests_total{service=\"shop\",pid=\"" +
                               std::to_string(getpid()) + "\"} 0\n"));
}

TEST_F(CounterPublisherTest, TellsTheVersionAndTheLastSuccess) {
  const auto before = static_cast<std::uint64_t>(std::time(nullptr));
  const auto tracer = MakeTracer(options_);
  tracer->StartSpan("a");
  ASSERT_TRUE(tracer->Flush(std::chrono::seconds(10)));
  EXPECT_GE(tracer->counters().last_success_timestamp_seconds, before);
  EXPECT_EQ(tracer->counters().failed_requests, 0u);
  EXPECT_TRUE(Eventually([&] { return Tells(PathOf(getpid()), "tracekin_build_info{service="); }));
  EXPECT_TRUE(Tells(PathOf(getpid()), ",version=\"" TRACEKIN_VERSION "\"} 1\n"));
}

TEST_F(CounterPublisherTest, AForkedChildHasAFileOfItsOwn) {
  TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK();
  const auto tracer = MakeTracer(options_);
  tracer->StartSpan("a");
  InFork([&] {
    const std::string path = PathOf(getpid());
    EXPECT_TRUE(Eventually([&] { return Tells(path, "tracekin_spans_started_total"); }));
    EXPECT_THAT(Contents(path), HasSubstr("\"} 0\n"));
    tracer->Close();
    EXPECT_FALSE(fs::exists(path));
  });
  EXPECT_TRUE(Eventually([&] { return fs::exists(PathOf(getpid())); }));
}

TEST_F(CounterPublisherTest, AFolderThatIsNotThereHarmsNothingAndIsToldOnce) {
  options_.exporter.metrics_path = folder_ + "/no/folder/x.prom";
  const auto tracer = MakeTracer(options_);
  tracer->StartSpan("a");
  EXPECT_TRUE(tracer->Flush(std::chrono::seconds(10)));
  EXPECT_TRUE(Eventually([this] { return !log_->lines().empty(); }));
  std::this_thread::sleep_for(3 * std::chrono::milliseconds(100));  // several more attempts
  tracer->Close();
  const std::string file = folder_ + "/no/folder/x.prom." + std::to_string(getpid());
  EXPECT_THAT(log_->lines(), ElementsAre("counters are not written: cannot create " + file +
                                         ": No such file or directory"));
}

// Any process that may write to the folder may have created any kind of file at the metrics path.
TEST_F(CounterPublisherTest, WhatStandsInTheWayOfItsFileNeitherHoldsItUpNorIsWrittenTo) {
  const std::string other = folder_ + "/other";
  std::ofstream(other) << "untouched";
  const std::string part = PathOf(getpid()) + '.' + std::to_string(getpid());
  const std::function<void()> obstacles[] = {
      [&] { ASSERT_EQ(mkfifo(part.c_str(), 0600), 0); },
      [&] { ASSERT_EQ(mkfifo(PathOf(getpid()).c_str(), 0600), 0); },
      [&] { fs::create_symlink(other, part); },
      [&] { fs::create_symlink(other, PathOf(getpid())); },
      [&] { fs::create_hard_link(other, part); }};
  for (const auto& put : obstacles) {
    put();
    const auto tracer = MakeTracer(options_);
    tracer->StartSpan("a");
    EXPECT_TRUE(tracer->Flush(std::chrono::seconds(10)));
    EXPECT_TRUE(Eventually([this] {
      return fs::is_regular_file(fs::symlink_status(PathOf(getpid()))) &&
             Tells(PathOf(getpid()), "tracekin_spans_exported_total");
    }));
    tracer->Close();
    EXPECT_EQ(Contents(other), "untouched");
  }
  EXPECT_TRUE(log_->lines().empty());
}

TEST_F(CounterPublisherTest, AFolderInTheWayOfItsFileIsTold) {
  fs::create_directory(PathOf(getpid()));
  const auto tracer = MakeTracer(options_);
  EXPECT_TRUE(Eventually([this] { return !log_->lines().empty(); }));
  EXPECT_THAT(log_->lines()[0], HasSubstr("cannot rename"));
}

}  // namespace
}  // namespace tracekin::testing
