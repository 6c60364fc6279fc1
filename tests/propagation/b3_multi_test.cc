// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "tests/propagation/carriers.h"

namespace tracekin::propagation {
namespace {

const std::string kTrace = "463ac35c9f6413ad48485a3953bb6124";
const std::string kSpan = "a2fb4a1d1a96d312";
const std::string kParent = "0020000000000001";

Context Sample(Decision decision) {
  return MakeContext(0x463ac35c9f6413ad, 0x48485a3953bb6124, 0xa2fb4a1d1a96d312, 0x0020000000000001,
                     decision);
}

TEST(B3MultiInject, WritesAllFieldsInLowerCase) {
  EXPECT_EQ(Inject("b3multi", Sample(Decision::kAccept)), (Entries{{"x-b3-traceid", kTrace},
                                                                   {"x-b3-spanid", kSpan},
                                                                   {"x-b3-parentspanid", kParent},
                                                                   {"x-b3-sampled", "1"},
                                                                   {"x-b3-flags", "0"}}));
}

TEST(B3MultiInject, WritesSixteenDigitsOfAShortTraceId) {
  EXPECT_EQ(Inject("b3multi", MakeContext(0, 0xab, 1, 0, Decision::kDeny))[0].second,
            "00000000000000ab");
}

TEST(B3MultiInject, OnlyTheKeyOfTheParentDependsOnTheContext) {
  for (const Decision decision : {Decision::kDeny, Decision::kAccept, Decision::kDebug}) {
    for (const std::uint64_t high : {0, 1}) {
      for (const std::uint64_t parent : {0, 1}) {
        std::vector<std::string> keys;
        for (const auto& entry : Inject("b3multi", MakeContext(high, 2, 3, parent, decision))) {
          keys.push_back(entry.first);
        }
        std::vector<std::string> expected = {"x-b3-traceid", "x-b3-spanid", "x-b3-sampled",
                                             "x-b3-flags"};
        if (parent != 0) expected.insert(expected.begin() + 2, "x-b3-parentspanid");
        EXPECT_EQ(keys, expected);
      }
    }
  }
}

TEST(B3MultiInject, DecisionsAreSampledAndFlags) {
  const auto written = [](Decision decision) {
    const Entries entries = Inject("b3multi", Sample(decision));
    return entries[3].second + entries[4].second;
  };
  EXPECT_EQ(written(Decision::kDeny), "00");
  EXPECT_EQ(written(Decision::kAccept), "10");
  EXPECT_EQ(written(Decision::kDebug), "11");
}

TEST(B3MultiInject, DeferredDecisionLeavesSampledOut) {
  EXPECT_EQ(Inject("b3multi", Sample(Decision::kDeferred)), (Entries{{"x-b3-traceid", kTrace},
                                                                     {"x-b3-spanid", kSpan},
                                                                     {"x-b3-parentspanid", kParent},
                                                                     {"x-b3-flags", "0"}}));
}

TEST(B3MultiInject, WithoutIdsOnlyTheDecisionIsWritten) {
  EXPECT_EQ(Inject("b3multi", MakeContext(0, 0, 0, 0, Decision::kDeny)),
            (Entries{{"x-b3-sampled", "0"}, {"x-b3-flags", "0"}}));
}

struct Case {
  const char* name;
  Entries entries;
  Context context;
};

class B3MultiFound : public testing::TestWithParam<Case> {};

TEST_P(B3MultiFound, ByIterationAndByLookup) {
  TestCarrier carrier{GetParam().entries};
  for (const bool lookup : {false, true}) {
    carrier.supports_lookup = lookup;
    const Extracted extracted = Extract({"b3multi"}, carrier);
    EXPECT_FALSE(extracted.error) << extracted.error.message();
    EXPECT_TRUE(extracted.found);
    EXPECT_EQ(extracted.context, GetParam().context);
  }
}

INSTANTIATE_TEST_SUITE_P(
    , B3MultiFound,
    testing::Values(
        Case{"Whole",
             {{"x-b3-traceid", kTrace},
              {"x-b3-spanid", kSpan},
              {"x-b3-parentspanid", kParent},
              {"x-b3-sampled", "1"},
              {"x-b3-flags", "0"}},
             Sample(Decision::kAccept)},
        Case{"SampledAbsentIsDeferred",
             {{"x-b3-traceid", kTrace}, {"x-b3-spanid", kSpan}, {"x-b3-parentspanid", kParent}},
             Sample(Decision::kDeferred)},
        Case{"Denied",
             {{"x-b3-traceid", "1"}, {"x-b3-spanid", "2"}, {"x-b3-sampled", "0"}},
             MakeContext(0, 1, 2, 0, Decision::kDeny)},
        Case{"SampledTrue",
             {{"x-b3-traceid", "1"}, {"x-b3-spanid", "2"}, {"x-b3-sampled", "True"}},
             MakeContext(0, 1, 2, 0, Decision::kAccept)},
        Case{"SampledFalse",
             {{"x-b3-traceid", "1"}, {"x-b3-spanid", "2"}, {"x-b3-sampled", "false"}},
             MakeContext(0, 1, 2, 0, Decision::kDeny)},
        Case{"FlagsAreDebug",
             {{"x-b3-traceid", "1"}, {"x-b3-spanid", "2"}, {"x-b3-flags", "1"}},
             MakeContext(0, 1, 2, 0, Decision::kDebug)},
        Case{"DebugImpliesAccept",
             {{"x-b3-traceid", "1"},
              {"x-b3-spanid", "2"},
              {"x-b3-sampled", "0"},
              {"x-b3-flags", "1"}},
             MakeContext(0, 1, 2, 0, Decision::kDebug)},
        Case{"OtherFlagsAreIgnored",
             {{"x-b3-traceid", "1"}, {"x-b3-spanid", "2"}, {"x-b3-flags", "11"}},
             MakeContext(0, 1, 2, 0, Decision::kDeferred)},
        Case{"EmptyFlagsAreIgnored",
             {{"x-b3-traceid", "1"}, {"x-b3-spanid", "2"}, {"x-b3-flags", ""}},
             MakeContext(0, 1, 2, 0, Decision::kDeferred)},
        Case{"UpperHalfMayBeShort",
             {{"x-b3-traceid", "a48485a3953bb6124"}, {"x-b3-spanid", "2"}},
             MakeContext(0xa, 0x48485a3953bb6124, 2, 0, Decision::kDeferred)},
        Case{"ZeroParentIsNone",
             {{"x-b3-traceid", "1"},
              {"x-b3-spanid", "2"},
              {"x-b3-parentspanid", "0000000000000000"}},
             MakeContext(0, 1, 2, 0, Decision::kDeferred)},
        Case{"AllBitsOfIdsAreKept",
             {{"x-b3-traceid", "ffffffffffffffffffffffffffffffff"},
              {"x-b3-spanid", "ffffffffffffffff"},
              {"x-b3-parentspanid", "8000000000000000"}},
             MakeContext(~0ULL, ~0ULL, ~0ULL, 1ULL << 63, Decision::kDeferred)},
        Case{"DecisionAlone", {{"x-b3-sampled", "0"}}, MakeContext(0, 0, 0, 0, Decision::kDeny)},
        Case{"DebugAlone", {{"x-b3-flags", "1"}}, MakeContext(0, 0, 0, 0, Decision::kDebug)},
        Case{"SpanIdWithoutTraceIdSaysNothing",
             {{"x-b3-spanid", "2"}, {"x-b3-sampled", "1"}},
             MakeContext(0, 0, 0, 0, Decision::kAccept)},
        Case{"FirstOfRepeatedKeysWins",
             {{"x-b3-traceid", "1"},
              {"x-b3-traceid", "9"},
              {"x-b3-spanid", "2"},
              {"x-b3-spanid", ""}},
             MakeContext(0, 1, 2, 0, Decision::kDeferred)}),
    [](const auto& test) { return std::string(test.param.name); });

class B3MultiCorrupted : public testing::TestWithParam<Entries> {};

TEST_P(B3MultiCorrupted, IsAnErrorAndNeverADenial) {
  TestCarrier carrier{GetParam()};
  for (const bool lookup : {false, true}) {
    carrier.supports_lookup = lookup;
    const Extracted extracted = Extract({"b3multi"}, carrier);
    EXPECT_EQ(extracted.error, opentracing::span_context_corrupted_error);
    EXPECT_EQ(extracted.context, Context{});
  }
}

INSTANTIATE_TEST_SUITE_P(
    , B3MultiCorrupted,
    testing::Values(
        Entries{{"x-b3-traceid", "1"}}, Entries{{"x-b3-traceid", "1"}, {"x-b3-sampled", "1"}},
        Entries{{"x-b3-traceid", "1"}, {"x-b3-traceid", "1"}, {"x-b3-parentspanid", "1"}},
        Entries{{"x-b3-traceid", ""}, {"x-b3-spanid", "2"}},
        Entries{{"x-b3-traceid", "-"}, {"x-b3-spanid", "2"}},
        Entries{{"x-b3-traceid", "0"}, {"x-b3-spanid", "2"}},
        Entries{{"x-b3-traceid", std::string(32, '0')}, {"x-b3-spanid", "2"}},
        Entries{{"x-b3-traceid", "463AC35C9F6413AD"}, {"x-b3-spanid", "2"}},
        Entries{{"x-b3-traceid", "0x1"}, {"x-b3-spanid", "2"}},
        Entries{{"x-b3-traceid", std::string(33, '1')}, {"x-b3-spanid", "2"}},
        Entries{{"x-b3-traceid", std::string(1 << 20, '1')}, {"x-b3-spanid", "2"}},
        Entries{{"x-b3-traceid", std::string("1\0", 2)}, {"x-b3-spanid", "2"}},
        Entries{{"x-b3-traceid", "1\r\n"}, {"x-b3-spanid", "2"}},
        Entries{{"x-b3-traceid", "1"}, {"x-b3-spanid", ""}},
        Entries{{"x-b3-traceid", "1"}, {"x-b3-spanid", "0"}},
        Entries{{"x-b3-traceid", "1"}, {"x-b3-spanid", "-"}},
        Entries{{"x-b3-traceid", "1"}, {"x-b3-spanid", "g"}},
        Entries{{"x-b3-traceid", "1"}, {"x-b3-spanid", std::string(17, '1')}},
        Entries{{"x-b3-traceid", "1"}, {"x-b3-spanid", "2"}, {"x-b3-parentspanid", ""}},
        Entries{{"x-b3-traceid", "1"}, {"x-b3-spanid", "2"}, {"x-b3-parentspanid", "x"}},
        Entries{{"x-b3-traceid", "1"}, {"x-b3-spanid", "2"}, {"x-b3-sampled", ""}},
        Entries{{"x-b3-traceid", "1"}, {"x-b3-spanid", "2"}, {"x-b3-sampled", "2"}},
        Entries{{"x-b3-traceid", "1"}, {"x-b3-spanid", "2"}, {"x-b3-sampled", "d"}},
        Entries{{"x-b3-traceid", "1"}, {"x-b3-spanid", "2"}, {"x-b3-sampled", "falsehood"}},
        Entries{{"x-b3-sampled", "-"}}, Entries{{"x-b3-sampled", "no"}, {"x-b3-flags", "1"}}));

TEST(B3MultiExtract, NothingIsFoundWithoutTraceIdAndDecision) {
  for (const Entries& entries : {Entries{}, Entries{{"host", "example"}},
                                 Entries{{"x-b3-parentspanid", "1"}}, Entries{{"x-b3-spanid", "1"}},
                                 Entries{{"x-b3-flags", "0"}}, Entries{{"xb3traceid", "1"}}}) {
    const Extracted extracted = Extract({"b3multi"}, entries);
    EXPECT_FALSE(extracted.error);
    EXPECT_FALSE(extracted.found);
  }
}

TEST(B3MultiExtract, KeysMatchInAnyCase) {
  const Extracted extracted = Extract(
      {"b3multi"}, Entries{{"X-B3-TraceId", "1"}, {"X-B3-SPANID", "2"}, {"x-B3-sampleD", "1"}});
  EXPECT_EQ(extracted.context, MakeContext(0, 1, 2, 0, Decision::kAccept));
}

TEST(B3MultiExtract, WhatWasExtractedIsInjectedAgain) {
  for (const Decision decision :
       {Decision::kDeferred, Decision::kDeny, Decision::kAccept, Decision::kDebug}) {
    for (const std::uint64_t parent : {0, 5}) {
      const Entries entries = Inject("b3multi", MakeContext(7, 8, 9, parent, decision));
      const Extracted extracted = Extract({"b3multi"}, entries);
      EXPECT_EQ(Inject("b3multi", extracted.context), entries);
    }
  }
}

}  // namespace
}  // namespace tracekin::propagation
