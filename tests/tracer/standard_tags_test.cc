// SPDX-License-Identifier: Apache-2.0
// Tests the tags that OpenTracing's semantic conventions define, and their place in Zipkin's model:
// span.kind, the peer's address, and error.

#include <gtest/gtest.h>
#include <opentracing/ext/tags.h>

#include <cmath>
#include <string>

#include "tests/support/recording_tracer.h"

namespace tracekin::testing {
namespace {

using opentracing::Value;
using opentracing::Values;

RecordedSpan WithTags(const std::vector<std::pair<std::string, Value>>& tags) {
  RecordingTracer tracer;
  const auto span = tracer->StartSpan("a");
  for (const auto& tag : tags) span->SetTag(tag.first, tag.second);
  span->Finish();
  return tracer.OnlySpan();
}

TEST(SpanKindTag, IsTheKindOfTheSpan) {
  const struct {
    Value value;
    SpanKind kind;
  } cases[] = {
      {"client", SpanKind::kClient},
      {"server", SpanKind::kServer},
      {"producer", SpanKind::kProducer},
      {"consumer", SpanKind::kConsumer},
      {std::string("server"), SpanKind::kServer},
      {opentracing::ext::span_kind_rpc_client, SpanKind::kClient},
      {opentracing::ext::span_kind_rpc_server, SpanKind::kServer},
  };
  for (const auto& c : cases) {
    const RecordedSpan span = WithTags({{opentracing::ext::span_kind, c.value}});
    EXPECT_EQ(span.kind, c.kind);
    EXPECT_TRUE(span.tags.empty());
  }
}

// zipkin-cpp-opentracing compares such a value as if it were a string, and crashes.
TEST(SpanKindTag, OfAnotherTypeOrNameStaysATag) {
  const char* const none = nullptr;
  const struct {
    Value value;
    const char* text;
  } cases[] = {{1, "1"},           {true, "true"},     {nullptr, "null"}, {none, "null"},
               {Values{}, "[]"},   {0.5, "0.5"},       {"", ""},          {"Server", "Server"},
               {"serve", "serve"}, {"other", "other"}, {"local", "local"}};
  for (const auto& c : cases) {
    const RecordedSpan span = WithTags({{"span.kind", c.value}});
    EXPECT_EQ(span.kind, SpanKind::kLocal) << c.text;
    EXPECT_EQ(span.Tag("span.kind"), c.text);
  }
}

TEST(SpanKindTag, IsOverwrittenAsAnyTagIs) {
  RecordedSpan span = WithTags({{"span.kind", "client"}, {"span.kind", "server"}});
  EXPECT_EQ(span.kind, SpanKind::kServer);
  span = WithTags({{"span.kind", "other"}, {"span.kind", "server"}});
  EXPECT_EQ(span.kind, SpanKind::kServer);
  EXPECT_EQ(span.Tag("span.kind"), std::nullopt);
  span = WithTags({{"span.kind", "server"}, {"span.kind", "other"}});
  EXPECT_EQ(span.kind, SpanKind::kLocal);
  EXPECT_EQ(span.Tag("span.kind"), "other");
}

TEST(PeerTags, AreTheRemoteEndpoint) {
  const RecordedSpan span = WithTags({{opentracing::ext::peer_service, "database"},
                                      {opentracing::ext::peer_host_ipv4, "192.0.2.1"},
                                      {opentracing::ext::peer_host_ipv6, "2001:db8::1"},
                                      {opentracing::ext::peer_port, 5432}});
  EXPECT_EQ(span.remote_service, "database");
  EXPECT_EQ(span.remote_ipv4, "192.0.2.1");
  EXPECT_EQ(span.remote_ipv6, "2001:db8::1");
  EXPECT_EQ(span.remote_port, 5432);
  EXPECT_TRUE(span.tags.empty());
}

// <opentracing/ext/tags.h> defines peer.ipv4 as uint32, the semantic conventions as text.
TEST(PeerTags, Ipv4MayBeANumber) {
  EXPECT_EQ(WithTags({{"peer.ipv4", std::uint32_t{0xC0000201}}}).remote_ipv4, "192.0.2.1");
  EXPECT_EQ(WithTags({{"peer.ipv4", 0}}).remote_ipv4, "0.0.0.0");
  EXPECT_EQ(WithTags({{"peer.ipv4", "4294967295"}}).remote_ipv4, "255.255.255.255");
}

TEST(PeerTags, AddressThatIsNoneStaysATag) {
  for (const Value& value :
       {Value{"localhost"}, Value{""}, Value{"1.2.3"}, Value{"1.2.3.256"}, Value{"1.2.3.4 "},
        Value{"4294967296"}, Value{-1}, Value{true}, Value{std::string("1.2.3.4\0", 8)}}) {
    const RecordedSpan span = WithTags({{"peer.ipv4", value}, {"peer.ipv6", value}});
    EXPECT_EQ(span.remote_ipv4, "");
    EXPECT_EQ(span.remote_ipv6, "");
    EXPECT_NE(span.Tag("peer.ipv4"), std::nullopt);
    EXPECT_NE(span.Tag("peer.ipv6"), std::nullopt);
  }
}

TEST(PeerTags, WithoutAPlaceStayTags) {
  const RecordedSpan span = WithTags({{opentracing::ext::peer_hostname, "db.example.org"},
                                      {opentracing::ext::peer_address, "db.example.org:5432"},
                                      {"peer.", "x"},
                                      {"peer", "y"},
                                      {"peer.service.name", "z"},
                                      {"Peer.service", "w"}});
  EXPECT_EQ(span.tags.size(), 6u);
  EXPECT_EQ(span.remote_service, "");
}

TEST(PeerTags, PortOfAnyTypeIsTakenIfItIsOne) {
  const struct {
    Value value;
    int port;
  } cases[] = {{"80", 80}, {std::uint16_t{80}, 80}, {65535, 65535}, {80.0, 80}, {0, 0}};
  for (const auto& c : cases) {
    const RecordedSpan span = WithTags({{"peer.port", c.value}});
    EXPECT_EQ(span.remote_port, c.port);
    EXPECT_EQ(span.Tag("peer.port"), std::nullopt);
  }
}

TEST(PeerTags, PortThatIsNoneStaysATag) {
  for (const Value& value : {Value{65536}, Value{-1}, Value{"http"}, Value{"80x"}, Value{" 80"},
                             Value{""}, Value{80.5}, Value{nullptr}, Value{std::uint64_t(-1)}}) {
    const RecordedSpan span = WithTags({{"peer.port", value}});
    EXPECT_EQ(span.remote_port, 0);
    EXPECT_NE(span.Tag("peer.port"), std::nullopt);
  }
}

TEST(PeerTags, LastOfEachCounts) {
  const RecordedSpan span = WithTags(
      {{"peer.service", "first"}, {"peer.port", 1}, {"peer.service", "second"}, {"peer.port", 2}});
  EXPECT_EQ(span.remote_service, "second");
  EXPECT_EQ(span.remote_port, 2);
}

TEST(PeerTags, OfOneSpanDoNotLeakIntoTheNext) {
  RecordingTracer tracer;
  tracer->StartSpan("a", {opentracing::SetTag{"peer.service", "x"}, opentracing::SetTag{"k", 1}});
  tracer->StartSpan("b");
  const auto spans = tracer.Spans();
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(spans[1].remote_service, "");
  EXPECT_TRUE(spans[1].tags.empty());
}

// Zipkin shows any span with an error tag as failed, regardless of its value.
TEST(ErrorTag, IsThereOnlyIfThereIsAnError) {
  EXPECT_EQ(WithTags({{"error", true}}).Tag("error"), "true");
  EXPECT_EQ(WithTags({{"error", "true"}}).Tag("error"), "true");
  EXPECT_EQ(WithTags({{"error", "timed out"}}).Tag("error"), "timed out");
  EXPECT_EQ(WithTags({{"error", false}}).Tag("error"), std::nullopt);
  EXPECT_EQ(WithTags({{"error", "false"}}).Tag("error"), std::nullopt);
  EXPECT_EQ(WithTags({{"error", true}, {"error", false}}).Tag("error"), std::nullopt);
  EXPECT_EQ(WithTags({{"error", false}, {"error", true}}).Tag("error"), "true");
}

}  // namespace
}  // namespace tracekin::testing
