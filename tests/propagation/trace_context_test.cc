// SPDX-License-Identifier: Apache-2.0
// The cases of the validation suite of w3c/trace-context, and the rules of the specification that
// the suite does not test.
#include <gtest/gtest.h>

#include <string>

#include "tests/propagation/carriers.h"

namespace tracekin::propagation {
namespace {

const std::string kTrace = "12345678901234567890123456789012";
const std::string kSpan = "1234567890123456";
const std::string kParent = "00-" + kTrace + "-" + kSpan + "-01";
const std::string kTraceparent = "traceparent";
const std::string kTracestate = "tracestate";

Context Sample(Decision decision) {
  return MakeContext(0x1234567890123456, 0x7890123456789012, 0x1234567890123456, 0, decision);
}

Context Random(Context context) {
  context.random_trace_id = true;
  return context;
}

struct Case {
  const char* name;
  std::string header;
  Context context;
};

class Traceparent : public testing::TestWithParam<Case> {};

TEST_P(Traceparent, IsFound) {
  TestCarrier carrier{Entries{{"traceparent", GetParam().header}}};
  for (const bool lookup : {false, true}) {
    carrier.supports_lookup = lookup;
    const Extracted extracted = Extract({"tracecontext"}, carrier);
    EXPECT_FALSE(extracted.error) << extracted.error.message();
    EXPECT_TRUE(extracted.found);
    EXPECT_EQ(extracted.context, GetParam().context);
  }
}

INSTANTIATE_TEST_SUITE_P(
    , Traceparent,
    testing::Values(
        Case{"Sampled", kParent, Sample(Decision::kAccept)},
        Case{"NotSampled", "00-" + kTrace + "-" + kSpan + "-00", Sample(Decision::kDeny)},
        Case{"RandomFlag", "00-" + kTrace + "-" + kSpan + "-02", Random(Sample(Decision::kDeny))},
        Case{"FlagsAreBits", "00-" + kTrace + "-" + kSpan + "-fd", Sample(Decision::kAccept)},
        Case{"HighZeros", "00-0000000000000000000000000000000a-" + kSpan + "-00",
             MakeContext(0, 0xa, 0x1234567890123456, 0, Decision::kDeny)},
        Case{"LowZeros", "00-000000000000000a0000000000000000-" + kSpan + "-00",
             MakeContext(0xa, 0, 0x1234567890123456, 0, Decision::kDeny)},
        Case{"FutureVersion", "cc-" + kTrace + "-" + kSpan + "-01", Sample(Decision::kAccept)},
        Case{"FutureVersionWithMore",
             "cc-" + kTrace + "-" + kSpan + "-01-what-the-future-will-be-like",
             Sample(Decision::kAccept)},
        Case{"FutureVersionWithMuchMore",
             "01-" + kTrace + "-" + kSpan + "-01-" + std::string(100000, 'x'),
             Sample(Decision::kAccept)},
        Case{"SpaceBefore", " " + kParent, Sample(Decision::kAccept)},
        Case{"TabBefore", "\t" + kParent, Sample(Decision::kAccept)},
        Case{"SpaceAfter", kParent + " ", Sample(Decision::kAccept)},
        Case{"TabAfter", kParent + "\t", Sample(Decision::kAccept)},
        Case{"WhiteSpaceAround", "\t " + kParent + " \t", Sample(Decision::kAccept)}),
    [](const auto& test) { return std::string(test.param.name); });

class TraceparentCorrupted : public testing::TestWithParam<std::string> {};

TEST_P(TraceparentCorrupted, IsAnErrorThatTakesTheTracestateWithIt) {
  const Extracted extracted =
      Extract({"tracecontext"}, Entries{{"traceparent", GetParam()}, {"tracestate", "foo=1"}});
  EXPECT_EQ(extracted.error, opentracing::span_context_corrupted_error);
  EXPECT_EQ(extracted.context, Context{});
}

INSTANTIATE_TEST_SUITE_P(
    , TraceparentCorrupted,
    testing::Values(
        "", " ", "-", kParent + ".", kParent + "-what-the-future-will-be-like", kParent + "-",
        "cc-" + kTrace + "-" + kSpan + "-01.what-the-future-will-be-like",
        "cc-" + kTrace + "-" + kSpan + "-011", "ff-" + kTrace + "-" + kSpan + "-01",
        ".0-" + kTrace + "-" + kSpan + "-01", "0.-" + kTrace + "-" + kSpan + "-01",
        "CC-" + kTrace + "-" + kSpan + "-01", "000-" + kTrace + "-" + kSpan + "-01",
        "0000-" + kTrace + "-" + kSpan + "-01", "0-" + kTrace + "-" + kSpan + "-01",
        "00-00000000000000000000000000000000-" + kSpan + "-01",
        "00-.2345678901234567890123456789012-" + kSpan + "-01",
        "00-1234567890123456789012345678901.-" + kSpan + "-01",
        "00-1234567890123456789012345678901A-" + kSpan + "-01",
        "00-123456789012345678901234567890123-" + kSpan + "-01",
        "00-1234567890123456789012345678901-" + kSpan + "-01",
        "00-" + kTrace + "-0000000000000000-01", "00-" + kTrace + "-.234567890123456-01",
        "00-" + kTrace + "-123456789012345.-01", "00-" + kTrace + "-12345678901234567-01",
        "00-" + kTrace + "-123456789012345-01", "00-" + kTrace + "-" + kSpan + "-.0",
        "00-" + kTrace + "-" + kSpan + "-0.", "00-" + kTrace + "-" + kSpan + "-0A",
        "00-" + kTrace + "-" + kSpan + "-001", "00-" + kTrace + "-" + kSpan + "-1",
        "00-" + kTrace + "-" + kSpan, "00_" + kTrace + "-" + kSpan + "-01",
        "00-" + kTrace + "_" + kSpan + "-01", "00-" + kTrace + "-" + kSpan + "_01",
        kParent + "," + kParent, kParent + std::string(1, '\0'), kParent + "\r\n",
        std::string(1 << 20, '0'), std::string(1 << 20, ' ')));

struct StateCase {
  const char* name;
  Entries tracestates;
  std::string result;
};

class TracestateHeaders : public testing::TestWithParam<StateCase> {};

TEST_P(TracestateHeaders, GoAlongWithTheTraceparent) {
  Entries entries = {{"traceparent", kParent}};
  entries.insert(entries.end(), GetParam().tracestates.begin(), GetParam().tracestates.end());
  const Extracted extracted = Extract({"tracecontext"}, entries);
  EXPECT_TRUE(extracted.found);
  EXPECT_EQ(extracted.context.trace_id_high, 0x1234567890123456U);
  EXPECT_EQ(extracted.tracestate(), GetParam().result);
}

std::string ThirtyTwoMembers() {
  std::string list = "bar1=1";
  for (int i = 2; i <= 32; ++i) list += ",bar" + std::to_string(i) + "=" + std::to_string(i);
  return list;
}

INSTANTIATE_TEST_SUITE_P(
    , TracestateHeaders,
    testing::Values(
        StateCase{"None", {}, ""}, StateCase{"Empty", {{kTracestate, ""}}, ""},
        StateCase{"One", {{kTracestate, "foo=1,bar=2"}}, "foo=1,bar=2"},
        StateCase{"AnyCase", {{"TraceState", "foo=1"}}, "foo=1"},
        StateCase{"OtherName", {{"trace-state", "foo=1"}}, ""},
        StateCase{"EmptyOneAfter", {{kTracestate, "foo=1"}, {kTracestate, ""}}, "foo=1"},
        StateCase{"EmptyOneBefore", {{kTracestate, ""}, {kTracestate, "foo=1"}}, "foo=1"},
        StateCase{"JoinedInOrder",
                  {{kTracestate, "foo=1,bar=2"},
                   {kTracestate, "rojo=1,congo=2"},
                   {"TRACESTATE", "baz=3"}},
                  "foo=1,bar=2,rojo=1,congo=2,baz=3"},
        StateCase{"SameKeyInTwo", {{kTracestate, "foo=1"}, {kTracestate, "foo=2"}}, "foo=1"},
        StateCase{"OneBadSpoilsAll", {{kTracestate, "foo=1"}, {kTracestate, "FOO=1"}}, ""},
        StateCase{"ThirtyTwo", {{kTracestate, ThirtyTwoMembers()}}, ThirtyTwoMembers()},
        StateCase{
            "ThirtyThree", {{kTracestate, ThirtyTwoMembers()}, {kTracestate, "one=more"}}, ""},
        StateCase{"LineEnd", {{kTracestate, "foo=1\r\nx: y"}}, ""},
        StateCase{"Nul", {{kTracestate, std::string("foo=\0", 5)}}, ""}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(TraceContextExtract, TracestateWithoutTraceparentIsDiscarded) {
  const Extracted extracted = Extract({"tracecontext"}, Entries{{"tracestate", "foo=1"}});
  EXPECT_FALSE(extracted.error);
  EXPECT_FALSE(extracted.found);
}

TEST(TraceContextExtract, TwoTraceparentsAreAnErrorEvenIfTheyAgree) {
  const Extracted extracted =
      Extract({"tracecontext"}, Entries{{"traceparent", kParent}, {"Traceparent", kParent}});
  EXPECT_EQ(extracted.error, opentracing::span_context_corrupted_error);
}

TEST(TraceContextExtract, NamesMatchInAnyCaseAndNoOthers) {
  for (const char* name : {"TraceParent", "TrAcEpArEnT", "TRACEPARENT"}) {
    EXPECT_TRUE(Extract({"tracecontext"}, Entries{{name, kParent}}).found) << name;
  }
  for (const char* name : {"trace-parent", "trace.parent", "traceparent ", "traceparen"}) {
    EXPECT_FALSE(Extract({"tracecontext"}, Entries{{name, kParent}}).found) << name;
  }
}

TEST(TraceContextExtract, TracestateBeyondItsLimitLosesWholeMembersFromTheRight) {
  std::string list = "a=1";
  while (list.size() < kMaxTracestateBytes)
    list += ",k" + std::to_string(list.size()) + "=" + std::string(250, 'v');
  const std::string kept = list.substr(0, list.rfind(','));
  ASSERT_LE(kept.size(), kMaxTracestateBytes);
  TestCarrier carrier{
      Entries{{"traceparent", kParent}, {"tracestate", list}, {"tracestate", "z=1"}}};
  EXPECT_EQ(Extract({"tracecontext"}, carrier).tracestate(), kept);
  carrier.supports_lookup = true;
  EXPECT_EQ(Extract({"tracecontext"}, carrier).tracestate(), kept);
}

TEST(TraceContextInject, WritesATracestateIfThereIsOne) {
  EXPECT_EQ(Inject("tracecontext", Sample(Decision::kAccept)), (Entries{{"traceparent", kParent}}));
  EXPECT_EQ(Inject("tracecontext", WithExtras(Sample(Decision::kAccept), {}, "foo=1,bar=2")),
            (Entries{{"traceparent", kParent}, {"tracestate", "foo=1,bar=2"}}));
}

TEST(TraceContextInject, WritesThirtyTwoDigitsOfAShortTraceId) {
  EXPECT_EQ(Inject("tracecontext", MakeContext(0, 0xab, 0xcd, 5, Decision::kAccept))[0].second,
            "00-000000000000000000000000000000ab-00000000000000cd-01");
}

TEST(TraceContextInject, FlagsSaySampledAndRandomAndNothingElse) {
  const auto flags = [](const Context& context) {
    return Inject("tracecontext", context)[0].second.substr(53);
  };
  EXPECT_EQ(flags(Sample(Decision::kDeferred)), "00");
  EXPECT_EQ(flags(Sample(Decision::kDeny)), "00");
  EXPECT_EQ(flags(Sample(Decision::kAccept)), "01");
  EXPECT_EQ(flags(Sample(Decision::kDebug)), "01");
  EXPECT_EQ(flags(Random(Sample(Decision::kDeny))), "02");
  EXPECT_EQ(flags(Random(Sample(Decision::kAccept))), "03");
}

TEST(TraceContextInject, WritesNothingWithoutIds) {
  EXPECT_EQ(Inject("tracecontext", MakeContext(0, 0, 0, 0, Decision::kDeny)), Entries{});
}

TEST(TraceContextInject, WhatWasExtractedIsInjectedAgain) {
  const Entries entries = {{"traceparent", "00-" + kTrace + "-" + kSpan + "-03"},
                           {"tracestate", "7db5663-0@dt=fw4;0;0;0,foo= leading"}};
  EXPECT_EQ(Inject("tracecontext", Extract({"tracecontext"}, entries).context), entries);
}

TEST(TraceContextInject, LaterVersionsGoOnAsVersionZero) {
  const Extracted extracted = Extract(
      {"tracecontext"}, Entries{{"traceparent", "cc-" + kTrace + "-" + kSpan + "-ff-more"}});
  EXPECT_EQ(Inject("tracecontext", extracted.context)[0].second,
            "00-" + kTrace + "-" + kSpan + "-03");
}

}  // namespace
}  // namespace tracekin::propagation
