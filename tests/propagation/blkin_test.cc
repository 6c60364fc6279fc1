// SPDX-License-Identifier: Apache-2.0
#include "propagation/blkin.h"

#include <endian.h>
#include <gtest/gtest.h>

#include "tests/propagation/carriers.h"
#include "tests/propagation/heap_bytes.h"

namespace tracekin::propagation {
namespace {

constexpr TraceInfo kInfo = {0x0123456789abcdef, 0x1112131415161718, 0x2122232425262728};

const std::string kBig = FromHex("0123456789abcdef 1112131415161718 2122232425262728");
const std::string kLittle = FromHex("efcdab8967452301 1817161514131211 2827262524232221");

const std::string& HostBytes() { return BYTE_ORDER == BIG_ENDIAN ? kBig : kLittle; }

bool operator==(const TraceInfo& a, const TraceInfo& b) {
  return a.trace_id == b.trace_id && a.span_id == b.span_id && a.parent_span_id == b.parent_span_id;
}

std::string Write(const TraceInfo& info, ByteOrder order) {
  const HeapBytes bytes(std::string(kTraceInfoBytes, '?'));
  WriteTraceInfo(info, order, bytes.data());
  return std::string(bytes.view());
}

Context Sample() {
  return MakeContext(0, 0x0123456789abcdef, 0x1112131415161718, 0x2122232425262728,
                     Decision::kAccept);
}

TEST(Blkin, BytesAreInTheirOrder) {
  EXPECT_EQ(Write(kInfo, ByteOrder::kBig), kBig);
  EXPECT_EQ(Write(kInfo, ByteOrder::kLittle), kLittle);
  EXPECT_EQ(Write(kInfo, ByteOrder::kHost), HostBytes());
  EXPECT_TRUE(ReadTraceInfo(HeapBytes(kBig).data(), ByteOrder::kBig) == kInfo);
  EXPECT_TRUE(ReadTraceInfo(HeapBytes(kLittle).data(), ByteOrder::kLittle) == kInfo);
  EXPECT_TRUE(ReadTraceInfo(HeapBytes(HostBytes()).data(), ByteOrder::kHost) == kInfo);
}

TEST(Blkin, BytesMayLieAnywhere) {
  const HeapBytes bytes("?" + kBig);
  EXPECT_TRUE(ReadTraceInfo(bytes.data() + 1, ByteOrder::kBig) == kInfo);
}

TEST(Blkin, SampledContextGoesThereAndBack) {
  for (const std::uint64_t id : {std::uint64_t{1}, ~std::uint64_t{0}, std::uint64_t{1} << 63}) {
    for (const std::uint64_t parent : {std::uint64_t{0}, id}) {
      const Context context = MakeContext(0, id, id, parent, Decision::kAccept);
      for (const ByteOrder order : {ByteOrder::kBig, ByteOrder::kLittle, ByteOrder::kHost}) {
        const std::string bytes = Write(ToTraceInfo(context), order);
        Context read;
        const auto found = FromTraceInfo(ReadTraceInfo(bytes.data(), order), &read);
        ASSERT_TRUE(found && *found);
        EXPECT_EQ(read, context);
      }
    }
  }
}

TEST(Blkin, OnlyASampledTraceHasIds) {
  for (const Decision decision : {Decision::kDeferred, Decision::kDeny}) {
    Context context = Sample();
    context.decision = decision;
    EXPECT_TRUE(ToTraceInfo(context) == TraceInfo{});
  }
  EXPECT_TRUE(ToTraceInfo(MakeContext(0, 0, 0, 0, Decision::kDebug)) == TraceInfo{});
  EXPECT_TRUE(ToTraceInfo(MakeContext(0, 0, 0, 0, Decision::kAccept)) == TraceInfo{});
}

// The parts of a context that the format cannot represent.
TEST(Blkin, UpperHalfDebugAndExtrasAreLost) {
  Context context = WithExtras(Sample(), {{"key", "value"}}, "vendor=1");
  context.trace_id_high = 7;
  context.decision = Decision::kDebug;
  context.random_trace_id = true;
  Context read;
  ASSERT_TRUE(*FromTraceInfo(ToTraceInfo(context), &read));
  EXPECT_EQ(read, Sample());
}

TEST(Blkin, TraceIdWhoseLowerHalfIsZeroIsNotTraced) {
  EXPECT_TRUE(ToTraceInfo(MakeContext(7, 0, 1, 0, Decision::kAccept)) == TraceInfo{});
}

TEST(Blkin, TraceIdZeroIsNotTracedWhateverTheOthersAre) {
  for (const TraceInfo& info : {TraceInfo{0, 0, 0}, TraceInfo{0, 1, 2}, TraceInfo{0, -1, 0}}) {
    Context context = Sample();
    const auto found = FromTraceInfo(info, &context);
    ASSERT_TRUE(found);
    EXPECT_FALSE(*found);
    EXPECT_EQ(context, Sample());
  }
}

TEST(Blkin, TraceIdWithoutSpanIdIsAnError) {
  Context context = Sample();
  const auto found = FromTraceInfo({1, 0, 2}, &context);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error(), opentracing::span_context_corrupted_error);
  EXPECT_EQ(context, Sample());
}

// Every bit matters, and for only one id.
TEST(Blkin, AFlippedBitChangesItsIdAlone) {
  EachBitFlip(kBig, [](const HeapBytes& bytes, std::size_t at) {
    const TraceInfo info = ReadTraceInfo(bytes.data(), ByteOrder::kBig);
    EXPECT_EQ(info.trace_id != kInfo.trace_id, at / 8 == 0);
    EXPECT_EQ(info.span_id != kInfo.span_id, at / 8 == 1);
    EXPECT_EQ(info.parent_span_id != kInfo.parent_span_id, at / 8 == 2);
    EXPECT_EQ(Write(info, ByteOrder::kBig), bytes.view());
  });
}

}  // namespace
}  // namespace tracekin::propagation
