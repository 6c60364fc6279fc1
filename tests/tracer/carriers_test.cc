// SPDX-License-Identifier: Apache-2.0
// Tests the carriers of tracekin/carriers.h with real span contexts. The formats have separate
// tests.

#include "tracekin/carriers.h"

#include <gtest/gtest.h>
#include <opentracing/mocktracer/tracer.h>
#include <opentracing/noop.h>

#include <cstring>
#include <string>
#include <string_view>
#include <system_error>

#include "tests/support/recording_tracer.h"
#include "tracekin/xseg.h"

namespace tracekin::testing {
namespace {

constexpr BytesFormat kFormats[] = {BytesFormat::kBlkin, BytesFormat::kCeph, BytesFormat::kHost,
                                    BytesFormat::kOtel};

std::size_t SizeOf(BytesFormat format) { return format == BytesFormat::kOtel ? 32 : 24; }

propagation::Context Of(const opentracing::SpanContext& context) {
  return SpanContext::Cast(&context)->Snapshot();
}

class Carriers : public ::testing::TestWithParam<BytesFormat> {
 protected:
  const BytesFormat format_ = GetParam();
  RecordingTracer tracer_;
};
INSTANTIATE_TEST_SUITE_P(All, Carriers, ::testing::ValuesIn(kFormats));

TEST_P(Carriers, AChildGoesOnWithTheTrace) {
  const auto span = tracer_->StartSpan("sender");
  char bytes[kMaxBytesOfFormat];
  std::size_t written = 0;
  ASSERT_TRUE(
      tracer_->Inject(span->context(), BytesWriter(format_, bytes, sizeof bytes, &written)));
  EXPECT_EQ(written, SizeOf(format_));
  const auto extracted = tracer_->Extract(BytesReader(format_, bytes, written));
  ASSERT_TRUE(extracted);
  ASSERT_NE(*extracted, nullptr);
  const auto child = tracer_->StartSpan("receiver", {opentracing::ChildOf(extracted->get())});
  const propagation::Context parent = Of(span->context());
  const propagation::Context received = Of(child->context());
  EXPECT_EQ(received.trace_id_low, parent.trace_id_low);
  EXPECT_EQ(received.trace_id_high, format_ == BytesFormat::kOtel ? parent.trace_id_high : 0);
  EXPECT_EQ(received.parent_span_id, parent.span_id);
  EXPECT_EQ(received.decision, propagation::Decision::kAccept);
}

TEST_P(Carriers, UnsampledSpanIsNotTraced) {
  Options never;
  never.sampler.type = "never";
  RecordingTracer unsampled(never);
  const auto span = unsampled->StartSpan("sender");
  char bytes[kMaxBytesOfFormat];
  const auto written = InjectBytes(span->context(), format_, bytes, sizeof bytes);
  ASSERT_TRUE(written);
  EXPECT_EQ(*written, format_ == BytesFormat::kOtel ? 7U : 24U);
  const auto extracted = ExtractBytes(format_, bytes, *written);
  ASSERT_TRUE(extracted);
  EXPECT_EQ(*extracted, nullptr);
}

TEST_P(Carriers, SpaceThatIsTooSmallIsLeftAlone) {
  const auto span = tracer_->StartSpan("sender");
  for (std::size_t size = 0; size < SizeOf(format_); ++size) {
    std::string bytes(size, '?');
    bytes.shrink_to_fit();
    std::size_t written = 77;
    const auto result =
        tracer_->Inject(span->context(), BytesWriter(format_, bytes.data(), size, &written));
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error(), std::errc::no_buffer_space);
    EXPECT_EQ(bytes, std::string(size, '?'));
    EXPECT_EQ(written, 77U);
  }
}

TEST_P(Carriers, AnyOtherLengthIsCorrupted) {
  const auto span = tracer_->StartSpan("sender");
  char bytes[kMaxBytesOfFormat + 1] = {};
  ASSERT_TRUE(InjectBytes(span->context(), format_, bytes, sizeof bytes));
  for (std::size_t size = 0; size <= SizeOf(format_) + 1; ++size) {
    const std::unique_ptr<char[]> exact(new char[size]);
    std::memcpy(exact.get(), bytes, size);
    const auto extracted = tracer_->Extract(BytesReader(format_, exact.get(), size));
    EXPECT_EQ(static_cast<bool>(extracted), size == SizeOf(format_)) << size;
    if (!extracted) {
      EXPECT_EQ(extracted.error(), opentracing::span_context_corrupted_error);
    }
  }
}

TEST_P(Carriers, ForeignContextIsRefused) {
  const auto noop = opentracing::MakeNoopTracer();
  const auto span = noop->StartSpan("foreign");
  char bytes[kMaxBytesOfFormat] = {'?'};
  const auto result = tracer_->Inject(span->context(), BytesWriter(format_, bytes, sizeof bytes));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error(), opentracing::invalid_span_context_error);
  EXPECT_EQ(bytes[0], '?');
}

TEST(TraceInfo, IsTheContextThereAndBack) {
  RecordingTracer tracer;
  const auto root = tracer->StartSpan("root");
  const auto span = tracer->StartSpan("span", {opentracing::ChildOf(&root->context())});
  const auto info = ToTraceInfo(span->context());
  ASSERT_TRUE(info);
  const propagation::Context context = Of(span->context());
  EXPECT_EQ(static_cast<std::uint64_t>(info->trace_id), context.trace_id_low);
  EXPECT_EQ(static_cast<std::uint64_t>(info->span_id), context.span_id);
  EXPECT_EQ(static_cast<std::uint64_t>(info->parent_span_id), context.parent_span_id);
  const auto back = FromTraceInfo(*info);
  ASSERT_TRUE(back);
  const auto again = ToTraceInfo(**back);
  ASSERT_TRUE(again);
  EXPECT_EQ(std::memcmp(&*again, &*info, sizeof *info), 0);
}

TEST(TraceInfo, ForeignUntracedAndCorrupted) {
  const auto noop = opentracing::MakeNoopTracer();
  const auto foreign = ToTraceInfo(noop->StartSpan("foreign")->context());
  ASSERT_FALSE(foreign);
  EXPECT_EQ(foreign.error(), opentracing::invalid_span_context_error);
  const auto untraced = FromTraceInfo({0, 1, 2});
  ASSERT_TRUE(untraced);
  EXPECT_EQ(*untraced, nullptr);
  const auto corrupted = FromTraceInfo({1, 0, 2});
  ASSERT_FALSE(corrupted);
  EXPECT_EQ(corrupted.error(), opentracing::span_context_corrupted_error);
}

TEST(XsegCarrier, AChildGoesOnWithTheTrace) {
  RecordingTracer tracer;
  const auto span = tracer->StartSpan("sender");
  const std::unique_ptr<char[]> request(new char[TRACEKIN_XSEG_SIZE]());
  ASSERT_TRUE(tracer->Inject(span->context(), XsegWriter(request.get(), TRACEKIN_XSEG_SIZE)));
  const auto extracted = tracer->Extract(XsegReader(request.get(), TRACEKIN_XSEG_SIZE));
  ASSERT_TRUE(extracted);
  ASSERT_NE(*extracted, nullptr);
  EXPECT_EQ(Of(**extracted).span_id, Of(span->context()).span_id);
}

// Neither an unsampled span nor a foreign one may leave the ids of the request's previous use in
// it.
TEST(XsegCarrier, RecycledRequestIsNotTracedUnlessItsOwnSpanIs) {
  RecordingTracer tracer;
  Options options;
  options.sampler.type = "never";
  RecordingTracer never(options);
  const auto noop = opentracing::MakeNoopTracer();
  const auto last = tracer->StartSpan("last use");
  const auto unsampled = never->StartSpan("unsampled");
  const auto foreign = noop->StartSpan("foreign");
  for (const opentracing::Span* span : {unsampled.get(), foreign.get()}) {
    char request[TRACEKIN_XSEG_SIZE];
    const XsegWriter writer(request, sizeof request);
    ASSERT_TRUE(tracer->Inject(last->context(), writer));
    EXPECT_EQ(static_cast<bool>(tracer->Inject(span->context(), writer)), span == unsampled.get());
    const auto extracted = tracer->Extract(XsegReader(request, sizeof request));
    ASSERT_TRUE(extracted);
    EXPECT_EQ(*extracted, nullptr);
  }
}

TEST(XsegCarrier, RequestWithoutAPlaceHoldsNoContext) {
  RecordingTracer tracer;
  const auto span = tracer->StartSpan("sender");
  const std::unique_ptr<char[]> request(new char[TRACEKIN_XSEG_OFFSET]());
  const auto result = tracer->Inject(span->context(), XsegWriter(request.get(), 448));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error(), std::errc::no_buffer_space);
  const auto extracted = tracer->Extract(XsegReader(request.get(), 448));
  ASSERT_TRUE(extracted);
  EXPECT_EQ(*extracted, nullptr);
}

}  // namespace
}  // namespace tracekin::testing
