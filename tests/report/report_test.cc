// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <string>

#include "analysis/selection.h"
#include "report/format.h"
#include "report/json.h"
#include "report/text.h"
#include "tests/analysis/story.h"

namespace tracekin::report {
namespace {

using analysis::Filter;
using analysis::Kind;
using analysis::Story;
using ::testing::HasSubstr;

// Span 1 waits 30 ms for a lock of thread 2, which works for span 2 and computes.
class Report : public ::testing::Test {
 protected:
  Report() {
    constexpr analysis::Time kMs = 1'000'000;
    story_.Runs(0, 2, 1);
    story_.Start(0, 2, 2);
    story_.Runs(0, 1, 0);
    story_.Start(0, 1, 1);
    story_.Call(10 * kMs, 1, "futex", 0x55D0C0);
    story_.Blocks(20 * kMs, 1);
    story_.Wakes(50 * kMs, 2, 1);
    story_.Runs(50 * kMs, 1, 0);
    story_.Returns(60 * kMs, 1);
    story_.Start(70 * kMs, 1, 3, 1);
    story_.Finish(80 * kMs, 1, 3);
    story_.Finish(100 * kMs, 1, 1);
    story_.Finish(100 * kMs, 2, 2);
  }

  Story story_;
};

TEST_F(Report, WhySaysTheLargestCausesFirst) {
  EXPECT_EQ(Why(story_.Done(), story_.IndexOf(1)),
            "shop: op1, 100.000 ms, thread t1/1 (it has no scopes)\n"
            "trace 0000000000000001, span 0000000000000001\n"
            "   90.000 ms   90.0 %  own time\n"
            "   10.000 ms   10.0 %  child shop: op3 00000000\n"
            "by causes:\n"
            "   50.000 ms   50.0 %  ran\n"
            "   30.000 ms   30.0 %  waited for the futex 0x55d0c0 of t2/2 (shop: op2 00000000)\n"
            "   30.000 ms   30.0 %    ran\n"
            "   20.000 ms   20.0 %  ran in the kernel: futex\n");
}

TEST_F(Report, WhySaysThatAThreadOfRealTimeTookTheProcessor) {
  Story story;
  story.Runs(0, 1, 0);
  story.Start(0, 1, 1);
  analysis::Event& event = story.New(20, Kind::kSwitch, 0);
  event.number[analysis::Switch::kPrevTid] = 1;
  event.number[analysis::Switch::kPrevState] = 0;
  event.number[analysis::Switch::kNextTid] = 9;
  event.number[analysis::Switch::kNextPrio] = -51;
  event.text[analysis::Switch::kNextComm] = "urgent";
  story.Tell();
  story.Runs(50, 1, 0);
  story.Finish(60, 1, 1);
  EXPECT_THAT(Why(story.Done(), 0), HasSubstr("preempted by urgent/9 of real time"));
  EXPECT_THAT(WhyJson(story.Done(), 0), HasSubstr("\"comm\":\"urgent\",\"real_time\":true"));
}

TEST_F(Report, JsonHasTheSchema) {
  rapidjson::Document json;
  json.Parse(WhyJson(story_.Done(), story_.IndexOf(1)).c_str());
  ASSERT_FALSE(json.HasParseError());
  EXPECT_STREQ(json["trace_id"].GetString(), "0000000000000001");
  EXPECT_TRUE(json["parent_span_id"].IsNull());
  EXPECT_STREQ(json["service"].GetString(), "shop");
  EXPECT_EQ(json["tid"].GetInt(), 1);
  EXPECT_EQ(json["own_ns"].GetUint64(), 90'000'000u);
  std::uint64_t sum = 0;
  for (const auto& part : json["parts"].GetArray()) sum += part["ns"].GetUint64();
  EXPECT_EQ(sum, json["duration_ns"].GetUint64());
  const auto& ran = json["parts"][0];
  EXPECT_STREQ(ran["cause"].GetString(), "running");
  EXPECT_EQ(ran["ns"].GetUint64(), 20'000'000u);
  EXPECT_EQ(ran["calls_ns"]["futex"].GetUint64(), 10'000'000u);
  const auto& lock = json["parts"][1];
  EXPECT_STREQ(lock["cause"].GetString(), "lock");
  EXPECT_STREQ(lock["futex"].GetString(), "0x000000000055d0c0");
  EXPECT_EQ(lock["by"]["tid"].GetInt(), 2);
  EXPECT_STREQ(lock["by"]["span_id"].GetString(), "0000000000000002");
  ASSERT_EQ(lock["parts"].Size(), 1u);
  EXPECT_STREQ(lock["parts"][0]["cause"].GetString(), "running");
  EXPECT_EQ(json["parts"].Size(), 3u);
}

TEST_F(Report, JsonOfASpanWithoutPartsAndOfTextThatIsNotUtf8) {
  Story story(1, false);
  story.OfSpan(10, Kind::kSpanStart, 1, 1).text[analysis::Span::kOperation] = "\xFF\"\n";
  story.Tell();
  analysis::Event& event = story.OfSpan(10, Kind::kSpanFinish, 1, 1);
  event.text[analysis::Span::kTags] = "{\"a\":\"b\"}";
  story.Tell();
  for (const std::string& line : {WhyJson(story.Done(), 0), SpanJson(story.Done(), 0)}) {
    rapidjson::Document json;
    json.Parse<rapidjson::kParseValidateEncodingFlag>(line.c_str());
    EXPECT_FALSE(json.HasParseError()) << line;
    EXPECT_EQ(line.find('\n'), line.size() - 1);
  }
  EXPECT_THAT(SpanJson(story.Done(), 0), HasSubstr("\"tags\":{\"a\":\"b\"}"));
}

TEST_F(Report, TreeShowsWhatThreadsDid) {
  const std::string tree =
      Tree(story_.Done(), analysis::TraceOf(story_.Done().spans(), 0), {98, false, true});
  EXPECT_EQ(tree,
            "trace 0000000000000001  3 spans, 100.000 ms\n"
            "span, threads                            start        ms\n"
            "shop: op2                                 0.00    100.00  "
            "########################################\n"
            "    t2/2                                  0.00    100.00  "
            "========================================\n"
            "shop: op1                                 0.00    100.00  "
            "########################################\n"
            "|   t1/1                                  0.00    100.00  "
            "========------------====================\n"
            "`-shop: op3                              70.00     10.00                              "
            "####\n"
            "      t1/1                               70.00     10.00                              "
            "====\n"
            "= on a CPU   : ready, but no CPU   - waits   . not known   * log\n");
}

TEST_F(Report, WhyBreaksLinesAtTheTerminalsWidth) {
  EXPECT_THAT(Why(story_.Done(), story_.IndexOf(1), {60, false, false}),
              HasSubstr("   30.000 ms   30.0 %  waited for the futex 0x55d0c0 of t2/2\n"
                        "                       (shop: op2 00000000)\n"));
}

TEST_F(Report, WhyTintsCauses) {
  EXPECT_THAT(Why(story_.Done(), story_.IndexOf(1), {0, true, false}),
              HasSubstr("50.0 %  \x1b[32mran\x1b[0m\n"));
}

TEST_F(Report, TracesAreListed) {
  EXPECT_EQ(Traces(story_.Done(), analysis::Select({}, story_.Done().spans()), Order::kStart, 0),
            "TRACE                    START      ms  SPANS  THREADS  ERR  ROOT\n"
            "0000000000000001  00:00:00.000  100.00      3        2    0  shop: op1\n");
}

TEST_F(Report, TopAddsUpCauses) {
  const auto& engine = story_.Done();
  const auto groups = analysis::GroupSpans(engine, analysis::Select({}, engine.spans()),
                                           analysis::ByService(engine));
  EXPECT_EQ(
      Top(groups),
      "SERVICE  OPERATION  COUNT  ERR  p50 ms  p95 ms  max ms  total ms  own %  on cpu  ready  "
      "lock  thread  disk  net  timer  input  unknown\n"
      "shop                    3    0  100.00  100.00  100.00    210.00   95 %    86 %    0 %  "
      "14 %     0 %   0 %  0 %    0 %    0 %      0 %\n");
}

TEST_F(Report, ComparisonTellsWhichCauseGrew) {
  Story before;
  before.Runs(0, 1, 0);
  before.Start(0, 1, 1);
  before.Finish(70'000'000, 1, 1);
  const auto& engine = story_.Done();
  const auto key = [](const analysis::Engine& of) { return analysis::ByOperation(of); };
  Filter filter;
  filter.operation = "op1";
  const auto one = analysis::GroupSpans(before.Done(), {0}, key(before.Done()));
  const auto two =
      analysis::GroupSpans(engine, analysis::Select(filter, engine.spans()), key(engine));
  EXPECT_EQ(Comparison(analysis::Compare(one, two)),
            "SERVICE  OPERATION  BEFORE  AFTER  p95 ms  p95 ms  mean ms  on cpu  ready    lock  "
            "thread  disk   net  timer  input  unknown\n"
            "shop     op1             1      1   70.00  100.00   +30.00    0.00   0.00  +30.00    "
            "0.00  0.00  0.00   0.00   0.00     0.00\n");
}

TEST(Selection, FiltersByTagErrorAndTime) {
  Story story;
  story.Runs(0, 1, 0);
  for (int span = 1; span <= 2; ++span) {
    story.Start(static_cast<analysis::Time>(10 * span), 1, span);
    analysis::Event& event =
        story.OfSpan(static_cast<analysis::Time>(10 * span + 5), Kind::kSpanFinish, 1, span);
    event.number[analysis::Span::kError] = span == 2 ? 1 : 0;
    event.text[analysis::Span::kTags] = span == 1 ? "{\"k\":\"v\"}" : "{\"k\":\"w\"}";
    story.Tell();
  }
  const analysis::Spans& spans = story.Done().spans();
  using Found = std::vector<analysis::SpanIndex>;
  Filter filter;
  filter.tags = {{"k", "v"}};
  EXPECT_EQ(analysis::Select(filter, spans), Found{0});
  filter = {};
  filter.errors = true;
  EXPECT_EQ(analysis::Select(filter, spans), Found{1});
  filter = {};
  filter.since = 16;
  EXPECT_EQ(analysis::Select(filter, spans), Found{1});
  filter = {};
  filter.until = 20;
  EXPECT_EQ(analysis::Select(filter, spans), Found{0});
  filter = {};
  filter.service = "other";
  EXPECT_TRUE(analysis::Select(filter, spans).empty());
}

TEST(Selection, TakesABeginningOfAnIdIfItIsOne) {
  Story story;
  story.Runs(0, 1, 0);
  story.Start(0, 1, 0x10);
  story.Start(1, 1, 0x20, 0x10);
  story.Start(2, 1, 0x21, 0x10);
  const analysis::Spans& spans = story.Done().spans();
  EXPECT_EQ(FindByPrefix(spans, "0000000000000001").span, 0u);  // the id of the trace
  EXPECT_TRUE(FindByPrefix(spans, "0000000000000001").is_trace);
  EXPECT_EQ(FindByPrefix(spans, "0000000000000021").span, 2u);
  EXPECT_EQ(FindByPrefix(spans, "000000000000002").span, analysis::kNoSpan);
  EXPECT_EQ(FindByPrefix(spans, "000000000000002").candidates.size(), 2u);
  EXPECT_TRUE(FindByPrefix(spans, "f").candidates.empty());
}

TEST(Format, UsesTheUnitThatFits) {
  EXPECT_EQ(Duration(999), "999 ns");
  EXPECT_EQ(Duration(12'345), "12.345 µs");
  EXPECT_EQ(Duration(69'384'000), "69.384 ms");
  EXPECT_EQ(Duration(2'000'000'000), "2.000 s");
  EXPECT_EQ(Percent(0, 0), "0.0 %");
}

}  // namespace
}  // namespace tracekin::report
