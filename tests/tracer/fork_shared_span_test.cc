// SPDX-License-Identifier: Apache-2.0
// Tests fork() while another thread changes a span that the child continues to use. A child that
// waits for that thread hangs, and is killed and reported. A child that reads data which the thread
// had written only in part crashes.

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "tests/support/background.h"
#include "tests/support/carriers.h"
#include "tests/support/fork.h"
#include "tests/support/ledger_tracer.h"
#include "tests/support/recording_tracer.h"

namespace tracekin::testing {
namespace {

constexpr int kForks = 80;

const std::string kShort(20, 's');
const std::string kLong(20'000, 'l');

/// Returns whether `item` is one of the baggage values of these tests, and complete.
bool IsWhole(const std::string& item) {
  return item.size() == 200 && item.find_first_not_of(item[0]) == std::string::npos;
}

struct Work {
  const char* name;
  std::function<void(opentracing::Span&)> change;
};

void PrintTo(const Work& work, std::ostream* out) { *out << work.name; }

std::string NameOf(const ::testing::TestParamInfo<Work>& info) { return info.param.name; }

class ForkDuringAChange : public ::testing::TestWithParam<Work> {
 protected:
  void SetUp() override { TRACEKIN_SKIP_WITHOUT_MEMORY_AFTER_FORK(); }

  // This is not a RecordingTracer, because a fork may leave its collector's mutex locked.
  const Ledger ledger_;
  const std::shared_ptr<Tracer> tracer_ = ledger_.MakeTracer();
};

/// Uses a span of the parent process in every way that a program may, then ends the process.
void UseAndEnd(const Tracer& tracer, std::unique_ptr<opentracing::Span> span) {
  EXPECT_TRUE(IsWhole(span->BaggageItem("item"))) << span->BaggageItem("item");
  auto child = tracer.StartSpan("child", {opentracing::ChildOf(&span->context())});
  EXPECT_EQ(child->context().ToTraceID(), span->context().ToTraceID());
  EXPECT_TRUE(IsWhole(child->BaggageItem("item")));
  child->Finish();
  Pairs carrier;
  EXPECT_TRUE(
      tracer.Inject(span->context(), static_cast<const opentracing::TextMapWriter&>(carrier)));
  span->SetBaggageItem("item", std::string(200, 'c'));
  EXPECT_EQ(span->BaggageItem("item"), std::string(200, 'c'));
  span->SetTag("sampling.priority", 1);
  span->SetTag("long", kLong);
  span->SetTag("short", kShort);
  span->Log({{"event", kLong}});
  span->SetOperationName(kLong);
  span->Finish();
  span.reset();
}

TEST_P(ForkDuringAChange, TheChildMayUseAndEndTheSpan) {
  auto span = tracer_->StartSpan("shared");
  span->SetBaggageItem("item", std::string(200, 'a'));
  Background load;
  load.Repeat([&] { GetParam().change(*span); });
  for (int i = 0; i < kForks && !HasFailure(); ++i) {
    InFork([&] {
      UseAndEnd(*tracer_, std::move(span));
      EXPECT_TRUE(tracer_->Flush(RecordingTracer::kPatience));
      EXPECT_TRUE(Conserved(tracer_->counters(), 0))
          << ::testing::PrintToString(tracer_->counters());
      EXPECT_EQ(tracer_->counters().dropped.fork, 1u);
      EXPECT_EQ(tracer_->counters().exported, 1u);
    });
  }
  load.Stop();
}

const Work kChanges[] = {
    {"LongTag", [](opentracing::Span& span) { span.SetTag("k", kLong); }},
    {"ShortTag", [](opentracing::Span& span) { span.SetTag("k", kShort); }},
    {"Name",
     [](opentracing::Span& span) {
       span.SetOperationName(kLong);
       span.SetOperationName(kShort);
     }},
    {"Log",
     [](opentracing::Span& span) {
       span.Log({{"event", kShort}, {"text", kShort}});
     }},
    {"Baggage",
     [](opentracing::Span& span) {
       span.SetBaggageItem("item", std::string(200, 'a'));
       span.SetBaggageItem("item", std::string(200, 'b'));
     }},
    {"BaggageThatIsRead", [](opentracing::Span& span) { span.BaggageItem("item"); }},
};
INSTANTIATE_TEST_SUITE_P(Of, ForkDuringAChange, ::testing::ValuesIn(kChanges), NameOf);

class ForkDuringASpan : public ::testing::Test {
 protected:
  void SetUp() override { TRACEKIN_SKIP_WITHOUT_MEMORY_AFTER_FORK(); }

  const Ledger ledger_;
  const std::shared_ptr<Tracer> tracer_ = ledger_.MakeTracer();
};

// A span acquires memory with its first long tag and returns it when it ends.
TEST_F(ForkDuringASpan, TheChildMayUseAndEndIt) {
  std::atomic<opentracing::Span*> current{nullptr};
  opentracing::FinishSpanOptions finish;
  finish.log_records.resize(20, {opentracing::SystemTime{}, {{"event", kShort}}});
  Background load;  // destroyed before the objects that it uses
  load.Repeat([&] {
    const auto span = tracer_->StartSpan("shared");
    span->SetBaggageItem("item", std::string(200, 'a'));
    current = span.get();
    for (std::size_t size = 500; size < 20'000; size *= 2) {
      span->SetTag("growing", std::string(size, 'x'));
    }
    span->FinishWithOptions(finish);
    current = nullptr;
  });
  int used = 0;
  for (int i = 0; used < kForks && !HasFailure(); ++i) {
    const pid_t child = fork();
    if (child == 0) {
      opentracing::Span* const span = current;
      if (span == nullptr) _exit(2);
      UseAndEnd(*tracer_, std::unique_ptr<opentracing::Span>(span));
      EXPECT_TRUE(tracer_->Flush(RecordingTracer::kPatience));
      // A span that was about to be counted as finished may stay open here.
      EXPECT_LE(tracer_->counters().open, 1u);
      EXPECT_EQ(tracer_->counters().exported, 1u);
      _exit(HasFailure() ? 1 : 0);
    }
    const int status = AwaitChild(child);
    ASSERT_TRUE(WIFEXITED(status)) << "child " << i << " hung or crashed: " << status;
    ASSERT_NE(WEXITSTATUS(status), 1);
    if (WEXITSTATUS(status) == 0) ++used;
  }
}

}  // namespace
}  // namespace tracekin::testing
