// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "tests/propagation/carriers.h"

namespace tracekin::propagation {
namespace {

struct Case {
  const char* name;
  std::string header;
  Context context;
};

class UberTraceId : public testing::TestWithParam<Case> {};

TEST_P(UberTraceId, IsFound) {
  TestCarrier carrier{Entries{{"uber-trace-id", GetParam().header}}};
  for (const bool lookup : {false, true}) {
    carrier.supports_lookup = lookup;
    const Extracted extracted = Extract({"jaeger"}, carrier);
    EXPECT_FALSE(extracted.error) << extracted.error.message();
    EXPECT_TRUE(extracted.found);
    EXPECT_EQ(extracted.context, GetParam().context);
  }
}

INSTANTIATE_TEST_SUITE_P(
    , UberTraceId,
    testing::Values(
        Case{"Shortest", "1:2:0:1", MakeContext(0, 1, 2, 0, Decision::kAccept)},
        Case{"VariableLength", "abc:12345:f:1",
             MakeContext(0, 0xabc, 0x12345, 0xf, Decision::kAccept)},
        Case{"LongTraceId", "80f198ee56343ba864fe8b2a57d3eff7:e457b5a2e4d86bd1:05e3ac9a4f6e3b90:1",
             MakeContext(0x80f198ee56343ba8, 0x64fe8b2a57d3eff7, 0xe457b5a2e4d86bd1,
                         0x05e3ac9a4f6e3b90, Decision::kAccept)},
        Case{"SeventeenDigits", "10000000000000000:2:0:1",
             MakeContext(1, 0, 2, 0, Decision::kAccept)},
        Case{"UpperCase", "ABC:DEF:A:1", MakeContext(0, 0xabc, 0xdef, 0xa, Decision::kAccept)},
        Case{"NotSampled", "1:2:0:0", MakeContext(0, 1, 2, 0, Decision::kDeny)},
        Case{"Debug", "1:2:0:3", MakeContext(0, 1, 2, 0, Decision::kDebug)},
        Case{"DebugWithoutSampled", "1:2:0:2", MakeContext(0, 1, 2, 0, Decision::kDeny)},
        Case{"Firehose", "1:2:0:9", MakeContext(0, 1, 2, 0, Decision::kAccept)},
        Case{"TwoDigitFlags", "1:2:0:01", MakeContext(0, 1, 2, 0, Decision::kAccept)},
        Case{"UnknownFlags", "1:2:0:F1", MakeContext(0, 1, 2, 0, Decision::kAccept)},
        Case{"PercentEncoded", "1%3A2%3a0%3A1", MakeContext(0, 1, 2, 0, Decision::kAccept)}),
    [](const auto& test) { return std::string(test.param.name); });

class UberTraceIdCorrupted : public testing::TestWithParam<std::string> {};

TEST_P(UberTraceIdCorrupted, IsAnError) {
  const Extracted extracted = Extract({"jaeger"}, Entries{{"uber-trace-id", GetParam()}});
  EXPECT_EQ(extracted.error, opentracing::span_context_corrupted_error);
  EXPECT_EQ(extracted.context, Context{});
}

INSTANTIATE_TEST_SUITE_P(
    , UberTraceIdCorrupted,
    testing::Values("", ":", ":::", "1:2:0", "1:2:0:", "1:2:0:1:", "1:2:0:1:1", "1:2::1", ":2:0:1",
                    "1::0:1", "0:2:0:1", "1:0:0:1", std::string(32, '0') + ":2:0:1",
                    std::string(33, '1') + ":2:0:1", "1:" + std::string(17, '1') + ":0:1",
                    "1:2:" + std::string(17, '1') + ":1", "1:2:0:001", "1:2:0:x", "g:2:0:1",
                    "-1:2:0:1", "0x1:2:0:1", " 1:2:0:1", "1:2:0:1 ", "1%3A2%3A0%3", "1%2:2:0:1",
                    "1:2:0:1\r\n", std::string("1:2:0:\0", 7), std::string(1 << 20, ':'),
                    std::string(1 << 20, '1'), std::string(1 << 20, '%')));

TEST(JaegerExtract, ItemsAreBaggage) {
  const Entries entries = {{"uberctx-user", "Am%C3%A9lie+x%2B"},
                           {"uber-trace-id", "1:2:0:1"},
                           {"Uberctx-Tenant-ID", "7"},
                           {"uberctx-user", "second"},
                           {"uberctx-", "no key"},
                           {"uberctx", "no prefix"}};
  EXPECT_EQ(Extract({"jaeger"}, entries).baggage(),
            (Baggage{{"user", "Am\xC3\xA9lie x+"}, {"tenant-id", "7"}}));
}

TEST(JaegerExtract, ItemsAloneAreAContextWithoutIds) {
  const Extracted extracted = Extract({"jaeger"}, Entries{{"uberctx-a", "1"}});
  EXPECT_TRUE(extracted.found);
  EXPECT_FALSE(extracted.context.has_ids());
}

TEST(JaegerExtract, ItemsAreBounded) {
  Entries many;
  for (int i = 0; i < 100; ++i) many.emplace_back("uberctx-k" + std::to_string(i), "v");
  EXPECT_EQ(Extract({"jaeger"}, many).baggage().size(), kMaxBaggageItems);
  const Entries large = {{"uberctx-" + std::string(1 << 20, 'k'), "v"},
                         {"uberctx-a", std::string(1 << 20, 'v')},
                         {"uberctx-b", "2"}};
  EXPECT_EQ(Extract({"jaeger"}, large).baggage(), (Baggage{{"b", "2"}}));
}

TEST(JaegerExtract, LookupCarrierIsIteratedForItemsOnlyIfThereIsATraceId) {
  TestCarrier carrier{Entries{{"uberctx-a", "1"}, {"x-b3-traceid", "1"}, {"x-b3-spanid", "2"}}};
  carrier.supports_lookup = true;
  EXPECT_EQ(Extract({"b3multi", "jaeger"}, carrier).baggage(), Baggage{});
  EXPECT_EQ(carrier.iterations, 0);
  carrier.entries.emplace_back("uber-trace-id", "3:4:0:1");
  const Extracted extracted = Extract({"b3multi", "jaeger"}, carrier);
  EXPECT_EQ(extracted.baggage(), (Baggage{{"a", "1"}}));
  EXPECT_EQ(extracted.context.trace_id_low, 1U);
  EXPECT_EQ(carrier.iterations, 1);
}

TEST(JaegerExtract, DebugIdForcesANewTraceToBeSampled) {
  const Extracted extracted =
      Extract({"jaeger"}, Entries{{"jaeger-debug-id", "curl from my desk"}});
  EXPECT_TRUE(extracted.found);
  EXPECT_EQ(extracted.context, MakeContext(0, 0, 0, 0, Decision::kDebug));
}

TEST(JaegerExtract, DebugIdDoesNotChangeATraceThatGoesOn) {
  EXPECT_EQ(
      Extract({"jaeger"}, Entries{{"jaeger-debug-id", "x"}, {"uber-trace-id", "1:2:0:0"}}).context,
      MakeContext(0, 1, 2, 0, Decision::kDeny));
}

TEST(JaegerExtract, BaggageListIsReadToo) {
  EXPECT_EQ(Extract({"jaeger"}, Entries{{"jaeger-baggage", "k1=v1, k2=v2,bad"}}).baggage(),
            (Baggage{{"k1", "v1"}, {"k2", "v2"}}));
}

TEST(JaegerInject, WritesFixedLengths) {
  EXPECT_EQ(Inject("jaeger", MakeContext(0, 0xab, 0xcd, 0, Decision::kAccept)),
            (Entries{{"uber-trace-id", "00000000000000ab:00000000000000cd:0000000000000000:1"}}));
  EXPECT_EQ(Inject("jaeger", MakeContext(1, 0xab, 0xcd, 0xef, Decision::kAccept))[0].second,
            "000000000000000100000000000000ab:00000000000000cd:00000000000000ef:1");
}

TEST(JaegerInject, DecisionsAreFlags) {
  const auto flags = [](Decision decision) {
    return Inject("jaeger", MakeContext(0, 1, 2, 0, decision))[0].second.substr(51);
  };
  EXPECT_EQ(flags(Decision::kDeferred), "0");
  EXPECT_EQ(flags(Decision::kDeny), "0");
  EXPECT_EQ(flags(Decision::kAccept), "1");
  EXPECT_EQ(flags(Decision::kDebug), "3");
}

TEST(JaegerInject, WritesEachItemThatAHeaderCanCarry) {
  const Context context =
      WithExtras(MakeContext(0, 1, 2, 0, Decision::kAccept), {{"User", "a b+\r\n\xC3\xBC"},
                                                              {"", "1"},
                                                              {"a b", "1"},
                                                              {"a\r\nb", "1"},
                                                              {"a:b", "1"},
                                                              {"c", ""}});
  const Entries entries = Inject("jaeger", context);
  EXPECT_EQ(Entries(entries.begin() + 1, entries.end()),
            (Entries{{"uberctx-user", "a%20b%2B%0D%0A%C3%BC"}, {"uberctx-c", ""}}));
}

TEST(JaegerInject, SetsNoKeyTwice) {
  const Context context = WithExtras(Context{}, {{"User", "1"}, {"user", "2"}, {"USER", "3"}});
  EXPECT_EQ(Inject("jaeger", context), (Entries{{"uberctx-user", "1"}}));
}

TEST(JaegerInject, WithoutIdsOnlyItemsAreWritten) {
  EXPECT_EQ(Inject("jaeger", Context{}), Entries{});
  EXPECT_EQ(Inject("jaeger", WithExtras(Context{}, {{"a", "1"}})), (Entries{{"uberctx-a", "1"}}));
}

TEST(JaegerInject, WhatWasExtractedIsInjectedAgain) {
  for (const Decision decision : {Decision::kDeny, Decision::kAccept, Decision::kDebug}) {
    const Entries entries =
        Inject("jaeger", WithExtras(MakeContext(7, 8, 9, 10, decision), {{"a", "1 2"}, {"b", ""}}));
    EXPECT_EQ(Inject("jaeger", Extract({"jaeger"}, entries).context), entries);
  }
}

}  // namespace
}  // namespace tracekin::propagation
