// SPDX-License-Identifier: Apache-2.0
// Tests Span::Log and the log records of FinishSpanOptions: the text that an entry becomes.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/recording_tracer.h"

namespace tracekin::testing {
namespace {

using opentracing::Dictionary;
using opentracing::SystemTime;
using opentracing::Value;
using opentracing::Values;

using Fields = std::vector<std::pair<opentracing::string_view, Value>>;

const SystemTime kTime{std::chrono::seconds(1'600'000'000)};

std::vector<std::string> Texts(const RecordedSpan& span) {
  std::vector<std::string> texts;
  for (const auto& log : span.logs) texts.push_back(log.second);
  return texts;
}

struct Case {
  const char* what;
  Fields fields;
  std::string text;
};

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.what; }

std::string NameOf(const ::testing::TestParamInfo<Case>& info) { return info.param.what; }

class LogEntry : public ::testing::TestWithParam<Case> {};

TEST_P(LogEntry, BecomesOneLineOfText) {
  RecordingTracer tracer;
  const auto span = tracer->StartSpan("a");
  span->Log(kTime, GetParam().fields);
  opentracing::FinishSpanOptions finish;
  finish.log_records.push_back({kTime, {}});
  for (const auto& field : GetParam().fields) {
    finish.log_records[0].fields.emplace_back(field.first, field.second);
  }
  span->FinishWithOptions(finish);
  EXPECT_EQ(Texts(tracer.OnlySpan()), (std::vector<std::string>{GetParam().text, GetParam().text}));
}

const char* const kNoText = nullptr;
const Case kCases[] = {
    {"event", {{"event", "soft error"}}, "soft error"},
    {"message", {{"message", "a \"text\""}}, "a \"text\""},
    {"eventComesFirst",
     {{"type", "cache timeout"}, {"event", "soft error"}, {"waited.millis", 1500}},
     "soft error type=\"cache timeout\" waited.millis=1500"},
    {"eventBeforeMessage", {{"message", "m"}, {"event", "e"}}, "e message=m"},
    {"firstEventIsTheEvent", {{"event", 1}, {"event", 2}}, "1 event=2"},
    {"noEvent", {{"a", 1}, {"b", true}, {"c", 0.5}}, "a=1 b=true c=0.5"},
    {"unquoted", {{"a", "b-c/d:e'f"}}, "a=b-c/d:e'f"},
    {"quoted", {{"a", "b c"}, {"d", "e\"f"}, {"g", "h=i"}}, R"(a="b c" d="e\"f" g="h=i")"},
    {"emptyText", {{"a", ""}, {"b", kNoText}}, "a= b=null"},
    {"nested",
     {{"list", Values{1, "a b"}}, {"map", Dictionary{{"k", nullptr}}}},
     R"(list=[1,"a b"] map={"k":null})"},
    {"nestedEvent", {{"event", Values{"x"}}}, R"(["x"])"},
    {"emptyEvent", {{"event", ""}}, ""},
    {"emptyEventAndField", {{"event", ""}, {"a", 1}}, "a=1"},
    {"emptyKey", {{"", 1}}, "=1"},
    {"invalid", {{"event", "a\xff"}, {"b\xfe", "c \xfd"}}, "a\uFFFD b\uFFFD=\"c \uFFFD\""},
    {"nul", {{"event", std::string("a\0b", 3)}}, "a\uFFFDb"},
};
INSTANTIATE_TEST_SUITE_P(Cases, LogEntry, ::testing::ValuesIn(kCases), NameOf);

TEST(Log, WithoutFieldsIsNoEntry) {
  RecordingTracer tracer;
  const auto span = tracer->StartSpan("a");
  span->Log({});
  span->Log(kTime, std::initializer_list<std::pair<opentracing::string_view, Value>>{});
  span->Log(kTime, Fields{});
  opentracing::FinishSpanOptions finish;
  finish.log_records = {{kTime, {}}};
  span->FinishWithOptions(finish);
  EXPECT_TRUE(tracer.OnlySpan().logs.empty());
}

TEST(Log, EveryOverloadAppendsInOrder) {
  RecordingTracer tracer;
  const auto span = tracer->StartSpan("a");
  span->Log({{"event", "first"}});
  span->Log(kTime, {{"event", "second"}});
  span->SetTag("between", 1);
  const Fields fields = {{"event", "third"}};
  span->Log(kTime, fields);
  opentracing::FinishSpanOptions finish;
  finish.log_records = {{kTime, {{"event", "fourth"}}}, {kTime, {{"event", "fifth"}}}};
  span->FinishWithOptions(finish);
  const RecordedSpan recorded = tracer.OnlySpan();
  EXPECT_EQ(Texts(recorded),
            (std::vector<std::string>{"first", "second", "third", "fourth", "fifth"}));
  EXPECT_EQ(recorded.Tag("between"), "1");
}

TEST(Log, EntriesAreNotReplacedAsTagsAre) {
  RecordingTracer tracer;
  const auto span = tracer->StartSpan("a");
  for (int i = 0; i < 3; ++i) span->Log({{"event", "again"}});
  span->Finish();
  EXPECT_EQ(Texts(tracer.OnlySpan()), (std::vector<std::string>{"again", "again", "again"}));
}

TEST(Log, KeepsSeveralLinesOfText) {
  RecordingTracer tracer;
  const auto span = tracer->StartSpan("a");
  span->Log({{"event", "error"}, {"stack", "a()\n b()"}});
  span->Finish();
  EXPECT_EQ(Texts(tracer.OnlySpan()), std::vector<std::string>{"error stack=\"a()\\n b()\""});
}

TEST(Log, OfAnUnsampledSpanIsNothing) {
  RecordingTracer tracer(WithSampler("never"));
  const auto span = tracer->StartSpan("a");
  span->Log({{"event", std::string(1 << 20, 'x')}});
  span->SetTag("sampling.priority", 1);
  span->Log({{"event", "sampled"}});
  span->Finish();
  EXPECT_EQ(Texts(tracer.OnlySpan()), std::vector<std::string>{"sampled"});
  EXPECT_EQ(tracer->counters().truncated_attributes, 0u);
}

}  // namespace
}  // namespace tracekin::testing
