// SPDX-License-Identifier: Apache-2.0
// Tests a span's LTTng-UST events with a recorder in place of the provider, and that they agree
// with the exported spans.

#include "tracer/ust_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <opentracing/noop.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/thread_state.h"
#include "tests/support/fork.h"
#include "tests/support/recording_tracer.h"
#include "tracekin/scope.h"
#include "ust/loader.h"

namespace tracekin::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct SpanEvent {
  explicit SpanEvent(const tracekin_ust_span& event)
      : fields(event),
        name(event.op_name),
        service(event.service),
        kind(event.kind),
        tags(event.tags == nullptr ? "" : event.tags) {}
  tracekin_ust_span fields;
  std::string name, service, kind, tags;
};

struct IdsEvent {
  std::uint64_t span_id;
  std::int32_t tid;
  std::string message;
  tracekin_ust_level level = TRACEKIN_UST_DEBUG;
};

std::vector<SpanEvent> starts, finishes, jaeger_starts, jaeger_ends;
std::vector<IdsEvent> logs, enters, exits;
int listening = 0;
const int never = 0;

const tracekin_ust_recorder kRecorder = {
    TRACEKIN_UST_ABI,
    &listening,
    &listening,
    {&listening, &listening, &listening, &listening},
    &listening,
    &listening,
    &never,  // exporter_stats is tested in counter_publisher_test.cc
    &listening,
    &listening,
    &never,  // BlkKin's events are tested in tests/integrations/blkin/record_test.cc
    &never,
    &never,
    &never,
    [](const tracekin_ust_span* span) { starts.emplace_back(*span); },
    [](const tracekin_ust_span* span) { finishes.emplace_back(*span); },
    [](tracekin_ust_level level, const tracekin_ust_ids* ids, const char* message) {
      logs.push_back({ids->span_id, ids->tid, message, level});
    },
    [](const tracekin_ust_ids* ids) {
      enters.push_back({ids->span_id, ids->tid, ""});
    },
    [](const tracekin_ust_ids* ids) {
      exits.push_back({ids->span_id, ids->tid, ""});
    },
    nullptr,
    [](const tracekin_ust_span* span) { jaeger_starts.emplace_back(*span); },
    [](const tracekin_ust_span* span) { jaeger_ends.emplace_back(*span); },
    nullptr,
    nullptr,
    nullptr,
    nullptr,
};

class UstEvents : public ::testing::Test {
 protected:
  UstEvents() {
    starts.clear();
    finishes.clear();
    jaeger_starts.clear();
    jaeger_ends.clear();
    logs.clear();
    enters.clear();
    exits.clear();
    listening = 1;
    ust::internal::recorder = &kRecorder;
  }
  ~UstEvents() override { ust::internal::recorder = before_; }

  static Options WithUst(const std::string& sampler = "always") {
    Options options = WithSampler(sampler);
    options.ust.enabled = true;
    return options;
  }

 private:
  const tracekin_ust_recorder* const before_ = ust::internal::recorder;
};

// Spans that nobody records or exports must not be written to memory.
TEST_F(UstEvents, AreAllThatIsMadeWithoutExporter) {
  Options options = WithUst();
  options.exporter.type = "none";
  RecordingTracer tracer(options);
  tracer->StartSpan("recorded")->Log({{"event", "work"}});
  EXPECT_THAT(starts, SizeIs(1));
  EXPECT_THAT(finishes, SizeIs(1));
  EXPECT_THAT(logs, SizeIs(1));
  EXPECT_THAT(tracer.Spans(), IsEmpty());

  listening = 0;
  const auto unheard = tracer->StartSpan("unheard");
  unheard->SetTag("sampling.priority", 1);
  EXPECT_TRUE(static_cast<const SpanContext&>(unheard->context()).sampled());
  listening = 1;
  unheard->Finish();
  EXPECT_THAT(finishes, SizeIs(1));
}

TEST_F(UstEvents, OfASpanAgreeWithItsExportedForm) {
  Options options = WithUst();
  options.tags = {{"env", "test"}};
  RecordingTracer tracer(options);
  const auto parent = tracer->StartSpan("parent");
  const auto span = tracer->StartSpan("first", {opentracing::ChildOf(&parent->context()),
                                                opentracing::SetTag{"span.kind", "server"}});
  span->SetOperationName("last");
  span->SetTag("key", "a \"value\"");
  span->SetTag("error", true);
  span->Finish();
  const RecordedSpan recorded = tracer.OnlySpan();
  ASSERT_THAT(starts, SizeIs(2));
  ASSERT_THAT(finishes, SizeIs(1));
  for (const SpanEvent& event : {starts[1], finishes[0]}) {
    EXPECT_EQ(event.fields.trace_id_high, recorded.trace_id_high);
    EXPECT_EQ(event.fields.trace_id_low, recorded.trace_id_low);
    EXPECT_EQ(event.fields.span_id, recorded.span_id);
    EXPECT_EQ(event.fields.parent_span_id, recorded.parent_span_id);
    EXPECT_EQ(event.fields.start_time, recorded.start_ns);
    EXPECT_EQ(event.fields.tid, ThreadId());
    EXPECT_EQ(event.service, recorded.service);
    EXPECT_EQ(event.kind, "server");
  }
  EXPECT_EQ(starts[1].name, "first");
  EXPECT_EQ(finishes[0].name, recorded.name);
  EXPECT_EQ(finishes[0].fields.duration, recorded.duration_ns);
  EXPECT_EQ(finishes[0].fields.sampled, 1);
  EXPECT_EQ(finishes[0].fields.error, 1);
  EXPECT_EQ(finishes[0].tags, R"({"env":"test","key":"a \"value\"","error":"true"})");
}

TEST_F(UstEvents, OfAnUnsampledSpanAreRecordedWhileSomebodyListens) {
  RecordingTracer tracer(WithUst("never"));
  tracer->StartSpan("a", {opentracing::SetTag{"key", 1}})->Log({{"event", "x"}});
  ASSERT_THAT(finishes, SizeIs(1));
  EXPECT_EQ(finishes[0].fields.sampled, 0);
  EXPECT_EQ(finishes[0].tags, R"({"key":"1"})");
  EXPECT_THAT(logs, SizeIs(1));
  EXPECT_THAT(tracer.Spans(), IsEmpty());
  EXPECT_EQ(tracer->counters().unsampled, 1u);
}

TEST_F(UstEvents, OfASpanThatIsSampledLaterAreNotRecordedTwice) {
  RecordingTracer tracer(WithUst("never"));
  const auto span = tracer->StartSpan("a", {opentracing::SetTag{"before", 1}});
  span->SetTag("sampling.priority", 1);
  span->Finish();
  EXPECT_EQ(tracer.OnlySpan().Tag("before"), "1");
  EXPECT_THAT(starts, SizeIs(1));
  EXPECT_THAT(finishes, SizeIs(1));
}

TEST_F(UstEvents, AreNoneWhereNobodyListensOrTheOptionIsOff) {
  {
    const RecordingTracer tracer;
    const auto span = tracer->StartSpan("a");
    span->Log({{"event", "x"}});
  }
  listening = 0;
  const RecordingTracer tracer(WithUst());
  const auto span = tracer->StartSpan("a");
  span->Log({{"event", "x"}});
  const Scope scope(*span);
  span->Finish();
  EXPECT_THAT(starts, IsEmpty());
  EXPECT_THAT(finishes, IsEmpty());
  EXPECT_THAT(logs, IsEmpty());
  EXPECT_THAT(enters, IsEmpty());
}

TEST_F(UstEvents, OfLogsCarryTheTextThatIsExported) {
  RecordingTracer tracer(WithUst());
  const auto span = tracer->StartSpan("a");
  span->Log({{"event", "soft error"}, {"waited", 15}});
  span->Log({{"event", std::string("a\0b\xff", 4)}});
  span->Finish();
  const RecordedSpan recorded = tracer.OnlySpan();
  ASSERT_THAT(logs, SizeIs(2));
  EXPECT_EQ(logs[0].message, "soft error waited=15");
  EXPECT_EQ(logs[0].span_id, recorded.span_id);
  EXPECT_EQ(logs[0].tid, ThreadId());
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(logs[i].message, recorded.logs[i].second);
}

TEST_F(UstEvents, OfLogsHaveTheLevelThatTheApplicationGives) {
  RecordingTracer tracer(WithUst());
  const auto span = tracer->StartSpan("a");
  span->Log({{"event", "miss"}, {"level", 3}});
  span->Log({{"level", "info"}});
  span->Log({{"event", "slow"}, {"severity", std::string("Warning")}});
  span->Log({{"event", "error"}, {"message", "no such file"}});
  span->Log({{"level", opentracing::string_view("FATAL")}, {"event", "x"}});
  span->Log({{"level", "warn"}, {"event", "error"}});
  span->Log({{"event", "errors"}, {"level", "none"}, {"severity", nullptr}});
  std::vector<tracekin_ust_level> levels;
  for (const IdsEvent& log : logs) levels.push_back(log.level);
  EXPECT_THAT(levels, ElementsAre(TRACEKIN_UST_DEBUG, TRACEKIN_UST_INFO, TRACEKIN_UST_WARNING,
                                  TRACEKIN_UST_ERROR, TRACEKIN_UST_ERROR, TRACEKIN_UST_ERROR,
                                  TRACEKIN_UST_DEBUG));
}

TEST_F(UstEvents, OfSampledSpansOnlyIfTheOptionSaysSo) {
  Options options = WithUst();
  options.ust.spans = "sampled";
  RecordingTracer tracer(options);
  for (const int priority : {0, 1}) {
    const auto span = tracer->StartSpan("a", {opentracing::SetTag{"sampling.priority", priority}});
    const Scope scope(*span);
    span->Log({{"event", "x"}});
  }
  EXPECT_THAT(starts, SizeIs(1));
  EXPECT_THAT(finishes, SizeIs(1));
  EXPECT_EQ(finishes.at(0).fields.sampled, 1);
  EXPECT_THAT(logs, SizeIs(1));
  EXPECT_THAT(enters, SizeIs(1));
  EXPECT_THAT(exits, SizeIs(1));
}

TEST_F(UstEvents, OfJaegerAreRecordedIfTheOptionSaysSo) {
  {
    const RecordingTracer without(WithUst());
    without->StartSpan("a");
  }
  EXPECT_THAT(jaeger_starts, IsEmpty());
  Options options = WithUst();
  options.ust.jaeger_events = true;
  const RecordingTracer tracer(options);
  tracer->StartSpan("b");
  ASSERT_THAT(jaeger_starts, SizeIs(1));
  ASSERT_THAT(jaeger_ends, SizeIs(1));
  EXPECT_EQ(jaeger_starts[0].name, "b");
  EXPECT_EQ(jaeger_starts[0].fields.span_id, starts.back().fields.span_id);
  EXPECT_EQ(jaeger_ends[0].fields.span_id, finishes.back().fields.span_id);
  EXPECT_EQ(jaeger_ends[0].fields.duration, finishes.back().fields.duration);
}

TEST_F(UstEvents, CarryAnyText) {
  RecordingTracer tracer(WithUst());
  const auto span = tracer->StartSpan("\xff");
  span->SetTag("\xfe", std::string("a\0b", 3));
  span->SetTag("control", "\x01");
  span->Finish();
  EXPECT_EQ(starts.at(0).name, "\uFFFD");
  EXPECT_EQ(finishes.at(0).tags, "{\"\uFFFD\":\"a\uFFFDb\",\"control\":\"\\u0001\"}");
}

TEST_F(UstEvents, CarryTagsBeyondTheBufferOnTheStack) {
  RecordingTracer tracer(WithUst());
  const auto span = tracer->StartSpan("a");
  const std::string plain(9000, 'x');
  const std::string escaped(5000, '\n');
  span->SetTag("plain", plain);
  span->SetTag("escaped", escaped);
  span->Finish();
  std::string json = R"({"plain":")" + plain + R"(","escaped":")";
  for (std::size_t i = 0; i < escaped.size(); ++i) json += "\\n";
  EXPECT_EQ(finishes.at(0).tags, json + "\"}");
}

TEST_F(UstEvents, OfScopesNameTheThread) {
  RecordingTracer tracer(WithUst());
  const auto span = tracer->StartSpan("a");
  const std::uint64_t id = std::stoull(span->context().ToSpanID(), nullptr, 16);
  std::int32_t tid = 0;
  std::thread([&] {
    tid = ThreadId();
    const Scope scope(*span);
    EXPECT_THAT(enters, SizeIs(1));
    EXPECT_THAT(exits, IsEmpty());
  }).join();
  ASSERT_THAT(exits, SizeIs(1));
  for (const IdsEvent& event : {enters[0], exits[0]}) {
    EXPECT_EQ(event.span_id, id);
    EXPECT_EQ(event.tid, tid);
  }
}

TEST_F(UstEvents, OfScopesAreNoneWithoutTheOption) {
  const RecordingTracer tracer;
  const auto span = tracer->StartSpan("a");
  { const Scope scope(*span); }
  EXPECT_THAT(enters, IsEmpty());
  EXPECT_THAT(exits, IsEmpty());
}

TEST_F(UstEvents, OfAScopeThatEndsElsewhereAreOfItsOwnThread) {
  const RecordingTracer tracer(WithUst());
  const auto span = tracer->StartSpan("a");
  auto scope = std::make_unique<Scope>(*span);
  std::thread([&scope] { scope.reset(); }).join();
  EXPECT_THAT(exits, IsEmpty());
  EXPECT_EQ(ActiveSpan(), nullptr);
  ASSERT_THAT(exits, SizeIs(1));
  EXPECT_EQ(exits[0].tid, enters[0].tid);
  EXPECT_EQ(exits[0].span_id, enters[0].span_id);
}

TEST_F(UstEvents, OfAScopeThatOutlivesItsThreadEndWithThat) {
  const RecordingTracer tracer(WithUst());
  const auto span = tracer->StartSpan("a");
  std::unique_ptr<Scope> scope;
  std::thread([&] { scope = std::make_unique<Scope>(*span); }).join();
  ASSERT_THAT(exits, SizeIs(1));
  EXPECT_EQ(exits[0].tid, enters[0].tid);
  scope.reset();
  EXPECT_THAT(exits, SizeIs(1));
}

// Documents a limit: tracekin's code does not run when a thread ends the process.
TEST_F(UstEvents, OfAScopeThatIsOpenWhenTheProcessEndsHaveNoExit) {
  TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK();
  const pid_t child = fork();
  if (child == 0) {
    std::atexit([] { std::_Exit(enters.size() == 1 && exits.empty() ? 0 : 3); });
    const RecordingTracer tracer(WithUst());
    const auto span = tracer->StartSpan("a");
    const Scope scope(*span);
    std::exit(0);
  }
  EXPECT_EQ(AwaitChild(child), 0);
}

TEST_F(UstEvents, OfScopesOfOtherTracersSpansAreNone) {
  const auto foreign = opentracing::MakeNoopTracer()->StartSpan("foreign");
  { const Scope scope(*foreign); }
  EXPECT_THAT(enters, IsEmpty());
  EXPECT_THAT(exits, IsEmpty());
}

}  // namespace
}  // namespace tracekin::testing
