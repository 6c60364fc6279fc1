// SPDX-License-Identifier: Apache-2.0
// Tests each function of BlkKin's C and C++ API in its author's dialect with valid and invalid
// arguments. programs_test.py tests the events and spans outside of the process.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "tests/integrations/blkin/blkin_tracer.h"
#include "tests/support/fork.h"
#include "tracekin/blkin/original/ztracer.hpp"

namespace tracekin::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

blkin_endpoint MakeEndpoint(const char* name = "disk") {
  blkin_endpoint endpoint;
  EXPECT_EQ(blkin_init_endpoint(&endpoint, "10.0.0.1", 5000, name), 0);
  return endpoint;
}

TEST(BlkinOriginal, InitMayBeCalledAgain) {
  EXPECT_EQ(blkin_init(), 0);
  EXPECT_EQ(blkin_init(), 0);
  EXPECT_EQ(ZTracer::ztrace_init(), 0);
}

TEST(BlkinOriginal, ThePointersAreThereFromTheBeginning) {
  EXPECT_EQ(blkin_record, &_blkin_record);
  EXPECT_EQ(blkin_init_new_trace, &_blkin_init_new_trace);
  EXPECT_EQ(blkin_unpack_trace_info, &_blkin_unpack_trace_info);
}

TEST(BlkinOriginal, APointerMayBeSet) {
  const auto before = blkin_record;
  blkin_record = [](blkin_trace*, blkin_annotation*) { return 42; };
  EXPECT_EQ(blkin_record(nullptr, nullptr), 42);
  blkin_record = before;
}

TEST(BlkinOriginal, ARootHasTwoIds) {
  blkin_endpoint endpoint = MakeEndpoint();
  blkin_trace root;
  ASSERT_EQ(blkin_init_new_trace(&root, "write", &endpoint), 0);
  EXPECT_GT(root.info.trace_id, 0);
  EXPECT_GT(root.info.span_id, 0);
  EXPECT_NE(root.info.trace_id, root.info.span_id);
  EXPECT_EQ(root.info.parent_span_id, 0);
  EXPECT_STREQ(root.name, "write");
  EXPECT_EQ(root.trace_endpoint, &endpoint);
  EXPECT_EQ(blkin_init_new_trace(&root, "write", nullptr), 0);
  EXPECT_EQ(blkin_init_new_trace(nullptr, "write", &endpoint), -EINVAL);
}

TEST(BlkinOriginal, AChildIsInItsParentsTrace) {
  blkin_endpoint endpoint = MakeEndpoint(), other = MakeEndpoint("other");
  blkin_trace root, child;
  blkin_init_new_trace(&root, "write", &endpoint);
  ASSERT_EQ(blkin_init_child(&child, &root, nullptr, "child"), 0);
  EXPECT_EQ(child.info.trace_id, root.info.trace_id);
  EXPECT_EQ(child.info.parent_span_id, root.info.span_id);
  EXPECT_GT(child.info.span_id, 0);
  EXPECT_NE(child.info.span_id, root.info.span_id);
  EXPECT_EQ(child.trace_endpoint, &endpoint);
  EXPECT_STREQ(child.name, "child");
  ASSERT_EQ(blkin_init_child(&child, &root, &other, "child"), 0);
  EXPECT_EQ(child.trace_endpoint, &other);
  EXPECT_EQ(blkin_init_child(nullptr, &root, &other, "child"), -EINVAL);
  EXPECT_EQ(blkin_init_child(&child, nullptr, &other, "child"), -EINVAL);
}

TEST(BlkinOriginal, AChildCanBeMadeOfIdsAlone) {
  blkin_endpoint endpoint = MakeEndpoint();
  blkin_trace_info info = {7, 8, 9};
  blkin_trace child;
  ASSERT_EQ(blkin_init_child_info(&child, &info, &endpoint, "child"), 0);
  EXPECT_EQ(child.info.trace_id, 7);
  EXPECT_EQ(child.info.parent_span_id, 8);
  EXPECT_EQ(blkin_init_child_info(nullptr, &info, &endpoint, "child"), -EINVAL);
  EXPECT_EQ(blkin_init_child_info(&child, nullptr, &endpoint, "child"), -EINVAL);
  EXPECT_EQ(blkin_init_child_info(&child, &info, nullptr, "child"), -EINVAL);
}

TEST(BlkinOriginal, AParentMayBeItsOwnChild) {
  blkin_endpoint endpoint = MakeEndpoint();
  blkin_trace trace = {"t", {1, 2, 0}, &endpoint};
  ASSERT_EQ(blkin_init_child(&trace, &trace, nullptr, "child"), 0);
  EXPECT_EQ(trace.info.parent_span_id, 2);
  EXPECT_EQ(trace.trace_endpoint, &endpoint);
}

TEST(BlkinOriginal, EndpointsAndAnnotations) {
  blkin_endpoint endpoint;
  EXPECT_EQ(blkin_init_endpoint(nullptr, "10.0.0.1", 1, "n"), -EINVAL);
  ASSERT_EQ(blkin_init_endpoint(&endpoint, nullptr, 70000, "n"), 0);
  EXPECT_STREQ(endpoint.ip, "NaN");
  EXPECT_EQ(endpoint.port, 70000);
  blkin_annotation annotation;
  ASSERT_EQ(blkin_init_string_annotation(&annotation, "k", "v", &endpoint), 0);
  EXPECT_EQ(annotation.type, ANNOT_STRING);
  EXPECT_STREQ(annotation.key, "k");
  EXPECT_STREQ(annotation.val, "v");
  EXPECT_EQ(annotation.annotation_endpoint, &endpoint);
  EXPECT_EQ(blkin_init_string_annotation(nullptr, "k", "v", &endpoint), -EINVAL);
  EXPECT_EQ(blkin_init_string_annotation(&annotation, nullptr, "v", &endpoint), -EINVAL);
  EXPECT_EQ(blkin_init_string_annotation(&annotation, "k", nullptr, &endpoint), -EINVAL);
  ASSERT_EQ(blkin_init_timestamp_annotation(&annotation, "e", nullptr), 0);
  EXPECT_EQ(annotation.type, ANNOT_TIMESTAMP);
  EXPECT_STREQ(annotation.val, "e");
  EXPECT_EQ(annotation.annotation_endpoint, nullptr);
  EXPECT_EQ(blkin_init_timestamp_annotation(nullptr, "e", &endpoint), -EINVAL);
  EXPECT_EQ(blkin_init_timestamp_annotation(&annotation, nullptr, &endpoint), -EINVAL);
}

TEST(BlkinOriginal, IdsAreGotAndSet) {
  blkin_trace trace = {};
  blkin_trace_info info = {1, 2, 3};
  EXPECT_EQ(blkin_set_trace_info(&trace, &info), 0);
  blkin_trace_info got = {};
  EXPECT_EQ(blkin_get_trace_info(&trace, &got), 0);
  EXPECT_EQ(got.trace_id, 1);
  EXPECT_EQ(got.span_id, 2);
  EXPECT_EQ(got.parent_span_id, 3);
  EXPECT_EQ(blkin_set_trace_info(nullptr, &info), -EINVAL);
  EXPECT_EQ(blkin_set_trace_info(&trace, nullptr), -EINVAL);
  EXPECT_EQ(blkin_get_trace_info(nullptr, &got), -EINVAL);
  EXPECT_EQ(blkin_get_trace_info(&trace, nullptr), -EINVAL);
}

TEST(BlkinOriginal, PackedIdsAreInNetworkByteOrder) {
  blkin_trace_info info = {0x0102030405060708, -2, 0x1112131415161718}, back = {};
  blkin_trace_info_packed packed;
  EXPECT_EQ(blkin_pack_trace_info(&info, &packed), 1);
  EXPECT_EQ(std::string(reinterpret_cast<char*>(&packed), sizeof packed),
            "\x01\x02\x03\x04\x05\x06\x07\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFE"
            "\x11\x12\x13\x14\x15\x16\x17\x18");
  EXPECT_EQ(blkin_unpack_trace_info(&packed, &back), 1);
  EXPECT_EQ(back.trace_id, info.trace_id);
  EXPECT_EQ(back.span_id, -2);
  EXPECT_EQ(back.parent_span_id, info.parent_span_id);
  EXPECT_EQ(blkin_pack_trace_info(nullptr, &packed), -EINVAL);
  EXPECT_EQ(blkin_pack_trace_info(&info, nullptr), -EINVAL);
  EXPECT_EQ(blkin_unpack_trace_info(nullptr, &info), -EINVAL);
  EXPECT_EQ(blkin_unpack_trace_info(&packed, nullptr), -EINVAL);
}

TEST(BlkinOriginal, RecordsBecomeASpan) {
  BlkinTracer tracer;
  blkin_endpoint endpoint = MakeEndpoint(), other = MakeEndpoint("other");
  blkin_trace root;
  blkin_init_new_trace(&root, "write", &endpoint);
  BLKIN_TIMESTAMP(&root, &endpoint, "start")
  BLKIN_KEYVAL(&root, nullptr, "object", "a");
  BLKIN_TIMESTAMP(&root, &other, "end");
  const RecordedSpan span = tracer.OnlySpan();
  EXPECT_EQ(span.trace_id_low, static_cast<std::uint64_t>(root.info.trace_id));
  EXPECT_EQ(span.span_id, static_cast<std::uint64_t>(root.info.span_id));
  EXPECT_EQ(span.name, "write");
  EXPECT_EQ(span.service, "disk");
  EXPECT_EQ(span.Tag("object"), "a");
  EXPECT_THAT(Events(span), ElementsAre("start", "end"));
}

TEST(BlkinOriginal, RecordsWithoutNamesHaveDefaultsAndChangeNothing) {
  BlkinTracer tracer;
  blkin_endpoint endpoint = {nullptr, 1, nullptr};
  blkin_trace root = {nullptr, {1, 2, 0}, &endpoint};
  blkin_annotation annotation = {ANNOT_TIMESTAMP, nullptr, "end", nullptr};
  EXPECT_EQ(blkin_record(&root, &annotation), 0);
  const RecordedSpan span = tracer.OnlySpan();
  EXPECT_EQ(span.name, "NoName");
  EXPECT_EQ(span.service, "NoName");
  EXPECT_EQ(span.ipv4, "");
  EXPECT_EQ(root.name, nullptr);
  EXPECT_EQ(endpoint.ip, nullptr);
  EXPECT_EQ(annotation.annotation_endpoint, nullptr);
}

TEST(BlkinOriginal, BadRecordsAreErrors) {
  BlkinTracer tracer;
  blkin_endpoint endpoint = MakeEndpoint();
  blkin_trace root = {"n", {1, 2, 0}, nullptr};
  blkin_annotation annotation = {ANNOT_TIMESTAMP, nullptr, "end", nullptr};
  EXPECT_EQ(blkin_record(nullptr, &annotation), -EINVAL);
  EXPECT_EQ(blkin_record(&root, nullptr), -EINVAL);
  EXPECT_EQ(blkin_record(&root, &annotation), -EINVAL);  // no endpoint
  annotation = {ANNOT_STRING, nullptr, "v", &endpoint};
  EXPECT_EQ(blkin_record(&root, &annotation), -EINVAL);
  annotation = {ANNOT_STRING, "k", nullptr, &endpoint};
  EXPECT_EQ(blkin_record(&root, &annotation), -EINVAL);
  annotation = {static_cast<blkin_annotation_type>(2), "k", "v", &endpoint};
  EXPECT_EQ(blkin_record(&root, &annotation), -EINVAL);
  BLKIN_TIMESTAMP(&root, &endpoint, nullptr);  // the macros hide errors
  BLKIN_KEYVAL(&root, &endpoint, nullptr, "v");
  EXPECT_THAT(tracer.All(), IsEmpty());
}

TEST(BlkinOriginal, WhatIsNotTracedIsNotRecorded) {
  BlkinTracer tracer;
  blkin_endpoint endpoint = MakeEndpoint();
  blkin_trace root = {"n", {0, 2, 0}, &endpoint}, child;
  BLKIN_TIMESTAMP(&root, &endpoint, "end");
  blkin_init_child(&child, &root, nullptr, "child");
  EXPECT_EQ(child.info.trace_id, 0);
  BLKIN_TIMESTAMP(&child, &endpoint, "end");
  EXPECT_THAT(tracer.All(), IsEmpty());
}

TEST(BlkinOriginal, ATracersSamplerDecidesOnRoots) {
  const BlkinTracer never(WithSampler("never"));
  blkin_trace root, child;
  blkin_init_new_trace(&root, "n", nullptr);
  EXPECT_EQ(root.info.trace_id, 0);
  blkin_trace_info info = {5, 6, 0};
  blkin_endpoint endpoint = MakeEndpoint();
  blkin_init_child_info(&child, &info, &endpoint, "child");
  EXPECT_EQ(child.info.trace_id, 5);  // decided elsewhere
}

TEST(BlkinOriginal, IdsAreUniqueAndPositiveOnAllThreads) {
  constexpr int kThreads = 4, kIds = 5000;
  std::vector<std::vector<std::int64_t>> ids(kThreads);
  std::vector<std::thread> threads;
  for (auto& mine : ids) {
    threads.emplace_back([&mine] {
      for (int i = 0; i < kIds; ++i) {
        blkin_trace trace;
        blkin_init_new_trace(&trace, "n", nullptr);
        mine.push_back(trace.info.trace_id);
        mine.push_back(trace.info.span_id);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::set<std::int64_t> all;
  for (const auto& mine : ids) all.insert(mine.begin(), mine.end());
  EXPECT_THAT(all, SizeIs(2 * kThreads * kIds));
  EXPECT_GT(*all.begin(), 0);
}

TEST(BlkinOriginal, AChildProcessDrawsOtherIds) {
  TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK();
  blkin_trace before, after;
  blkin_init_new_trace(&before, "n", nullptr);
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  InFork([&] {
    blkin_init_new_trace(&after, "n", nullptr);
    EXPECT_EQ(write(pipe_ends[1], &after.info, sizeof after.info),
              static_cast<ssize_t>(sizeof after.info));
  });
  blkin_trace_info childs = {};
  ASSERT_EQ(read(pipe_ends[0], &childs, sizeof childs), static_cast<ssize_t>(sizeof childs));
  blkin_init_new_trace(&after, "n", nullptr);
  EXPECT_NE(childs.trace_id, after.info.trace_id);
  EXPECT_NE(childs.span_id, after.info.span_id);
  close(pipe_ends[0]);
  close(pipe_ends[1]);
}

TEST(BlkinOriginal, ManyThreadsRecord) {
  BlkinTracer tracer;
  constexpr int kThreads = 4, kSpans = 200;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([] {
      blkin_endpoint endpoint = MakeEndpoint();
      for (int i = 0; i < kSpans; ++i) {
        blkin_trace root;
        blkin_init_new_trace(&root, "write", &endpoint);
        BLKIN_TIMESTAMP(&root, &endpoint, "start");
        BLKIN_KEYVAL(&root, &endpoint, "k", "v");
        BLKIN_TIMESTAMP(&root, &endpoint, "end");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto spans = tracer.All();
  EXPECT_THAT(spans, SizeIs(kThreads * kSpans));
  for (const RecordedSpan& span : spans) EXPECT_THAT(span.logs, SizeIs(2));
}

TEST(BlkinOriginalCpp, TracesOwnTheirText) {
  BlkinTracer tracer;
  blkin_trace_info root_info, info;
  {
    ZTracer::ZTraceRef root, child, grandchild;
    {
      const std::string name(100, 'r');
      const auto endpoint =
          ZTracer::create_ZTraceEndpoint(std::string("10.0.0.1"), 1, std::string(50, 's'));
      root = ZTracer::create_ZTrace(name, endpoint);
      child = ZTracer::create_ZTrace("child", root);
      grandchild = ZTracer::create_ZTrace("grandchild", child,
                                          ZTracer::create_ZTraceEndpoint("10.0.0.2", 2, "other"));
    }
    EXPECT_EQ(root->get_trace_info(&root_info), 0);
    EXPECT_EQ(child->get_endpoint(), root->get_endpoint());
    EXPECT_NE(grandchild->get_endpoint(), root->get_endpoint());
    EXPECT_EQ(root->keyval(std::string("key"), std::string("value")), 0);
    EXPECT_EQ(root->keyval("key 2", "value", grandchild->get_endpoint()), 0);
    EXPECT_EQ(root->keyval(std::string("key 3"), std::string("value"), root->get_endpoint()), 0);
    EXPECT_EQ(root->event("a"), 0);
    EXPECT_EQ(root->event(std::string("b"), grandchild->get_endpoint()), 0);
    EXPECT_EQ(root->event(std::string("end")), 0);
    EXPECT_EQ(child->event("end", child->get_endpoint()), 0);
    EXPECT_EQ(grandchild->event("end"), 0);
    grandchild->get_trace_info(&info);
  }
  const auto spans = tracer.Reported();
  ASSERT_THAT(spans, SizeIs(3));
  EXPECT_EQ(spans[0].name, std::string(100, 'r'));
  EXPECT_EQ(spans[0].service, std::string(50, 's'));
  EXPECT_EQ(spans[0].Tag("key 2"), "value");
  EXPECT_THAT(Events(spans[0]), ElementsAre("a", "b", "end"));
  EXPECT_EQ(spans[1].parent_span_id, spans[0].span_id);
  EXPECT_EQ(spans[2].parent_span_id, spans[1].span_id);
  EXPECT_EQ(spans[2].service, "other");
  EXPECT_EQ(spans[2].trace_id_low, static_cast<std::uint64_t>(root_info.trace_id));
  EXPECT_EQ(spans[2].span_id, static_cast<std::uint64_t>(info.span_id));
}

TEST(BlkinOriginalCpp, IdsAreAdoptedOrBecomeAParent) {
  const auto endpoint = ZTracer::create_ZTraceEndpoint("10.0.0.1", 1, "disk");
  blkin_trace_info info = {5, 6, 7}, got;
  ZTracer::create_ZTrace("same", endpoint, &info)->get_trace_info(&got);
  EXPECT_EQ(got.span_id, 6);
  EXPECT_EQ(got.parent_span_id, 7);
  const auto child = ZTracer::create_ZTrace("child", endpoint, &info, true);
  child->get_trace_info(&got);
  EXPECT_EQ(got.trace_id, 5);
  EXPECT_EQ(got.parent_span_id, 6);
  EXPECT_EQ(child->set_trace_info(&info), 0);
  child->get_trace_info(&got);
  EXPECT_EQ(got.span_id, 6);
}

// The references are boost::shared_ptr, even though std::shared_ptr exists.
static_assert(std::is_same_v<ZTracer::ZTraceRef, boost::shared_ptr<ZTracer::ZTrace>>);

}  // namespace
}  // namespace tracekin::testing
