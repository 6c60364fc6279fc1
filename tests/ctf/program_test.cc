// SPDX-License-Identifier: Apache-2.0
#include "ctf/program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "ctf/error.h"
#include "tests/ctf/bytes.h"
#include "tests/ctf/types.h"

namespace tracekin::ctf {
namespace {

using As = Wanted::As;
using testing::Bytes;
using testing::ParseType;

// Compiles a type with its wanted fields, runs the program and keeps the values.
class Runner {
 public:
  Runner(const std::string& type, std::vector<Wanted> wanted)
      : wanted_(std::move(wanted)), program_(Compile(ParseType(type), wanted_)) {
    values_.number = numbers_;
    values_.text = texts_;
    std::fill(std::begin(numbers_), std::end(numbers_), -77);
  }

  // Runs the program on `bytes`, which begin at offset `at` of their packet. Returns how many bytes
  // the program used, or -1 if it failed. Copies the bytes into memory of exactly their size, so
  // that sanitizers detect a read past the end.
  long Run(const std::string& bytes, std::size_t at = 0) {
    copy_ = std::vector<std::uint8_t>(bytes.begin(), bytes.end());
    copy_.reserve(1);  // so that its address is never null
    const std::uint8_t* const begin = copy_.data();
    values_.damage = nullptr;
    const std::uint8_t* const end =
        ctf::Run(program_, begin, begin + copy_.size(),
                 reinterpret_cast<std::uintptr_t>(begin) - at, &values_);
    return end == nullptr ? -1 : end - begin;
  }

  // Expects the program to need all of the bytes: every shorter copy must fail.
  void ExpectAllAreNeeded(const std::string& bytes) {
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_EQ(Run(bytes.substr(0, size)), -1) << size;
    }
    EXPECT_EQ(Run(bytes), static_cast<long>(bytes.size()));
  }

  std::int64_t number(int slot) const { return numbers_[slot]; }
  std::string text(int slot) const { return std::string(texts_[slot]); }
  const char* damage() const { return values_.damage; }
  const Program& program() const { return program_; }

 private:
  std::vector<Wanted> wanted_;
  Program program_;
  std::int64_t numbers_[8];
  std::string_view texts_[8];
  Values values_;
  std::vector<std::uint8_t> copy_;
};

Wanted Number(const char* path, std::uint8_t slot) { return {path, As::kNumber, false, slot}; }
Wanted Text(const char* path, std::uint8_t slot) { return {path, As::kText, false, slot}; }

TEST(Program, TakesIntegersOfEverySizeAndSign) {
  Runner runner("struct { u8 _a; s8 _b; u16 _c; s16 _d; u32 _e; s32 _f; u64 _g; s64 _h; }",
                {Number("a", 0), Number("b", 1), Number("c", 2), Number("d", 3), Number("e", 4),
                 Number("f", 5), Number("g", 6), Number("h", 7)});
  runner.ExpectAllAreNeeded(Bytes()
                                .U8(0xFE)
                                .U8(0xFE)
                                .U16(0xFFFE)
                                .U16(0xFFFE)
                                .U32(0xFFFFFFFE)
                                .U32(0xFFFFFFFE)
                                .U64(~1ULL)
                                .U64(~1ULL)
                                .str());
  const std::int64_t expected[] = {0xFE, -2, 0xFFFE, -2, 0xFFFFFFFE, -2, -2, -2};
  for (int i = 0; i < 8; ++i) EXPECT_EQ(runner.number(i), expected[i]) << i;
}

TEST(Program, IsOneInstructionForWhatNobodyWants) {
  const Runner runner("struct { u8 _a; u16 _b; struct { u32 _c[7]; } _d; character _e[16]; }", {});
  ASSERT_EQ(runner.program().code.size(), 1U);
  EXPECT_EQ(runner.program().code[0].size, 47U);
}

TEST(Program, TakesText) {
  Runner runner("struct { string _a; character _b[4]; u8 _n; character _c[_n]; string _d; }",
                {Text("a", 0), Text("b", 1), Text("c", 2), Text("d", 3)});
  runner.ExpectAllAreNeeded(
      Bytes().Text("one").Raw("four").U8(3).U8('x').U8(0).U8('y').Text("").str());
  EXPECT_EQ(runner.text(0), "one");
  EXPECT_EQ(runner.text(1), "four");
  EXPECT_EQ(runner.text(2), "x");  // ends at the NUL, like an array
  EXPECT_EQ(runner.text(3), "");
}

TEST(Program, TakesBigEndianIntegers) {
  Runner runner(
      "struct { integer { size = 16; align = 8; byte_order = be; } _a;"
      "         integer { size = 32; align = 8; byte_order = network; signed = true; } _b; }",
      {Number("a", 0), Number("b", 1)});
  runner.ExpectAllAreNeeded(std::string("\x12\x34\xFF\xFF\xFF\xFE", 6));
  EXPECT_EQ(runner.number(0), 0x1234);
  EXPECT_EQ(runner.number(1), -2);
}

// Uses the first bytes of an IPv4 and a TCP header, in the layout of net_dev_queue.
TEST(Program, TakesBigEndianBitFieldsFromTheHighestBitOn) {
  Runner runner(
      "struct { integer { size = 4; align = 4; byte_order = be; } _version;"
      "         integer { size = 4; align = 4; byte_order = be; } _ihl;"
      "         integer { size = 4; align = 4; byte_order = be; } _offset;"
      "         integer { size = 3; align = 1; byte_order = be; } _reserved;"
      "         integer { size = 9; align = 1; byte_order = be; } _flags; }",
      {Number("version", 0), Number("ihl", 1), Number("offset", 2), Number("flags", 3)});
  runner.ExpectAllAreNeeded(std::string("\x45\x50\x12", 3));
  EXPECT_EQ(runner.number(0), 4);
  EXPECT_EQ(runner.number(1), 5);
  EXPECT_EQ(runner.number(2), 5);
  EXPECT_EQ(runner.number(3), 0x12);
}

TEST(Program, TakesLittleEndianBitFieldsFromTheLowestBitOn) {
  Runner runner(
      "struct { integer { size = 3; align = 1; } _a; integer { size = 7; align = 1; signed = 1; } "
      "_b;"
      "         integer { size = 6; align = 1; } _c; }",
      {Number("a", 0), Number("b", 1), Number("c", 2)});
  const unsigned word = 5U | (0x7EU << 3U) | (0x2AU << 10U);
  runner.ExpectAllAreNeeded(Bytes().U16(word).str());
  EXPECT_EQ(runner.number(0), 5);
  EXPECT_EQ(runner.number(1), -2);
  EXPECT_EQ(runner.number(2), 0x2A);
}

// Such sequences occur in syscall_exit_poll and epoll_wait.
TEST(Program, StepsOverSequencesOfStructsWithSingleBits) {
  Runner runner(
      "struct { u8 _n; struct { u32 _fd; struct { bit _p0; bit _p1; bit _p2; bit _p3; bit _p4;"
      "  bit _p5; bit _p6; bit _p7; } _events; } _fds[_n]; u16 _after; }",
      {Number("after", 0)});
  runner.ExpectAllAreNeeded(Bytes().U8(2).U32(1).U8(0xFF).U32(2).U8(0).U16(77).str());
  EXPECT_EQ(runner.number(0), 77);
}

constexpr char kNested[] =
    "struct {"
    "  enum : u8 { _unknown = 0, _ipv4 = 4, _ipv6 = 6, _unknown = 7 ... 9, _unknown = 200 } _type;"
    "  variant <_type> {"
    "    struct { } _unknown;"
    "    struct { u8 _saddr[4];"
    "      enum : u8 { _tcp = 6, _udp = 17 } _protocol;"
    "      variant <_protocol> { struct { u16 _port; u32 _seq; } _tcp; struct { u16 _port; } _udp; "
    "}"
    "        _transport; } _ipv4;"
    "    struct { u8 _saddr[16]; } _ipv6;"
    "  } _header;"
    "  u8 _after; }";

TEST(Program, FollowsVariantsInVariants) {
  Runner runner(kNested, {Number("header.ipv4.transport.tcp.seq", 0),
                          {"header.ipv4.saddr", As::kLowBytes, false, 1},
                          {"header.ipv4.saddr", As::kHighBytes, false, 2},
                          {"header.ipv6.saddr", As::kLowBytes, false, 3},
                          {"header.ipv6.saddr", As::kHighBytes, false, 4},
                          Number("after", 5)});
  runner.ExpectAllAreNeeded(
      Bytes().U8(4).Raw("\x7f\x01\x02\x03").U8(6).U16(80).U32(0x1234).U8(9).str());
  EXPECT_EQ(runner.number(0), 0x1234);
  EXPECT_EQ(runner.number(1), 0x7f010203);
  EXPECT_EQ(runner.number(2), 0);
  EXPECT_EQ(runner.number(3), -77);  // unchanged
  EXPECT_EQ(runner.number(5), 9);
  runner.ExpectAllAreNeeded(Bytes().U8(6).Raw("ABCDEFGHabcdefgh").U8(1).str());
  EXPECT_EQ(runner.number(4), 0x4142434445464748);
  EXPECT_EQ(runner.number(3), 0x6162636465666768);
  EXPECT_FALSE(runner.program().always[0]);
  EXPECT_TRUE(runner.program().ever[0]);
  EXPECT_TRUE(runner.program().always[5]);
}

TEST(Program, KnowsEachOfSeveralRangesOfOneLabel) {
  Runner runner(kNested, {});
  for (const unsigned type : {0U, 7U, 9U, 200U}) {
    EXPECT_EQ(runner.Run(Bytes().U8(type).U8(1).str()), 2) << type;
  }
  EXPECT_EQ(runner.Run(Bytes().U8(5).U8(1).str()), -1);
  EXPECT_STREQ(runner.damage(), "a variant has no option of that number");
}

TEST(Program, AlignsToMoreThanAByteSinceThePacketsBeginning) {
  Runner runner(
      "struct { string _a; integer { size = 32; align = 32; } _b; struct { } align(64) _c;"
      "         u8 _d; }",
      {Number("b", 0), Number("d", 1)});
  // From offset 5: padding up to 8 for the struct, text up to 10, padding up to 12 and the number
  // up to 16.
  EXPECT_EQ(runner.Run(Bytes().PadTo(3).Text("x").U16(0).U32(42).U8(7).str(), 5), 12);
  EXPECT_EQ(runner.number(0), 42);
  EXPECT_EQ(runner.number(1), 7);
}

TEST(Program, AlignsForAnEmptyStruct) {
  Runner runner("struct { bit _a; struct { } align(8) _pad; u8 _b; }", {Number("b", 0)});
  EXPECT_EQ(runner.Run(Bytes().U8(1).U8(5).str()), 2);
  EXPECT_EQ(runner.number(0), 5);
}

TEST(Program, TakesTheLastOfASequence) {
  Runner runner("struct { u8 _n; s32 _vtids[_n]; }", {{"vtids", As::kLast, false, 0}});
  runner.ExpectAllAreNeeded(Bytes().U8(3).U32(10).U32(20).U32(30).str());
  EXPECT_EQ(runner.number(0), 30);
}

TEST(Program, LeavesTheSlotOfAnEmptySequenceAlone) {
  Runner runner("struct { u8 _n; s32 _vtids[_n]; }", {{"vtids", As::kLast, false, 0}});
  EXPECT_EQ(runner.Run(Bytes().U8(0).str()), 1);
  EXPECT_EQ(runner.number(0), -77);
}

TEST(Program, RepeatsElementsOfVariableSize) {
  Runner runner("struct { u8 _n; struct { string _s; u8 _x; } _a[_n]; string _b[2]; u8 _after; }",
                {Number("after", 0), Text("a.s", 0)});
  runner.ExpectAllAreNeeded(
      Bytes().U8(2).Text("one").U8(1).Text("").U8(2).Text("x").Text("yy").U8(99).str());
  EXPECT_EQ(runner.number(0), 99);
}

TEST(Program, DoesNotBelieveACorruptLength) {
  Runner runner("struct { u64 _n; u64 _a[_n]; }", {});
  for (const std::uint64_t n : {2ULL, 1ULL << 61U, ~0ULL}) {
    EXPECT_EQ(runner.Run(Bytes().U64(n).U64(1).str()), -1) << n;
  }
  Runner strings("struct { u64 _n; string _a[_n]; }", {});
  EXPECT_EQ(strings.Run(Bytes().U64(~0ULL).Text("a").Text("b").str()), -1);
}

TEST(Program, TakesTheFirstOfSeveralForOnePlace) {
  Runner runner("struct { u8 _epfd; u8 _fd; }", {Number("fd", 0), Number("epfd", 0)});
  EXPECT_EQ(runner.Run("\x01\x02"), 2);
  EXPECT_EQ(runner.number(0), 2);
}

TEST(Program, TakesNothingOfAnotherKindThanIsWanted) {
  const Runner runner("struct { u8 _a; string _b; u16 _c[3]; }",
                      {Text("a", 0), Number("b", 0), {"c", As::kLowBytes, false, 0}});
  EXPECT_EQ(std::count(runner.program().ever.begin(), runner.program().ever.end(), true), 0);
}

TEST(Compile, RefusesWhatItCannotRun) {
  for (const char* type :
       {"struct { bit _a; variant <_a> { u8 _x; } _v; }",  // not an enumeration
        "struct { variant <_a> { u8 _x; } _v; }",          // no field selects the option
        "struct { u8 _a[_n]; u8 _n; }",                    // the length follows the sequence
        "struct { s8 _n; u8 _a[_n]; }",                    // a negative length
        "struct { u8 _n; struct { } _a[_n]; u8 _m; struct { u8 _x[_m]; } _b[_n]; }",
        "struct { u8 _n; bit _a[_n]; }",  // elements within a byte
        "struct { bit _a[3]; u8 _b; }",
        "struct { bit _a; integer { size = 4; align = 1; byte_order = be; } _b; }"}) {
    EXPECT_THROW(Compile(ParseType(type), {}), NotUnderstood) << type;
  }
}

TEST(Compile, OfNothingTakesNothing) { EXPECT_TRUE(Compile(nullptr, {}).code.empty()); }

}  // namespace
}  // namespace tracekin::ctf
