// SPDX-License-Identifier: Apache-2.0
#include "propagation/otel_block.h"

#include <gtest/gtest.h>

#include "tests/propagation/carriers.h"
#include "tests/propagation/heap_bytes.h"

namespace tracekin::propagation {
namespace {

const std::string kFull =
    FromHex("01011a000000 01 4bf92f3577b34da6a3ce929d0e0e4736 00f067aa0ba902b7 01");
const std::string kEmpty = FromHex("010101000000 00");

Context Sample() {
  return MakeContext(0x4bf92f3577b34da6, 0xa3ce929d0e0e4736, 0x00f067aa0ba902b7, 0,
                     Decision::kAccept);
}

std::string Write(const Context& context) {
  const HeapBytes bytes(std::string(OtelBlockBytes(context), '?'));
  WriteOtelBlock(context, bytes.data());
  return std::string(bytes.view());
}

Extracted Read(std::string_view bytes) {
  Extracted result;
  const auto found = ReadOtelBlock(HeapBytes(bytes), &result.context);
  if (found) {
    result.found = *found;
  } else {
    result.error = found.error();
  }
  return result;
}

TEST(OtelBlock, IsWhatItsSpecificationSays) {
  EXPECT_EQ(Write(Sample()), kFull);
  EXPECT_EQ(Write({}), kEmpty);
  EXPECT_EQ(Read(kFull).context, Sample());
  const Extracted empty = Read(kEmpty);
  EXPECT_FALSE(empty.found);
  EXPECT_FALSE(empty.error);
}

TEST(OtelBlock, KeepsAllOfTheTraceId) {
  for (const auto& [high, low] : {std::pair{0ULL, 1ULL}, {1ULL, 0ULL}, {~0ULL, ~0ULL}}) {
    Context context = MakeContext(high, low, ~0ULL, 0, Decision::kAccept);
    context.random_trace_id = true;
    const std::string bytes = Write(context);
    EXPECT_EQ(Read(bytes).context, context);
    EXPECT_EQ(Write(Read(bytes).context), bytes);
  }
}

TEST(OtelBlock, OnlyASampledTraceHasIds) {
  for (const Decision decision : {Decision::kDeferred, Decision::kDeny}) {
    Context context = Sample();
    context.decision = decision;
    EXPECT_EQ(Write(context), kEmpty);
  }
  EXPECT_EQ(Write(MakeContext(0, 0, 0, 0, Decision::kDebug)), kEmpty);
}

TEST(OtelBlock, ParentDebugAndExtrasAreLost) {
  Context context = WithExtras(Sample(), {{"key", "value"}});
  context.parent_span_id = 7;
  context.decision = Decision::kDebug;
  EXPECT_EQ(Write(context), kFull);
}

TEST(OtelBlock, UnsampledContextOfAnotherWriterIsDenied) {
  std::string bytes = kFull;
  bytes.back() = '\0';
  Context denied = Sample();
  denied.decision = Decision::kDeny;
  EXPECT_EQ(Read(bytes).context, denied);
}

TEST(OtelBlock, IdsOfZeroAreAnError) {
  std::string bytes = kFull;
  bytes.replace(7, 16, 16, '\0');
  EXPECT_EQ(Read(bytes).error, opentracing::span_context_corrupted_error);
  bytes = kFull;
  bytes.replace(23, 8, 8, '\0');
  EXPECT_EQ(Read(bytes).error, opentracing::span_context_corrupted_error);
}

TEST(OtelBlock, TruncatedAnywhereIsAnError) {
  for (const std::string& whole : {kFull, kEmpty}) {
    EachTruncation(whole, [](const HeapBytes& bytes) {
      EXPECT_EQ(Read(bytes).error, opentracing::span_context_corrupted_error) << bytes.size();
      EXPECT_EQ(FindOtelBlock(bytes), 0U) << bytes.size();
    });
  }
}

TEST(OtelBlock, BytesBehindItAreAnError) {
  for (const std::string& whole : {kFull, kEmpty}) {
    EXPECT_EQ(Read(whole + '\0').error, opentracing::span_context_corrupted_error);
    EXPECT_EQ(FindOtelBlock(HeapBytes(whole + '\0')), whole.size());
  }
}

TEST(OtelBlock, AFlippedBitIsAnErrorOrAnotherContext) {
  EachBitFlip(kFull, [](const HeapBytes& bytes, std::size_t at) {
    const Extracted read = Read(bytes);
    EXPECT_EQ(read.found, at >= 7) << at;
    EXPECT_EQ(FindOtelBlock(bytes), at >= 7 ? 32U : 0U) << at;
    if (at < 7) {
      EXPECT_EQ(read.error, opentracing::span_context_corrupted_error);
    } else if (at < 31) {
      EXPECT_FALSE(read.context == Sample()) << at;
    }
  });
  EachBitFlip(kEmpty, [](const HeapBytes& bytes, std::size_t at) {
    EXPECT_EQ(Read(bytes).error, opentracing::span_context_corrupted_error) << at;
    EXPECT_EQ(FindOtelBlock(bytes), 0U) << at;
  });
}

}  // namespace
}  // namespace tracekin::propagation
