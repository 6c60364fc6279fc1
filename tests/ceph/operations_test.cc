// SPDX-License-Identifier: Apache-2.0
#include "examples/ceph_relay/operations.h"

#include <gtest/gtest.h>
#include <tracekin/ceph.h>

#include <optional>
#include <string>

#include "tests/ceph/stream.h"
#include "tests/support/recording_tracer.h"

namespace tracekin::testing {
namespace {

class OperationsTest : public ::testing::Test {
 protected:
  void Begin(bool stamp = true) {
    operations_.emplace(tracer_.shared(), stamp, "127.0.0.1:6800", &handshake_, &counts_);
  }

  // Returns the front as the relay passes it on.
  std::string Request(MessageParts op = Op(), bool held = true) {
    const MessageHeader header = HeaderOf(op);
    EXPECT_TRUE(operations_->requests()->Wants(header));
    operations_->requests()->Front(header, held ? &op.front : nullptr);
    operations_->requests()->Passed(header);
    return op.front;
  }

  void Reply(MessageParts reply = OpReply()) {
    const MessageHeader header = HeaderOf(reply);
    ASSERT_TRUE(operations_->replies()->Wants(header));
    const std::string before = reply.front;
    operations_->replies()->Front(header, &reply.front);
    operations_->replies()->Passed(header);
    EXPECT_EQ(reply.front, before);
  }

  static MessageHeader HeaderOf(const MessageParts& parts) {
    MessageHeader header;
    header.tid = parts.tid;
    header.type = parts.type;
    header.version = parts.version;
    header.front_size = static_cast<std::uint32_t>(parts.front.size());
    header.data_size = static_cast<std::uint32_t>(parts.data.size());
    return header;
  }

  static TraceInfo IdsIn(const std::string& front) {
    const auto context = ExtractCeph({42, 8}, front.data(), front.size());
    EXPECT_TRUE(context);
    return *context == nullptr ? TraceInfo{} : *ToTraceInfo(**context);
  }

  RecordingTracer tracer_;
  Handshake handshake_;
  Counts counts_;
  std::optional<Operations> operations_;
};

TEST_F(OperationsTest, RequestAndReplyAreASpan) {
  Begin();
  const std::string front = Request();
  Reply();
  const auto span = tracer_.OnlySpan();
  EXPECT_EQ(span.name, "writefull");
  EXPECT_EQ(span.Tag("ceph.object"), "obj-rep");
  EXPECT_EQ(span.Tag("ceph.pool"), "2");
  EXPECT_EQ(span.Tag("ceph.tid"), "1");
  EXPECT_EQ(span.Tag("ceph.data_bytes"), "1000");
  EXPECT_EQ(span.Tag("peer.address"), "127.0.0.1:6800");
  EXPECT_TRUE(span.Tag("ceph.osd_latency_us"));
  EXPECT_EQ(span.parent_span_id, 0U);
  EXPECT_EQ(static_cast<std::uint64_t>(IdsIn(front).span_id), span.span_id);
  EXPECT_EQ(counts_.requests, 1U);
  EXPECT_EQ(counts_.replies, 1U);
  EXPECT_EQ(counts_.stamped, 1U);
}

TEST_F(OperationsTest, ContextInTheRequestIsTheParent) {
  Begin();
  const auto client = tracer_->StartSpan("client");
  MessageParts op = Op();
  ASSERT_TRUE(InjectCeph(client->context(), {42, 8}, &op.front));
  const std::string front = Request(op);
  EXPECT_EQ(IdsIn(front).parent_span_id, ToTraceInfo(client->context())->span_id);
  EXPECT_EQ(IdsIn(front).trace_id, ToTraceInfo(client->context())->trace_id);
  EXPECT_EQ(counts_.with_context, 1U);
}

TEST_F(OperationsTest, NothingIsStampedUnlessThatIsWanted) {
  Begin(false);
  EXPECT_EQ(Request(), Op().front);
  Reply();
  EXPECT_EQ(tracer_.OnlySpan().name, "writefull");
  EXPECT_EQ(counts_.stamped, 0U);
}

TEST_F(OperationsTest, WhatCannotBeStampedIsCountedAndHasASpan) {
  Begin();
  MessageParts unknown = Op();
  unknown.version = 10;
  EXPECT_EQ(Request(unknown), unknown.front);
  EXPECT_EQ(counts_.unknown, 1U);

  MessageParts inconsistent = Op();
  inconsistent.tid = 2;
  inconsistent.front[36] = 'x';
  EXPECT_EQ(Request(inconsistent), inconsistent.front);
  EXPECT_EQ(counts_.inconsistent, 1U);

  MessageParts large = Op();
  large.tid = 3;
  Request(large, false);
  EXPECT_EQ(counts_.too_large, 1U);

  handshake_.signs = true;
  MessageParts with_signature = Op();
  with_signature.tid = 4;
  EXPECT_EQ(Request(with_signature), with_signature.front);
  EXPECT_EQ(counts_.may_be_signed, 1U);

  for (std::uint64_t tid = 1; tid <= 4; ++tid) {
    MessageParts reply = OpReply();
    reply.tid = tid;
    Reply(reply);
  }
  EXPECT_EQ(counts_.stamped, 0U);
  EXPECT_EQ(tracer_.Spans().size(), 4U);
}

TEST_F(OperationsTest, FailedOperationIsAnError) {
  Begin();
  Request();
  MessageParts reply = OpReply();  // the first real reply is about an object that does not exist
  Reply(reply);
  const auto span = tracer_.OnlySpan();
  EXPECT_EQ(span.Tag("ceph.result"), "-2");
  EXPECT_EQ(span.Tag("error"), "true");
}

TEST_F(OperationsTest, RequestWithoutAReplyIsAnError) {
  Begin();
  Request();
  Request();  // sent again with the same transaction id
  operations_.reset();
  const auto spans = tracer_.Spans();
  ASSERT_EQ(spans.size(), 2U);
  for (const auto& span : spans) EXPECT_EQ(span.Tag("error"), "true");
  EXPECT_EQ(counts_.unanswered, 2U);
}

TEST_F(OperationsTest, ReplyToSomethingElseIsNotWanted) {
  Begin();
  EXPECT_FALSE(operations_->replies()->Wants(HeaderOf(OpReply())));
  EXPECT_FALSE(operations_->requests()->Wants(HeaderOf(OpReply())));
  MessageParts other = Op();
  other.type = 41;
  EXPECT_FALSE(operations_->requests()->Wants(HeaderOf(other)));
}

TEST_F(OperationsTest, NothingIsFollowedOnceADirectionIsNotUnderstood) {
  Begin();
  Request();
  operations_->replies()->NotUnderstood();
  EXPECT_EQ(counts_.unanswered, 1U);
  EXPECT_EQ(counts_.passed_through, 1U);
  EXPECT_FALSE(operations_->requests()->Wants(HeaderOf(Op())));
}

}  // namespace
}  // namespace tracekin::testing
