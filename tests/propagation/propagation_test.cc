// SPDX-License-Identifier: Apache-2.0
#include "propagation/propagation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

#include "tests/propagation/carriers.h"

namespace tracekin::propagation {
namespace {

const std::vector<std::string> kAll = {"b3", "b3multi", "tracecontext", "jaeger", "baggage"};
const std::string kTraceparent = "00-000000000000000000000000000000aa-00000000000000bb-01";

TEST(MakePropagator, MakesEveryFormatThatIsNamed) {
  EXPECT_THAT(PropagatorNames(),
              testing::ElementsAre("b3", "b3multi", "tracecontext", "baggage", "jaeger"));
  for (const std::string_view name : PropagatorNames()) EXPECT_NE(MakePropagator(name), nullptr);
  EXPECT_EQ(MakePropagator("B3"), nullptr);
  EXPECT_EQ(MakePropagator(""), nullptr);
}

TEST(MakePropagation, NamesTheListAndTheFormatThatIsWrong) {
  std::string error;
  EXPECT_EQ(Propagation::Make({"b3", "zipkin"}, {"b3"}, &error), nullptr);
  EXPECT_EQ(error,
            "propagation.inject: \"zipkin\" is not a known format; known formats: b3 b3multi "
            "tracecontext baggage jaeger");
  EXPECT_EQ(Propagation::Make({"b3"}, {"b3", "jaeger", "b3"}, &error), nullptr);
  EXPECT_EQ(error, "propagation.extract: \"b3\" is listed twice");
}

TEST(MakePropagation, EmptyListsAreAllowed) {
  std::string error;
  const auto propagation = Propagation::Make({}, {}, &error);
  ASSERT_NE(propagation, nullptr);
  TestCarrier carrier;
  EXPECT_TRUE(propagation->Inject(MakeContext(0, 1, 2, 0, Decision::kAccept), carrier));
  EXPECT_TRUE(carrier.entries.empty());
  carrier.entries = {{"b3", "1"}};
  Context context;
  const auto found = propagation->Extract(carrier, &context);
  ASSERT_TRUE(found);
  EXPECT_FALSE(*found);
}

TEST(PropagationInject, WritesEveryFormatInOrder) {
  TestCarrier carrier;
  const Context context =
      WithExtras(MakeContext(0, 0xaa, 0xbb, 0, Decision::kAccept), {{"k", "v"}}, "vendor=1");
  ASSERT_TRUE(
      MakePropagation({"tracecontext", "b3", "baggage", "jaeger"})->Inject(context, carrier));
  EXPECT_EQ(carrier.entries,
            (Entries{{"traceparent", kTraceparent},
                     {"tracestate", "vendor=1"},
                     {"b3", "00000000000000aa-00000000000000bb-1"},
                     {"baggage", "k=v"},
                     {"uber-trace-id", "00000000000000aa:00000000000000bb:0000000000000000:1"},
                     {"uberctx-k", "v"}}));
}

// nginx forwards only the keys that a root span without baggage wrote at start-up. The others need
// no key then.
TEST(PropagationInject, KeysDependOnlyOnParentTracestateAndBaggage) {
  const auto propagation = MakePropagation({"b3", "b3multi", "tracecontext", "baggage"});
  std::set<std::set<std::string>> seen;
  for (const Decision decision : {Decision::kDeny, Decision::kAccept, Decision::kDebug}) {
    for (const std::uint64_t parent : {0, 5}) {
      for (const bool extras : {false, true}) {
        Context context = MakeContext(parent, 1, 2, parent, decision);
        if (extras) context = WithExtras(context, {{"k", "v"}}, "vendor=1");
        TestCarrier carrier;
        ASSERT_TRUE(propagation->Inject(context, carrier));
        std::set<std::string> keys;
        for (const auto& entry : carrier.entries) EXPECT_TRUE(keys.insert(entry.first).second);
        EXPECT_EQ(keys.erase("x-b3-parentspanid"), parent != 0 ? 1U : 0U);
        EXPECT_EQ(keys.erase("tracestate"), extras ? 1U : 0U);
        EXPECT_EQ(keys.erase("baggage"), extras ? 1U : 0U);
        seen.insert(keys);
      }
    }
  }
  EXPECT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen.begin()->size(), 6U);
}

TEST(PropagationInject, ErrorOfTheCarrierIsReturned) {
  TestCarrier carrier;
  carrier.set_error = std::make_error_code(std::errc::no_buffer_space);
  const Context context = WithExtras(MakeContext(0, 1, 2, 0, Decision::kAccept), {{"k", "v"}});
  for (const std::string& format : kAll) {
    const auto done = MakePropagation({format})->Inject(context, carrier);
    ASSERT_FALSE(done) << format;
    EXPECT_EQ(done.error(), std::errc::no_buffer_space);
  }
}

TEST(PropagationInject, NothingThatTheCarrierThrowsEscapes) {
  TestCarrier carrier;
  carrier.throws = true;
  const auto done =
      MakePropagation(kAll)->Inject(MakeContext(0, 1, 2, 0, Decision::kAccept), carrier);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error(), std::errc::io_error);
}

TEST(PropagationExtract, NothingThatTheCarrierThrowsEscapes) {
  TestCarrier carrier;
  carrier.throws = true;
  EXPECT_EQ(Extract(kAll, carrier).error, std::errc::io_error);
}

struct ThrowsANumber : TestCarrier {
  opentracing::expected<void> Set(opentracing::string_view,
                                  opentracing::string_view) const override {
    throw 1;
  }
  opentracing::expected<opentracing::string_view> LookupKey(
      opentracing::string_view) const override {
    throw 1;
  }
};

TEST(Propagation, WhatIsThrownThatIsNoStandardExceptionEscapesNoMore) {
  const ThrowsANumber carrier;
  const auto propagation = MakePropagation(kAll);
  Context context = MakeContext(0, 1, 2, 0, Decision::kAccept);
  const auto injected = propagation->Inject(context, carrier);
  ASSERT_FALSE(injected);
  EXPECT_EQ(injected.error(), std::errc::io_error);
  const auto extracted = propagation->Extract(carrier, &context);
  ASSERT_FALSE(extracted);
  EXPECT_EQ(extracted.error(), std::errc::io_error);
}

TEST(PropagationExtract, ErrorOfTheCarrierIsReturned) {
  TestCarrier carrier;
  carrier.lookup_error = std::make_error_code(std::errc::connection_reset);
  EXPECT_EQ(Extract(kAll, carrier).error, std::errc::connection_reset);
  carrier.lookup_error = {};
  carrier.entries = {{"b3", "1"}};
  carrier.foreach_error = std::make_error_code(std::errc::broken_pipe);
  EXPECT_EQ(Extract(kAll, carrier).error, std::errc::broken_pipe);
}

TEST(PropagationExtract, EmptyCarrierHoldsNothing) {
  TestCarrier carrier;
  for (const bool lookup : {false, true}) {
    carrier.supports_lookup = lookup;
    const Extracted extracted = Extract(kAll, carrier);
    EXPECT_FALSE(extracted.error);
    EXPECT_FALSE(extracted.found);
  }
}

TEST(PropagationExtract, FirstFormatWithIdsGivesThemAndTheDecision) {
  const Entries entries = {{"traceparent", kTraceparent},
                           {"x-b3-traceid", "1"},
                           {"x-b3-spanid", "2"},
                           {"x-b3-sampled", "0"}};
  EXPECT_EQ(Extract({"b3multi", "tracecontext"}, entries).context,
            MakeContext(0, 1, 2, 0, Decision::kDeny));
  EXPECT_EQ(Extract({"tracecontext", "b3multi"}, entries).context,
            MakeContext(0, 0xaa, 0xbb, 0, Decision::kAccept));
}

TEST(PropagationExtract, CorruptedFormatIsPassedOver) {
  const Entries entries = {{"b3", "garbage"}, {"x-b3-traceid", "?"}, {"traceparent", kTraceparent}};
  EXPECT_EQ(Extract(kAll, entries).context, MakeContext(0, 0xaa, 0xbb, 0, Decision::kAccept));
}

TEST(PropagationExtract, CorruptedFormatIsAnErrorIfNoOtherIsValid) {
  EXPECT_EQ(Extract(kAll, Entries{{"traceparent", "garbage"}}).error,
            opentracing::span_context_corrupted_error);
  EXPECT_EQ(Extract(kAll, Entries{{"b3", "garbage"}, {"baggage", "a=1"}}).error,
            opentracing::span_context_corrupted_error);
}

TEST(PropagationExtract, DecisionAloneIsFound) {
  EXPECT_EQ(Extract(kAll, Entries{{"b3", "0"}}).context, MakeContext(0, 0, 0, 0, Decision::kDeny));
  EXPECT_EQ(Extract(kAll, Entries{{"x-b3-sampled", "0"}, {"b3", "garbage"}}).context,
            MakeContext(0, 0, 0, 0, Decision::kDeny));
}

TEST(PropagationExtract, DecisionOfAnEarlierFormatGoesWithIdsOfALaterOne) {
  EXPECT_EQ(Extract(kAll, Entries{{"b3", "0"}, {"traceparent", kTraceparent}}).context,
            MakeContext(0, 0xaa, 0xbb, 0, Decision::kDeny));
  EXPECT_EQ(Extract(kAll, Entries{{"x-b3-flags", "1"}, {"traceparent", kTraceparent}}).context,
            MakeContext(0, 0xaa, 0xbb, 0, Decision::kDebug));
}

TEST(PropagationExtract, TracestateIsKeptOnlyWithItsTraceparent) {
  const Entries entries = {{"x-b3-traceid", "1"},
                           {"x-b3-spanid", "2"},
                           {"traceparent", kTraceparent},
                           {"tracestate", "vendor=1"}};
  EXPECT_EQ(Extract({"tracecontext", "b3multi"}, entries).tracestate(), "vendor=1");
  EXPECT_EQ(Extract({"b3multi", "tracecontext"}, entries).tracestate(), "");
}

TEST(PropagationExtract, BaggageIsAddedWhateverFormatGaveTheIds) {
  const Entries entries = {{"baggage", "a=1,b=2"},
                           {"b3", "0000000000000001-0000000000000002-1"},
                           {"uberctx-b", "3"},
                           {"uberctx-c", "4"},
                           {"traceparent", "bad"}};
  const Extracted extracted = Extract({"b3", "tracecontext", "baggage", "jaeger"}, entries);
  EXPECT_EQ(extracted.context.trace_id_low, 1U);
  EXPECT_EQ(extracted.baggage(), (Baggage{{"a", "1"}, {"b", "2"}, {"c", "4"}}));
}

TEST(PropagationExtract, OfTwoFormatsThatCarryAKeyTheFirstWins) {
  const Entries entries = {{"baggage", "a=1"}, {"uberctx-a", "2"}};
  EXPECT_EQ(Extract({"baggage", "jaeger"}, entries).baggage(), (Baggage{{"a", "1"}}));
  EXPECT_EQ(Extract({"jaeger", "baggage"}, entries).baggage(), (Baggage{{"a", "2"}}));
}

TEST(PropagationExtract, CorruptedBaggageNeverFailsIt) {
  const Entries entries = {{"b3", "0000000000000001-0000000000000002-1"},
                           {"baggage", std::string(1 << 20, '=') + ",\xFF,a=1\r\n,;;;"},
                           {"uberctx-x", std::string(1 << 20, '%')}};
  const Extracted extracted = Extract(kAll, entries);
  EXPECT_TRUE(extracted.found);
  EXPECT_EQ(extracted.context, MakeContext(0, 1, 2, 0, Decision::kAccept));
}

TEST(PropagationExtract, LookupCarrierIsNeverIterated) {
  TestCarrier carrier{Entries{{"b3", "0000000000000001-0000000000000002-1"}, {"baggage", "a=1"}}};
  carrier.supports_lookup = true;
  const Extracted extracted = Extract(kAll, carrier);
  EXPECT_TRUE(extracted.found);
  EXPECT_EQ(extracted.baggage(), (Baggage{{"a", "1"}}));
  EXPECT_EQ(carrier.iterations, 0);
}

// Iterating for Jaeger's items does not change how later formats query the carrier.
TEST(PropagationExtract, OrderOfFormatsDoesNotDecideWhichLinesOfALookupCarrierAreRead) {
  TestCarrier carrier{Entries{{"uber-trace-id", "1:2:0:1"},
                              {"baggage", "a=1"},
                              {"baggage", "b=2"},
                              {"BAGGAGE", "c=3"},
                              {"uberctx-d", "4"}}};
  carrier.supports_lookup = true;
  EXPECT_EQ(Extract({"baggage", "jaeger"}, carrier).baggage(), (Baggage{{"a", "1"}, {"d", "4"}}));
  EXPECT_EQ(Extract({"jaeger", "baggage"}, carrier).baggage(), (Baggage{{"d", "4"}, {"a", "1"}}));
}

TEST(PropagationExtract, OtherCarriersAreIteratedOnce) {
  TestCarrier carrier{
      Entries{{"uber-trace-id", "1:2:0:1"}, {"baggage", "a=1"}, {"uberctx-b", "2"}}};
  EXPECT_EQ(Extract(kAll, carrier).baggage(), (Baggage{{"b", "2"}, {"a", "1"}}));
  EXPECT_EQ(carrier.iterations, 1);
  EXPECT_EQ(carrier.lookups, 1);
}

TEST(PropagationExtract, HostileHeadersCostNothingButTime) {
  Entries entries;
  for (int i = 0; i < 100000; ++i)
    entries.emplace_back("tracestate", "k" + std::to_string(i) + "=v");
  entries.emplace_back("baggage", std::string(1 << 20, 'a'));
  entries.emplace_back("uber-trace-id", std::string(1 << 20, ':'));
  entries.emplace_back("x-b3-traceid", std::string(1 << 20, '0'));
  entries.emplace_back("traceparent", kTraceparent);
  const Extracted extracted = Extract(kAll, entries);
  EXPECT_EQ(extracted.context, MakeContext(0, 0xaa, 0xbb, 0, Decision::kAccept));
}

TEST(PropagationExtract, WhatWasExtractedIsInjectedAgain) {
  for (const bool lookup : {false, true}) {
    TestCarrier first;
    const Context context = WithExtras(MakeContext(3, 4, 5, 6, Decision::kDebug),
                                       {{"k", "v w"}, {"l", ""}}, "vendor=1");
    ASSERT_TRUE(MakePropagation({"tracecontext", "b3", "baggage"})->Inject(context, first));
    first.supports_lookup = lookup;
    const Extracted extracted = Extract({"b3", "tracecontext", "baggage"}, first);
    TestCarrier second;
    ASSERT_TRUE(
        MakePropagation({"tracecontext", "b3", "baggage"})->Inject(extracted.context, second));
    first.entries.erase(first.entries.begin() + 1);  // b3 gave the ids, so there is no tracestate
    EXPECT_EQ(second.entries, first.entries);
  }
}

}  // namespace
}  // namespace tracekin::propagation
