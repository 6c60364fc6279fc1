// SPDX-License-Identifier: Apache-2.0
// Tests each function of BlkKin's C and C++ API in Ceph's dialect with valid and invalid arguments.
// programs_test.py tests the events and spans outside of the process.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>

#include "tests/integrations/blkin/blkin_tracer.h"
#include "tracekin/blkin/ceph/ztracer.hpp"

namespace tracekin::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ZTracer::Trace;

constexpr blkin_endpoint kEndpoint = {"10.0.0.1", 6800, "osd.1"};

TEST(BlkinCeph, InitMayBeCalledAgain) {
  EXPECT_EQ(blkin_init(), 0);
  EXPECT_EQ(blkin_init(), 0);
  EXPECT_EQ(ZTracer::ztrace_init(), 0);
}

TEST(BlkinCeph, ARootHasOneId) {
  blkin_trace root;
  ASSERT_EQ(blkin_init_new_trace(&root, "op", &kEndpoint), 0);
  EXPECT_GT(root.info.trace_id, 0);
  EXPECT_EQ(root.info.span_id, root.info.trace_id);
  EXPECT_EQ(root.info.parent_span_id, 0);
  EXPECT_STREQ(root.name, "op");
  EXPECT_EQ(root.endpoint, &kEndpoint);
  EXPECT_EQ(blkin_init_new_trace(&root, "op", nullptr), 0);
  EXPECT_EQ(blkin_init_new_trace(nullptr, "op", &kEndpoint), -EINVAL);
  blkin_trace_info info = {};
  blkin_init_trace_info(&info);
  EXPECT_GT(info.trace_id, 0);
  EXPECT_EQ(info.span_id, info.trace_id);
  EXPECT_NE(info.span_id, root.info.span_id);
  blkin_init_trace_info(nullptr);
}

TEST(BlkinCeph, AChildIsInItsParentsTrace) {
  const blkin_endpoint other = kEndpoint;
  const blkin_trace root = {"op", {1, 2, 3}, &kEndpoint};
  blkin_trace child;
  ASSERT_EQ(blkin_init_child(&child, &root, nullptr, "child"), 0);
  EXPECT_EQ(child.info.trace_id, 1);
  EXPECT_EQ(child.info.parent_span_id, 2);
  EXPECT_EQ(child.endpoint, &kEndpoint);
  ASSERT_EQ(blkin_init_child(&child, &root, &other, "child"), 0);
  EXPECT_EQ(child.endpoint, &other);
  ASSERT_EQ(blkin_init_child_info(&child, &root.info, &other, "child"), 0);
  EXPECT_EQ(child.info.parent_span_id, 2);
  EXPECT_EQ(blkin_init_child(nullptr, &root, &other, "child"), -EINVAL);
  EXPECT_EQ(blkin_init_child(&child, nullptr, &other, "child"), -EINVAL);
  EXPECT_EQ(blkin_init_child_info(nullptr, &root.info, &other, "child"), -EINVAL);
  EXPECT_EQ(blkin_init_child_info(&child, nullptr, &other, "child"), -EINVAL);
  EXPECT_EQ(blkin_init_child_info(&child, &root.info, nullptr, "child"), -EINVAL);
}

TEST(BlkinCeph, EndpointsAndAnnotations) {
  blkin_endpoint endpoint;
  ASSERT_EQ(blkin_init_endpoint(&endpoint, nullptr, -1, "n"), 0);
  EXPECT_STREQ(endpoint.ip, "NaN");
  EXPECT_EQ(endpoint.port, -1);
  EXPECT_EQ(blkin_init_endpoint(nullptr, "10.0.0.1", 1, "n"), -EINVAL);
  blkin_annotation annotation;
  ASSERT_EQ(blkin_init_string_annotation(&annotation, "k", "v", &endpoint), 0);
  EXPECT_EQ(annotation.type, ANNOT_STRING);
  EXPECT_STREQ(annotation.val_str, "v");
  ASSERT_EQ(blkin_init_integer_annotation(&annotation, "k", INT64_MIN, nullptr), 0);
  EXPECT_EQ(annotation.type, ANNOT_INTEGER);
  EXPECT_EQ(annotation.val_int, INT64_MIN);
  ASSERT_EQ(blkin_init_timestamp_annotation(&annotation, "e", &endpoint), 0);
  EXPECT_EQ(annotation.type, ANNOT_TIMESTAMP);
  EXPECT_STREQ(annotation.val_str, "e");
  EXPECT_EQ(annotation.endpoint, &endpoint);
  EXPECT_EQ(blkin_init_string_annotation(nullptr, "k", "v", nullptr), -EINVAL);
  EXPECT_EQ(blkin_init_string_annotation(&annotation, nullptr, "v", nullptr), -EINVAL);
  EXPECT_EQ(blkin_init_string_annotation(&annotation, "k", nullptr, nullptr), -EINVAL);
  EXPECT_EQ(blkin_init_integer_annotation(nullptr, "k", 1, nullptr), -EINVAL);
  EXPECT_EQ(blkin_init_integer_annotation(&annotation, nullptr, 1, nullptr), -EINVAL);
  EXPECT_EQ(blkin_init_timestamp_annotation(nullptr, "e", nullptr), -EINVAL);
  EXPECT_EQ(blkin_init_timestamp_annotation(&annotation, nullptr, nullptr), -EINVAL);
}

TEST(BlkinCeph, IdsAreGotAndSet) {
  blkin_trace trace = {};
  const blkin_trace_info info = {1, 2, 3};
  EXPECT_EQ(blkin_set_trace_info(&trace, &info), 0);
  blkin_trace_info got = {};
  EXPECT_EQ(blkin_get_trace_info(&trace, &got), 0);
  EXPECT_EQ(got.span_id, 2);
  EXPECT_EQ(blkin_set_trace_properties(&trace, &info, "n", &kEndpoint), 0);
  EXPECT_STREQ(trace.name, "n");
  EXPECT_EQ(trace.endpoint, &kEndpoint);
  EXPECT_EQ(blkin_set_trace_info(nullptr, &info), -EINVAL);
  EXPECT_EQ(blkin_set_trace_info(&trace, nullptr), -EINVAL);
  EXPECT_EQ(blkin_get_trace_info(nullptr, &got), -EINVAL);
  EXPECT_EQ(blkin_get_trace_info(&trace, nullptr), -EINVAL);
  EXPECT_EQ(blkin_set_trace_properties(nullptr, &info, "n", &kEndpoint), -EINVAL);
  EXPECT_EQ(blkin_set_trace_properties(&trace, nullptr, "n", &kEndpoint), -EINVAL);
  EXPECT_EQ(blkin_set_trace_properties(&trace, &info, nullptr, &kEndpoint), -EINVAL);
  EXPECT_EQ(blkin_set_trace_properties(&trace, &info, "n", nullptr), -EINVAL);
}

TEST(BlkinCeph, PackedIdsAreInNetworkByteOrder) {
  const blkin_trace_info info = {0x0102030405060708, -2, 0};
  blkin_trace_info back = {};
  blkin_trace_info_packed packed;
  EXPECT_EQ(blkin_pack_trace_info(&info, &packed), 0);
  EXPECT_EQ(std::string(reinterpret_cast<char*>(&packed), 16),
            "\x01\x02\x03\x04\x05\x06\x07\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFE");
  EXPECT_EQ(blkin_unpack_trace_info(&packed, &back), 0);
  EXPECT_EQ(back.trace_id, info.trace_id);
  EXPECT_EQ(back.span_id, -2);
  EXPECT_EQ(blkin_pack_trace_info(nullptr, &packed), -EINVAL);
  EXPECT_EQ(blkin_unpack_trace_info(&packed, nullptr), -EINVAL);
}

TEST(BlkinCeph, RecordsBecomeASpan) {
  BlkinTracer tracer;
  blkin_trace root;
  blkin_init_new_trace(&root, "op", &kEndpoint);
  BLKIN_TIMESTAMP(&root, nullptr, SERVER_RECV)
  BLKIN_KEYVAL_STRING(&root, &kEndpoint, "object", "a");
  BLKIN_KEYVAL_INTEGER(&root, nullptr, "least", std::numeric_limits<std::int64_t>::min());
  BLKIN_KEYVAL_INTEGER(&root, nullptr, "tid", 42);
  BLKIN_TIMESTAMP(&root, nullptr, SERVER_SEND);
  const RecordedSpan span = tracer.OnlySpan();
  EXPECT_EQ(span.trace_id_low, static_cast<std::uint64_t>(root.info.trace_id));
  EXPECT_EQ(span.span_id, span.trace_id_low);
  EXPECT_EQ(span.kind, SpanKind::kServer);
  EXPECT_EQ(span.Tag("object"), "a");
  EXPECT_EQ(span.Tag("least"), "-9223372036854775808");
  EXPECT_EQ(span.Tag("tid"), "42");
  EXPECT_THAT(Events(span), ElementsAre("sr", "ss"));
}

TEST(BlkinCeph, AnAnnotationsEndpointIsTakenOverTheTraces) {
  BlkinTracer tracer;
  const blkin_trace root = {"", {1, 2, 0}, &kEndpoint};
  const blkin_endpoint other = {"10.0.0.2", -1, "other"};
  BLKIN_TIMESTAMP(&root, &other, "end");
  const RecordedSpan span = tracer.OnlySpan();
  EXPECT_EQ(span.service, "other");
  EXPECT_EQ(span.port, 65535);
}

TEST(BlkinCeph, BadRecordsAreErrors) {
  BlkinTracer tracer;
  blkin_trace root = {"n", {1, 2, 0}, nullptr};
  blkin_annotation annotation;
  blkin_init_timestamp_annotation(&annotation, "end", nullptr);
  EXPECT_EQ(blkin_record(nullptr, &annotation), -EINVAL);
  EXPECT_EQ(blkin_record(&root, nullptr), -EINVAL);
  EXPECT_EQ(blkin_record(&root, &annotation), -EINVAL);  // no endpoint
  for (const blkin_endpoint& bad : {blkin_endpoint{nullptr, 1, "n"}, {"10.0.0.1", 1, nullptr}}) {
    annotation.endpoint = &bad;
    EXPECT_EQ(blkin_record(&root, &annotation), -EINVAL);
  }
  root.endpoint = &kEndpoint;
  annotation.endpoint = nullptr;
  root.name = nullptr;
  EXPECT_EQ(blkin_record(&root, &annotation), -EINVAL);
  root.name = "";
  annotation.type = static_cast<blkin_annotation_type>(3);
  EXPECT_EQ(blkin_record(&root, &annotation), -EINVAL);
  annotation = {ANNOT_STRING, nullptr, {"v"}, nullptr};
  EXPECT_EQ(blkin_record(&root, &annotation), -EINVAL);
  annotation.type = ANNOT_INTEGER;
  EXPECT_EQ(blkin_record(&root, &annotation), -EINVAL);
  annotation = {ANNOT_TIMESTAMP, nullptr, {nullptr}, nullptr};
  EXPECT_EQ(blkin_record(&root, &annotation), -EINVAL);
  EXPECT_THAT(tracer.All(), IsEmpty());
}

TEST(BlkinCephCpp, ATraceIsValidOnceItHasIds) {
  const ZTracer::Endpoint endpoint("10.0.0.1", 6800, "osd.1");
  Trace none;
  EXPECT_FALSE(none.valid());
  EXPECT_FALSE(none);
  none.event("nothing");
  none.keyval("k", "v");
  none.keyval("k", 1);
  Trace root("op", &endpoint);
  EXPECT_TRUE(root);
  EXPECT_EQ(root.get_info()->span_id, root.get_info()->trace_id);
  const Trace child("child", &endpoint, &root);
  EXPECT_EQ(child.get_info()->trace_id, root.get_info()->trace_id);
  EXPECT_EQ(child.get_info()->parent_span_id, root.get_info()->span_id);
  const blkin_trace_info info = {5, 6, 7};
  const Trace adopted("same", &endpoint, &info);
  EXPECT_EQ(adopted.get_info()->span_id, 6);
  const Trace of_info("child", &endpoint, &info, true);
  EXPECT_EQ(of_info.get_info()->parent_span_id, 6);
  root.set_info(&info);
  EXPECT_EQ(root.get_info()->trace_id, 5);
}

TEST(BlkinCephCpp, AParentWithoutIdsIsNone) {
  const ZTracer::Endpoint endpoint("osd.1");
  const Trace none;
  const Trace root("op", &endpoint, &none);
  EXPECT_TRUE(root);
  EXPECT_EQ(root.get_info()->parent_span_id, 0);
  Trace again;
  EXPECT_EQ(again.init("op", &endpoint, &root), 0);
  EXPECT_EQ(again.get_info()->trace_id, root.get_info()->trace_id);
  EXPECT_EQ(again.init("op", &endpoint), 0);
  EXPECT_NE(again.get_info()->trace_id, root.get_info()->trace_id);
}

TEST(BlkinCephCpp, TheChildOfWhatWasNotSampledIsNoRoot) {
  const ZTracer::Endpoint endpoint("osd.1");
  Trace root;
  {
    const BlkinTracer never(WithSampler("never"));
    EXPECT_EQ(root.init("op", &endpoint), 0);
    EXPECT_FALSE(root);
  }
  BlkinTracer tracer;
  const Trace child("child", &endpoint, &root);
  EXPECT_FALSE(child);
  EXPECT_EQ(child.get_info()->trace_id, 0);
  const Trace grandchild("grandchild", &endpoint, &child);
  EXPECT_FALSE(grandchild);
  grandchild.event("end");
  EXPECT_THAT(tracer.All(), IsEmpty());
}

TEST(BlkinCephCpp, RecordsBecomeASpan) {
  BlkinTracer tracer;
  const ZTracer::Endpoint endpoint("10.0.0.1", 40000, "osd.1"), other("other");
  const Trace root("op", &endpoint);
  root.event(ZTracer::CLIENT_SEND);
  root.keyval("object", "a");
  root.keyval("tid", std::int64_t{42});
  root.keyval("b", "b", &other);
  root.keyval("c", std::int64_t{3}, &other);
  root.event("x", &other);
  root.event(ZTracer::CLIENT_RECV);
  const RecordedSpan span = tracer.OnlySpan();
  EXPECT_EQ(span.name, "op");
  EXPECT_EQ(span.service, "osd.1");
  EXPECT_EQ(span.port, 40000);
  EXPECT_EQ(span.kind, SpanKind::kClient);
  EXPECT_EQ(span.tags,
            (decltype(span.tags){{"object", "a"}, {"tid", "42"}, {"b", "b"}, {"c", "3"}}));
  EXPECT_THAT(Events(span), ElementsAre("cs", "x", "cr"));
}

TEST(BlkinCephCpp, ADecodedTraceHasItsName) {
  BlkinTracer tracer;
  const ZTracer::Endpoint endpoint("osd.1");
  const blkin_trace_info info = {5, 6, 7};
  for (const bool child : {false, true}) {
    std::string name = "a name that is longer than any buffer";
    Trace trace;
    EXPECT_EQ(trace.init(name.c_str(), &endpoint, &info, child), 0);
    name.assign(name.size(), '-');
    trace.event("end");
    EXPECT_EQ(tracer.Reported().back().name, "a name that is longer than any buffer");
  }
  Trace nameless(nullptr, &endpoint, &info);
  nameless.event("end");
  EXPECT_EQ(tracer.Reported().back().name, "");
}

TEST(BlkinCephCpp, CopiesStandAlone) {
  BlkinTracer tracer;
  Trace trace;
  ZTracer::Endpoint endpoint("x");
  {
    ZTracer::Endpoint source("10.9.9.9", 9, "nine");
    source.copy_name(std::string("an endpoint's name of more bytes"));
    source.copy_ip(std::string("2001:db8:1111:2222:3333:4444:5555:6666"));
    source.set_port(7);
    const ZTracer::Endpoint copy(source);
    endpoint = copy;
    Trace named("x", &endpoint);
    named.copy_name(std::string("a trace's name of more than a few bytes"));
    const Trace second(named);
    trace = second;
    trace = std::as_const(trace);
    endpoint = std::as_const(endpoint);
  }
  trace.event("end");
  const RecordedSpan span = tracer.OnlySpan();
  EXPECT_EQ(span.name, "a trace's name of more than a few bytes");
  EXPECT_EQ(span.service, "an endpoint's name of more bytes");
  EXPECT_EQ(span.ipv6, "2001:db8:1111:2222:3333:4444:5555:6666");
  EXPECT_EQ(span.port, 7);
}

TEST(BlkinCephCpp, AnAddressIsCopiedOrShared) {
  BlkinTracer tracer;
  ZTracer::Endpoint copied("copied"), shared("shared");
  {
    ZTracer::Endpoint source("x");
    source.copy_ip("10.1.2.3");
    source.set_port(77);
    copied.copy_address_from(&source);
    shared.share_address_from(&source);
    Trace("op", &shared).event("end");
  }
  Trace("op", &copied).event("end");
  const auto spans = tracer.Reported();
  ASSERT_THAT(spans, SizeIs(2));
  for (const RecordedSpan& span : spans) {
    EXPECT_EQ(span.ipv4, "10.1.2.3");
    EXPECT_EQ(span.port, 77);
  }
}

}  // namespace
}  // namespace tracekin::testing
