// SPDX-License-Identifier: Apache-2.0
#include "exporter/encoding/zipkin_model.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tracekin::exporter {
namespace {

using Tag = SpanRecord::Tag;

std::string TagOf(const SpanRecord& record, std::string_view key) {
  for (const auto& tag : record.tags) {
    if (tag.key == key) return std::string(tag.value);
  }
  return "(none)";
}

std::string LineOf(std::string_view text, const std::vector<Tag>& fields) {
  SpanRecord span;
  span.annotations.push_back({1, text, {fields.data(), fields.size()}});
  ZipkinModel model;
  const SpanRecord& told = model.Translate(span);
  EXPECT_TRUE(told.annotations[0].fields.empty());
  return std::string(told.annotations[0].text);
}

TEST(ZipkinModel, MakesARemoteEndpointOfPeerTags) {
  SpanRecord span;
  span.tags = {{"peer.service", "db"},
               {"peer.ipv4", "10.0.0.1"},
               {"peer.ipv6", "::1"},
               {"peer.port", "65535", ValueType::kInt},
               {"peer.hostname", "stays"}};
  span.remote.service_name = "overruled";
  ZipkinModel model;
  const SpanRecord& told = model.Translate(span);
  EXPECT_EQ(told.remote.service_name, "db");
  EXPECT_EQ(told.remote.ipv4, "10.0.0.1");
  EXPECT_EQ(told.remote.ipv6, "::1");
  EXPECT_EQ(told.remote.port, 65535);
  ASSERT_EQ(told.tags.size(), 1U);
  EXPECT_EQ(TagOf(told, "peer.hostname"), "stays");
}

TEST(ZipkinModel, ReadsAnIpv4AddressThatIsANumber) {
  SpanRecord span;
  span.tags = {{"peer.ipv4", "167772161", ValueType::kInt}};
  ZipkinModel model;
  EXPECT_EQ(model.Translate(span).remote.ipv4, "10.0.0.1");
}

TEST(ZipkinModel, LeavesAPortThatIsNoneAmongTheTags) {
  for (const std::string_view port : {"65536", "-1", "", "80x", "http", "1e3"}) {
    SpanRecord span;
    span.tags = {{"peer.port", port}};
    ZipkinModel model;
    const SpanRecord& told = model.Translate(span);
    EXPECT_EQ(told.remote.port, 0) << port;
    EXPECT_EQ(TagOf(told, "peer.port"), port);
  }
}

TEST(ZipkinModel, TellsAFailureByAnErrorTagAndNothingElseSo) {
  ZipkinModel model;
  SpanRecord span;
  span.status = SpanStatus::kOk;
  span.tags = {{"error", "false", ValueType::kBool}};
  EXPECT_TRUE(model.Translate(span).tags.empty());
  span.status = SpanStatus::kError;
  span.tags = {{"error", "true", ValueType::kBool}};
  EXPECT_EQ(model.Translate(span).tags.size(), 1U);
  EXPECT_EQ(TagOf(model.Translate(span), "error"), "true");
  span.tags = {};
  EXPECT_EQ(TagOf(model.Translate(span), "error"), "true");
  span.status_message = "timeout";
  EXPECT_EQ(TagOf(model.Translate(span), "error"), "timeout");
  span.status = SpanStatus::kOk;
  EXPECT_TRUE(model.Translate(span).tags.empty());
}

TEST(ZipkinModel, MakesOneTextOfALogsFields) {
  EXPECT_EQ(LineOf("said", {}), "said");
  EXPECT_EQ(LineOf("said", {{"a", "1", ValueType::kInt}, {"b", "x y"}}), "said a=1 b=\"x y\"");
  EXPECT_EQ(LineOf("", {{"a", "1"}, {"message", "m n"}}), "m n a=1");
  EXPECT_EQ(LineOf("e", {{"message", "m"}}), "e message=m");
  EXPECT_EQ(LineOf("", {{"list", "[1,\"a b\"]", ValueType::kJson}}), "list=[1,\"a b\"]");
  EXPECT_EQ(LineOf(std::string(40000, 'x'), {{"a", "1"}}).size(), 32768U);
}

TEST(ZipkinModel, GivesEachSpanTheResourcesTagsUnlessItHasItsOwn) {
  const Resource resource{"service", {{"zone", "a"}, {"host", "h"}, {"peer.service", "db"}}};
  ZipkinModel model;
  model.set_resource(&resource);
  SpanRecord span;
  span.tags = {{"zone", "own"}};
  const SpanRecord& told = model.Translate(span);
  EXPECT_EQ(told.local.service_name, "service");
  EXPECT_EQ(told.remote.service_name, "db");
  ASSERT_EQ(told.tags.size(), 2U);
  EXPECT_EQ(TagOf(told, "host"), "h");
  EXPECT_EQ(TagOf(told, "zone"), "own");
  span.local.service_name = "own";
  EXPECT_EQ(model.Translate(span).local.service_name, "own");
}

TEST(ZipkinModel, KeepsNothingOfTheSpanBefore) {
  ZipkinModel model;
  SpanRecord first;
  const Tag field{"k", "v"};
  first.annotations = {{1, "a", {&field, 1}}};
  first.tags = {{"peer.service", "db"}};
  first.status = SpanStatus::kError;
  first.debug = true;
  model.Translate(first);
  const SpanRecord& told = model.Translate(SpanRecord());
  EXPECT_TRUE(told.annotations.empty() && told.tags.empty() && told.remote.empty());
  EXPECT_FALSE(told.debug);
}

}  // namespace
}  // namespace tracekin::exporter
