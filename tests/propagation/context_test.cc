// SPDX-License-Identifier: Apache-2.0
#include "propagation/context.h"

#include <gtest/gtest.h>

#include <string>

namespace tracekin::propagation {
namespace {

using Extras = std::shared_ptr<const ContextExtras>;

TEST(Context, HasIdsOnlyIfBothOfThemAreThere) {
  Context context;
  EXPECT_FALSE(context.has_ids());
  context.trace_id_high = 1;
  EXPECT_FALSE(context.has_ids());
  context.span_id = 1;
  EXPECT_TRUE(context.has_ids());
  context.trace_id_high = 0;
  EXPECT_FALSE(context.has_ids());
}

TEST(Context, DebugIsSampled) {
  Context context;
  EXPECT_FALSE(context.sampled());
  context.decision = Decision::kDeny;
  EXPECT_FALSE(context.sampled());
  context.decision = Decision::kAccept;
  EXPECT_TRUE(context.sampled());
  context.decision = Decision::kDebug;
  EXPECT_TRUE(context.sampled());
}

TEST(Baggage, SettingAnItemLeavesTheSharedOriginalAlone) {
  const Extras first = WithBaggageItem(nullptr, "a", "1");
  const Extras second = WithBaggageItem(first, "b", "2");
  const Extras third = WithBaggageItem(second, "a", "3");
  EXPECT_EQ(first->baggage, (Baggage{{"a", "1"}}));
  EXPECT_EQ(second->baggage, (Baggage{{"a", "1"}, {"b", "2"}}));
  EXPECT_EQ(third->baggage, (Baggage{{"a", "3"}, {"b", "2"}}));
}

TEST(Baggage, SettingAnItemKeepsTheTracestate) {
  auto extras = std::make_shared<ContextExtras>();
  extras->tracestate = "vendor=1";
  EXPECT_EQ(WithBaggageItem(extras, "a", "1")->tracestate, "vendor=1");
}

TEST(Baggage, HoldsSixtyFourItems) {
  Extras extras;
  for (std::size_t i = 0; i < kMaxBaggageItems; ++i) {
    extras = WithBaggageItem(extras, "key" + std::to_string(i), "value");
  }
  ASSERT_EQ(extras->baggage.size(), kMaxBaggageItems);
  EXPECT_EQ(WithBaggageItem(extras, "one more", ""), extras);
  EXPECT_EQ(WithBaggageItem(extras, "key0", "changed")->baggage[0].second, "changed");
}

TEST(Baggage, Holds8192Bytes) {
  const Extras full = WithBaggageItem(nullptr, "k", std::string(kMaxBaggageBytes - 1, 'v'));
  ASSERT_NE(full, nullptr);
  EXPECT_EQ(WithBaggageItem(nullptr, "k", std::string(kMaxBaggageBytes, 'v')), nullptr);
  EXPECT_EQ(WithBaggageItem(full, "l", ""), full);
  EXPECT_EQ(WithBaggageItem(full, "k", std::string(kMaxBaggageBytes, 'v')), full);
  EXPECT_EQ(WithBaggageItem(full, "k", std::string(1 << 20, 'v')), full);
  EXPECT_EQ(WithBaggageItem(full, "k", "short")->baggage[0].second, "short");
}

TEST(Baggage, AddingKeepsTheItemThatIsThere) {
  Baggage baggage;
  EXPECT_TRUE(AddBaggageItem("a", "1", &baggage));
  EXPECT_FALSE(AddBaggageItem("a", "2", &baggage));
  EXPECT_EQ(baggage, (Baggage{{"a", "1"}}));
}

}  // namespace
}  // namespace tracekin::propagation
