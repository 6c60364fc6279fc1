// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <string>

#include "analysis/contrast.h"
#include "analysis/selection.h"
#include "report/describe.h"
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

std::vector<analysis::Group> GroupSpans(const analysis::Engine& engine,
                                        const std::vector<analysis::SpanIndex>& spans,
                                        const analysis::GroupKey& key) {
  analysis::Groups groups(engine, key);
  for (const analysis::SpanIndex span : spans) groups.Add(span, engine.Why(span));
  return groups.Take();
}

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
  const auto groups =
      GroupSpans(engine, analysis::Select({}, engine.spans()), analysis::ByService(engine));
  EXPECT_EQ(
      Top(groups),
      "SERVICE  OPERATION  COUNT  ERR  p50 ms  p95 ms  p99 ms  max ms  total ms  own %  on cpu  "
      "ready  lock  thread  disk  net  timer  input  unknown\n"
      "shop                    3    0  100.00  100.00  100.00  100.00    210.00   95 %    86 %    "
      "0 %  "
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
  const auto one = GroupSpans(before.Done(), {0}, key(before.Done()));
  const auto two = GroupSpans(engine, analysis::Select(filter, engine.spans()), key(engine));
  EXPECT_EQ(Comparison(analysis::Compare(one, two)),
            "SERVICE  OPERATION  BEFORE  AFTER  p95 ms  p95 ms  mean ms  on cpu  ready    lock  "
            "thread  disk   net  timer  input  unknown\n"
            "shop     op1             1      1   70.00  100.00   +30.00    0.00   0.00  +30.00    "
            "0.00  0.00  0.00   0.00   0.00     0.00\n");
}

// Nine spans take 1 ms. The tenth, which has another tag, also waits for a lock.
class SlowSpan : public ::testing::Test {
 protected:
  SlowSpan() {
    constexpr analysis::Time kMs = 1'000'000;
    story_.Runs(0, 2, 1);
    story_.Runs(0, 1, 0);
    for (int span = 1; span <= 10; ++span) {
      const analysis::Time start = static_cast<analysis::Time>(span) * 10 * kMs;
      StartSpan(start, span);
      if (span == 10) {
        story_.Call(start, 1, "futex", 0x55D0C0);
        story_.Blocks(start, 1);
        story_.Wakes(start + 5 * kMs, 2, 1);
        story_.Runs(start + 5 * kMs, 1, 0);
        story_.Returns(start + 5 * kMs, 1);
      }
      FinishSpan(start + (span == 10 ? 6 : 1) * kMs, span);
    }
    const analysis::Engine& engine = story_.Done();
    for (analysis::SpanIndex i = 0; i < engine.spans().all().size(); ++i) {
      spans_.push_back(analysis::DirectParts(i, engine.Why(i)));
    }
  }

  void StartSpan(analysis::Time time, int span) {
    analysis::Event& event = story_.OfSpan(time, Kind::kSpanStart, 1, span);
    event.text[analysis::Span::kService] = "shop";
    event.text[analysis::Span::kOperation] = "order";
    story_.Tell();
  }
  void FinishSpan(analysis::Time time, int span) {
    story_.OfSpan(time, Kind::kSpanFinish, 1, span).text[analysis::Span::kTags] =
        span == 10 ? R"({"region":"eu","size":"large"})" : R"({"region":"eu","size":"small"})";
    story_.Tell();
  }
  analysis::Contrast Compared() {
    return analysis::CompareSlow(story_.Done(), spans_, [&](const analysis::Part& part) {
      return DescribeKind(story_.Done(), part);
    });
  }

  Story story_;
  std::vector<analysis::Explained> spans_;
};

TEST_F(SlowSpan, DiffersFromFastOnesByACauseAndATag) {
  EXPECT_EQ(SlowAndFast(Compared()),
            "shop: order, 10 spans\n"
            "slow: 1 from 6.000 ms, mean 6.00 ms; fast: 9 up to 1.000 ms, mean 1.00 ms\n"
            "slow ms  fast ms  change  CAUSE\n"
            "   5.00     0.00   +5.00  waited for the futex 0x55d0c0 of t2\n"
            "of slow  of fast  change  TAG\n"
            "  100 %      0 %  +100 %  size=large\n"
            "without this, half of the slow spans would be at least 5.000 ms shorter: waited for "
            "the futex 0x55d0c0 of t2\n");
}

TEST_F(SlowSpan, DiffersInJson) {
  rapidjson::Document json;
  json.Parse(ContrastJson(Compared()).c_str());
  ASSERT_FALSE(json.HasParseError());
  EXPECT_EQ(json["slow_count"].GetInt(), 1);
  EXPECT_EQ(json["fast_count"].GetInt(), 9);
  EXPECT_EQ(json["causes"][0]["half_ns"].GetInt(), 5'000'000);
  EXPECT_TRUE(json["causes"][0]["waits"].GetBool());
  EXPECT_STREQ(json["tags"][0]["value"].GetString(), "large");
}

TEST_F(SlowSpan, HasABlocker) {
  const auto blockers = FindBlockers(story_.Done(), spans_);
  EXPECT_EQ(Blockers(blockers),
            "SPANS        CAUSE  THREAD  THAT WORKED FOR  COUNT  total ms  max ms\n"
            "shop: order  lock   t2                           1      5.00    5.00\n");
  ASSERT_EQ(blockers.size(), 1u);
  EXPECT_EQ(BlockingJson(blockers[0]),
            R"({"service":"shop","operation":"order","cause":"lock","by":{"comm":"t2"},"count":1,)"
            "\"total_ns\":5000000,\"max_ns\":5000000}\n");
}

TEST_F(SlowSpan, IsInTheGroupOfItsTag) {
  std::vector<analysis::SpanIndex> all;
  for (const analysis::Explained& span : spans_) all.push_back(span.first);
  const auto groups = GroupSpans(story_.Done(), all, analysis::ByTag(story_.Done(), "size"));
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].name, "small");
  EXPECT_EQ(groups[0].durations.size(), 9u);
  EXPECT_EQ(groups[1].name, "large");
  EXPECT_EQ(groups[1].Quantile(0.99, {analysis::Cause::kLock}), 5'000'000u);
  EXPECT_THAT(Top(groups, CauseColumns::kP99), HasSubstr("5.00"));
}

TEST_F(SlowSpan, IsMissingIfAllTakeTheSameTime) {
  spans_.pop_back();
  EXPECT_EQ(SlowAndFast(Compared()), "shop: order, 9 spans\nall of them take the same time\n");
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
