// SPDX-License-Identifier: Apache-2.0
#include "propagation/ceph_message.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "tests/propagation/carriers.h"
#include "tests/propagation/ceph_fronts.h"
#include "tests/propagation/heap_bytes.h"

namespace tracekin::propagation {
namespace {

using opentracing::span_context_corrupted_error;

constexpr std::size_t kOtelOffset = 87;
const std::string kEmptyBlock = FromHex("010101000000 00");
const std::string kBlock =
    FromHex("01011a000000 01 4bf92f3577b34da6a3ce929d0e0e4736 00f067aa0ba902b7 01");
const std::string kIds = FromHex("36470e0e9d92cea3 b702a90baa67f000 0d00000000000000");

Context Sample() {
  return MakeContext(0x4bf92f3577b34da6, 0xa3ce929d0e0e4736, 0x00f067aa0ba902b7, 13,
                     Decision::kAccept);
}

// Returns the part of Sample() that BlkKin's ids can represent.
Context Blkin() {
  Context context = Sample();
  context.trace_id_high = 0;
  return context;
}

// Debian's Ceph writes MOSDOp version 8. Version 9 has one more field.
CephFront OpVersion9(const std::string& block = kEmptyBlock) {
  CephFront message = RealCephFronts()[0];
  EXPECT_EQ(message.header.type, kCephOsdOp);
  message.header.version = 9;
  message.front.insert(kOtelOffset, block);
  return message;
}

std::vector<CephFront> Messages() {
  std::vector<CephFront> messages = RealCephFronts();
  messages.push_back(OpVersion9());
  messages.push_back(OpVersion9(kBlock));
  return messages;
}

// Returns the offset of the ids according to the message's specification alone.
std::size_t OffsetIn(const CephFront& message) {
  switch (message.header.type) {
    case kCephOsdOp:
      return 63;
    case kCephRepOp:
    case kCephRepOpReply:
      return 8;
    default:
      return message.front.size() - 24;
  }
}

std::string Name(const CephFront& message) {
  return std::to_string(message.header.type) + " version " + std::to_string(message.header.version);
}

Extracted Read(CephMessageHeader header, const HeapBytes& front) {
  Extracted result;
  const auto found = ReadCephTrace(header, front, &result.context);
  if (found) {
    result.found = *found;
  } else {
    result.error = found.error();
  }
  return result;
}

Extracted Read(const CephFront& message) { return Read(message.header, HeapBytes(message.front)); }

TEST(CephMessage, EveryTypeIsThere) {
  std::set<std::uint16_t> types;
  for (const CephFront& message : RealCephFronts()) types.insert(message.header.type);
  EXPECT_EQ(types, (std::set<std::uint16_t>{42, 43, 108, 109, 110, 111, 112, 113}));
}

TEST(CephMessage, ContextOfARealMessageIsFoundAndEmpty) {
  for (const CephFront& message : Messages()) {
    SCOPED_TRACE(Name(message));
    const auto place = FindCephTrace(message.header, HeapBytes(message.front));
    ASSERT_TRUE(place);
    EXPECT_EQ(place->ids, OffsetIn(message));
    EXPECT_EQ(message.front.substr(place->ids, 24), std::string(24, '\0'));
    EXPECT_EQ(place->otel_size != 0, message.header.version == 9);
    EXPECT_EQ(Read(message).found, place->otel_size == kBlock.size());
  }
}

TEST(CephMessage, ContextGoesToItsPlaceAndNothingElseChanges) {
  for (const CephFront& message : RealCephFronts()) {
    SCOPED_TRACE(Name(message));
    CephFront expected = message;
    expected.front.replace(OffsetIn(message), 24, kIds);
    CephFront stamped = message;
    ASSERT_TRUE(WriteCephTrace(Sample(), stamped.header, &stamped.front));
    EXPECT_EQ(stamped.front, expected.front);
    EXPECT_EQ(Read(stamped).context, Blkin());
    ASSERT_TRUE(WriteCephTrace({}, stamped.header, &stamped.front));
    EXPECT_EQ(stamped.front, message.front);
  }
}

TEST(CephMessage, OpenTelemetryBlockGrowsAndShrinksTheFront) {
  CephFront expected = OpVersion9(kBlock);
  expected.front.replace(63, 24, kIds);
  for (const std::string& before : {kEmptyBlock, kBlock}) {
    CephFront stamped = OpVersion9(before);
    ASSERT_TRUE(WriteCephTrace(Sample(), stamped.header, &stamped.front));
    EXPECT_EQ(stamped.front, expected.front);
    EXPECT_EQ(Read(stamped).context, Sample());  // with the full trace id
    ASSERT_TRUE(WriteCephTrace({}, stamped.header, &stamped.front));
    EXPECT_EQ(stamped.front, OpVersion9().front);
  }
}

TEST(CephMessage, OnlyASampledTraceHasIds) {
  for (const Decision decision : {Decision::kDeferred, Decision::kDeny}) {
    Context unsampled = Sample();
    unsampled.decision = decision;
    for (CephFront message : Messages()) {
      ASSERT_TRUE(WriteCephTrace(Sample(), message.header, &message.front));
      ASSERT_TRUE(WriteCephTrace(unsampled, message.header, &message.front));
      const Extracted read = Read(message);
      EXPECT_FALSE(read.found) << Name(message);
      EXPECT_FALSE(read.error) << Name(message);
    }
  }
}

// The two contexts may belong to different tracers.
TEST(CephMessage, OfTwoContextsTheSampledOneIsRead) {
  CephFront message = OpVersion9(kBlock);
  Context otel = Sample();
  otel.parent_span_id = 0;
  EXPECT_EQ(Read(message).context, otel);

  const std::string other = FromHex("0100000000000000 0200000000000000 0300000000000000");
  message.front.replace(63, 24, other);
  EXPECT_EQ(Read(message).context, otel);

  message.front[kOtelOffset + 31] = '\0';  // not sampled
  EXPECT_EQ(Read(message).context, MakeContext(0, 1, 2, 3, Decision::kAccept));

  message.front.replace(63, 24, 24, '\0');
  otel.decision = Decision::kDeny;
  EXPECT_EQ(Read(message).context, otel);
}

TEST(CephMessage, UnknownTypesAndVersionsAreLeftAlone) {
  for (const CephFront& message : Messages()) {
    for (const unsigned version : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 255, 256 + 8, 65535}) {
      const CephMessageHeader header{message.header.type, static_cast<std::uint16_t>(version)};
      if (version == message.header.version) continue;
      if (header.type == kCephRepOp && version == 2) continue;
      if (header.type == kCephOsdOp && (version == 8 || version == 9)) continue;
      std::string front = message.front;
      const auto written = WriteCephTrace(Sample(), header, &front);
      ASSERT_FALSE(written) << Name(message) << " as " << version;
      EXPECT_EQ(written.error(), std::errc::not_supported);
      EXPECT_EQ(Read(header, HeapBytes(front)).error, std::errc::not_supported);
      EXPECT_EQ(front, message.front);
    }
    for (const unsigned type : {0, 1, 41, 44, 107, 114, 256 + 42, 65535}) {
      const CephMessageHeader header{static_cast<std::uint16_t>(type), message.header.version};
      EXPECT_EQ(Read(header, HeapBytes(message.front)).error, std::errc::not_supported);
    }
  }
}

// A message whose header contains another type or version than its front.
TEST(CephMessage, FrontOfAnotherMessageIsInconsistent) {
  std::size_t tried = 0;
  for (const CephFront& of : Messages()) {
    for (const CephFront& as : Messages()) {
      if (of.header.type == as.header.type) continue;
      // Some types differ only in the fields of the operation.
      const auto kind = [](const CephFront& message) {
        const std::uint16_t type = message.header.type;
        return type == kCephRepOp || type == kCephRepOpReply ? 2 : type >= 108 ? 1 : type;
      };
      if (kind(of) == kind(as)) continue;
      std::string front = of.front;
      const auto written = WriteCephTrace(Sample(), as.header, &front);
      ASSERT_FALSE(written) << Name(of) << " as " << Name(as);
      EXPECT_EQ(written.error(), span_context_corrupted_error);
      EXPECT_EQ(front, of.front);
      ++tried;
    }
  }
  EXPECT_GT(tried, 50U);
  CephFront op = RealCephFronts()[0];
  op.header.version = 9;
  EXPECT_EQ(Read(op).error, span_context_corrupted_error);
}

// A truncated front is rejected if it ends before the fields that determine the offset.
TEST(CephMessage, TruncatedFrontIsNeverStampedElsewhere) {
  for (const CephFront& message : Messages()) {
    SCOPED_TRACE(Name(message));
    const std::size_t offset = OffsetIn(message);
    std::size_t refused = 0;
    EachTruncation(message.front, [&](const HeapBytes& front) {
      const auto place = FindCephTrace(message.header, front);
      if (place) {
        EXPECT_EQ(place->ids, offset) << front.size();
        return;
      }
      ++refused;
      EXPECT_EQ(place.error(), span_context_corrupted_error);
      std::string untouched(front.view());
      EXPECT_FALSE(WriteCephTrace(Sample(), message.header, &untouched));
      EXPECT_EQ(untouched, front.view());
    });
    EXPECT_GE(refused, offset + 24) << "those without the whole context";
    if (offset + 24 == message.front.size()) {
      const HeapBytes longer(message.front + '\0');
      EXPECT_EQ(Read(message.header, longer).error, span_context_corrupted_error);
    }
  }
}

TEST(CephMessage, FrontWithAFlippedBitIsNeverStampedElsewhere) {
  for (CephFront message : Messages()) {
    SCOPED_TRACE(Name(message));
    ASSERT_TRUE(WriteCephTrace(Sample(), message.header, &message.front));
    const std::size_t offset = OffsetIn(message);
    EachBitFlip(message.front, [&](const HeapBytes& front, std::size_t at) {
      const auto place = FindCephTrace(message.header, front);
      const bool context = at >= offset && at < offset + 24;
      EXPECT_TRUE(place || !context) << at;
      std::string stamped(front.view());
      const bool written = static_cast<bool>(WriteCephTrace({}, message.header, &stamped));
      EXPECT_EQ(written, static_cast<bool>(place)) << at;
      if (!place) {
        EXPECT_EQ(place.error(), span_context_corrupted_error) << at;
        EXPECT_EQ(stamped, front.view()) << at;
        return;
      }
      EXPECT_EQ(place->ids, offset) << at;
      EXPECT_EQ(stamped.substr(0, offset), front.view().substr(0, offset)) << at;
      EXPECT_EQ(stamped.substr(offset, 24), std::string(24, '\0')) << at;
    });
  }
}

// Each of these bytes distinguishes this message from others.
TEST(CephMessage, HeadsBeforeTheContextMustBeRight) {
  const CephFront op = RealCephFronts().front();
  for (const std::size_t at : {0, 1, 2, 3, 4, 5, 6, 19, 20, 21, 22, 36, 37, 38, 39, 40, 41}) {
    CephFront damaged = op;
    damaged.front[at] = static_cast<char>(damaged.front[at] ^ 1);
    EXPECT_EQ(Read(damaged).error, span_context_corrupted_error) << at;
  }
}

// A struct that only a later version can read may contain anything.
TEST(CephMessage, OperationOfAnUnknownVersionIsInconsistent) {
  for (const CephFront& message : RealCephFronts()) {
    if (message.header.type < kCephEcSubOpWrite || message.header.type > kCephEcSubOpReadReply) {
      continue;
    }
    CephFront later = message;
    later.front[28] = 9;  // after spg_t and the epoch: version of the struct
    EXPECT_FALSE(Read(later).error) << Name(message);
    later.front[29] = 9;  // oldest version that can read it
    EXPECT_EQ(Read(later).error, span_context_corrupted_error) << Name(message);
  }
}

TEST(CephMessage, TraceIdWithoutSpanIdIsAnError) {
  for (CephFront message : RealCephFronts()) {
    message.front[OffsetIn(message)] = 1;
    EXPECT_EQ(Read(message).error, span_context_corrupted_error) << Name(message);
  }
}

// Any four bytes may be interpreted as a length.
TEST(CephMessage, LengthsBeyondTheFrontAreNotFollowed) {
  for (const CephFront& message : RealCephFronts()) {
    for (std::size_t at = 0; at + 4 <= message.front.size(); ++at) {
      const HeapBytes front(message.front);
      std::memset(front.data() + at, 0xff, 4);
      const auto place = FindCephTrace(message.header, front);
      if (!place) continue;
      EXPECT_EQ(place->ids, OffsetIn(message)) << Name(message) << " " << at;
    }
  }
}

}  // namespace
}  // namespace tracekin::propagation
