// SPDX-License-Identifier: Apache-2.0
#include "ctf/event_header.h"

#include <gtest/gtest.h>

#include "ctf/error.h"
#include "tests/ctf/bytes.h"
#include "tests/ctf/types.h"

namespace tracekin::ctf {
namespace {

using testing::Bytes;
using testing::ParseType;

std::string Time(int bits, int alignment) {
  return "integer { size = " + std::to_string(bits) + "; align = " + std::to_string(alignment) +
         "; map = clock.m.value; } timestamp;";
}

// Returns an event header like LTTng's, with `id_bits` 5 or 16. The alignment is 8, or more on some
// architectures.
std::string Forms(int id_bits, int id_alignment, int time_bits, int time_alignment,
                  int alignment = 8) {
  const std::uint64_t last = (1ULL << id_bits) - 1;
  return "struct { enum : integer { size = " + std::to_string(id_bits) +
         "; align = " + std::to_string(id_alignment) + "; } { compact = 0 ... " +
         std::to_string(last - 1) + ", extended = " + std::to_string(last) +
         " } id; variant <id> { struct { " + Time(time_bits, time_alignment) +
         " } compact; struct { integer { size = 32; align = " + std::to_string(alignment) +
         "; } id; " + Time(64, alignment) + " } extended; } v; } align(8)";
}

EventHeader LayOut(const std::string& type) { return LayOutHeader(*ParseType(type)); }

std::uint64_t Load(const EventHeader::Field& field, Bytes bytes) {
  return field.Load(reinterpret_cast<const std::uint8_t*>(bytes.PadTo(64).str().data()));
}

TEST(EventHeader, OfLttngsCompactLayout) {
  const EventHeader header = LayOut(Forms(5, 1, 27, 1));
  EXPECT_EQ(header.compact.bytes, 4U);
  EXPECT_EQ(header.extended.bytes, 13U);
  EXPECT_EQ(header.extended_id, 31U);
  const Bytes compact = Bytes().U32(7U | 0x5ABCDEFU << 5U);
  EXPECT_EQ(Load(header.compact.id, compact), 7U);
  EXPECT_EQ(Load(header.compact.time, compact), 0x5ABCDEFU);
  const Bytes extended = Bytes().U8(31).U32(1000).U64(1ULL << 40U);
  EXPECT_EQ(Load(header.extended.id, extended), 1000U);
  EXPECT_EQ(Load(header.extended.time, extended), 1ULL << 40U);
}

TEST(EventHeader, OfLttngsLargeLayout) {
  const EventHeader header = LayOut(Forms(16, 8, 32, 8));
  EXPECT_EQ(header.compact.bytes, 6U);
  EXPECT_EQ(header.extended.bytes, 14U);
  EXPECT_EQ(header.extended_id, 65535U);
  EXPECT_EQ(Load(header.compact.time, Bytes().U16(3).U32(0xFFFFFFFF)), 0xFFFFFFFFU);
}

TEST(EventHeader, OfBabeltracesLayout) {
  const EventHeader header = LayOut("struct { u64 id; " + Time(64, 8) + " } align(8)");
  EXPECT_EQ(header.compact.bytes, 16U);
  EXPECT_EQ(Load(header.compact.id, Bytes().U64(70'000).U64(5)), 70'000U);
  EXPECT_EQ(Load(header.compact.time, Bytes().U64(70'000).U64(5)), 5U);
}

TEST(EventHeader, OfOtherLayoutsIsRefused) {
  for (const std::string& type :
       {Forms(5, 1, 27, 1, 32), Forms(5, 1, 26, 1), std::string("struct { u8 id; } align(8)"),
        std::string("struct { u8 id; u8 timestamp; } align(8)"),
        "struct { s64 id; " + Time(64, 8) + " } align(8)",
        "struct { u64 number; " + Time(64, 8) + " } align(8)"}) {
    EXPECT_THROW(LayOut(type), NotUnderstood) << type;
  }
}

TEST(Advance, AddsTheBitsThatAHeaderLacks) {
  constexpr std::uint64_t kMask = (1U << 27U) - 1;
  EXPECT_EQ(Advance(0x8000005, 6, kMask), 0x8000006U);
  EXPECT_EQ(Advance(0x8000005, 5, kMask), 0x8000005U);
  EXPECT_EQ(Advance(0x8000005, 4, kMask), 0x10000004U);  // the low bits wrapped around
  EXPECT_EQ(Advance(7, 5, ~0ULL), 5U);                   // a complete time, which decreased
}

}  // namespace
}  // namespace tracekin::ctf
