// SPDX-License-Identifier: Apache-2.0
// Tests that baggage can be set, read, overwritten and merged from references, and that it is
// bounded.

#include <gtest/gtest.h>
#include <opentracing/noop.h>

#include <map>
#include <string>

#include "tests/support/recording_tracer.h"

namespace tracekin::testing {
namespace {

using opentracing::ChildOf;
using opentracing::FollowsFrom;
using Items = std::map<std::string, std::string>;

Items ItemsOf(const opentracing::SpanContext& context) {
  Items items;
  context.ForeachBaggageItem([&](const std::string& key, const std::string& value) {
    EXPECT_TRUE(items.emplace(key, value).second) << key << " comes twice";
    return true;
  });
  return items;
}

class BaggageOfSpans : public ::testing::Test {
 protected:
  RecordingTracer tracer_;
  std::unique_ptr<opentracing::Span> span_ = tracer_->StartSpan("a");
};

TEST_F(BaggageOfSpans, IsEmptyAtFirst) {
  EXPECT_EQ(span_->BaggageItem("key"), "");
  EXPECT_EQ(span_->BaggageItem(""), "");
  EXPECT_EQ(ItemsOf(span_->context()), Items{});
}

TEST_F(BaggageOfSpans, IsSetAndOverwritten) {
  span_->SetBaggageItem("key", "first");
  span_->SetBaggageItem("other", "kept");
  span_->SetBaggageItem("key", "second");
  EXPECT_EQ(span_->BaggageItem("key"), "second");
  EXPECT_EQ(ItemsOf(span_->context()), (Items{{"key", "second"}, {"other", "kept"}}));
}

TEST_F(BaggageOfSpans, KeepsEmptyValuesAndAnyBytes) {
  const std::string bytes("\0\xff\n", 3);
  span_->SetBaggageItem("empty", "");
  span_->SetBaggageItem(bytes, bytes);
  EXPECT_EQ(ItemsOf(span_->context()), (Items{{"empty", ""}, {bytes, bytes}}));
}

TEST_F(BaggageOfSpans, VisitEndsWhenTheVisitorSaysSo) {
  for (const char* key : {"a", "b", "c"}) span_->SetBaggageItem(key, "1");
  int visited = 0;
  span_->context().ForeachBaggageItem([&](const std::string&, const std::string&) {
    ++visited;
    return visited < 2;
  });
  EXPECT_EQ(visited, 2);
}

TEST_F(BaggageOfSpans, MayBeChangedWhileItIsVisited) {
  span_->SetBaggageItem("a", "1");
  span_->SetBaggageItem("b", "2");
  int visited = 0;
  span_->context().ForeachBaggageItem([&](const std::string& key, const std::string&) {
    ++visited;
    span_->SetBaggageItem(key + key, "more");
    return true;
  });
  EXPECT_EQ(visited, 2);
  EXPECT_EQ(ItemsOf(span_->context()).size(), 4u);
}

TEST_F(BaggageOfSpans, PropagatesToLaterChildrenOnly) {
  const auto before = tracer_->StartSpan("before", {ChildOf(&span_->context())});
  span_->SetBaggageItem("key", "value");
  const auto after = tracer_->StartSpan("after", {FollowsFrom(&span_->context())});
  after->SetBaggageItem("key", "the child's own");
  EXPECT_EQ(before->BaggageItem("key"), "");
  EXPECT_EQ(after->BaggageItem("key"), "the child's own");
  EXPECT_EQ(span_->BaggageItem("key"), "value");
}

TEST_F(BaggageOfSpans, IsMergedFromAllReferences) {
  const auto b = tracer_->StartSpan("b");
  const auto c = tracer_->StartSpan("c");
  const auto foreign = opentracing::MakeNoopTracer()->StartSpan("foreign");
  span_->SetBaggageItem("a", "1");
  span_->SetBaggageItem("both", "of the FollowsFrom");
  b->SetBaggageItem("b", "2");
  b->SetBaggageItem("both", "of the parent");
  const auto child =
      tracer_->StartSpan("child", {FollowsFrom(&span_->context()), ChildOf(&foreign->context()),
                                   ChildOf(&b->context()), ChildOf(&c->context())});
  EXPECT_EQ(ItemsOf(child->context()), (Items{{"a", "1"}, {"b", "2"}, {"both", "of the parent"}}));
}

TEST_F(BaggageOfSpans, OfAnUnsampledSpanPropagatesToo) {
  span_->SetTag("sampling.priority", 0);
  span_->SetBaggageItem("key", "value");
  EXPECT_EQ(tracer_->StartSpan("b", {ChildOf(&span_->context())})->BaggageItem("key"), "value");
}

TEST_F(BaggageOfSpans, IsBoundedInItems) {
  for (std::size_t i = 0; i < 2 * propagation::kMaxBaggageItems; ++i) {
    span_->SetBaggageItem(std::to_string(i), "value");
  }
  const Items items = ItemsOf(span_->context());
  EXPECT_EQ(items.size(), propagation::kMaxBaggageItems);
  EXPECT_EQ(items.count("0"), 1u);
  span_->SetBaggageItem("0", "changed");  // an existing item may still be changed
  EXPECT_EQ(span_->BaggageItem("0"), "changed");
}

TEST_F(BaggageOfSpans, IsBoundedInBytes) {
  span_->SetBaggageItem("huge", std::string(1 << 20, 'x'));
  span_->SetBaggageItem(std::string(1 << 20, 'k'), "");
  EXPECT_EQ(ItemsOf(span_->context()), Items{});
  span_->SetBaggageItem("k", std::string(propagation::kMaxBaggageBytes - 1, 'x'));
  EXPECT_EQ(span_->BaggageItem("k").size(), propagation::kMaxBaggageBytes - 1);
  span_->SetBaggageItem("l", "");
  span_->SetBaggageItem("k", std::string(propagation::kMaxBaggageBytes, 'y'));
  EXPECT_EQ(ItemsOf(span_->context()),
            (Items{{"k", std::string(propagation::kMaxBaggageBytes - 1, 'x')}}));
}

TEST_F(BaggageOfSpans, IsBoundedWhenItIsMerged) {
  const auto b = tracer_->StartSpan("b");
  span_->SetBaggageItem("a", std::string(5000, 'x'));
  b->SetBaggageItem("b", std::string(5000, 'x'));
  b->SetBaggageItem("c", "fits");
  const auto child =
      tracer_->StartSpan("child", {ChildOf(&span_->context()), ChildOf(&b->context())});
  EXPECT_EQ(ItemsOf(child->context()), (Items{{"a", std::string(5000, 'x')}, {"c", "fits"}}));
}

TEST_F(BaggageOfSpans, ManyChangesDoNotAccumulate) {
  for (int i = 0; i < 10'000; ++i) span_->SetBaggageItem("key", std::to_string(i));
  EXPECT_EQ(ItemsOf(span_->context()), (Items{{"key", "9999"}}));
}

}  // namespace
}  // namespace tracekin::testing
