// SPDX-License-Identifier: Apache-2.0
#include "propagation/binary.h"

#include <gtest/gtest.h>

#include <random>
#include <sstream>
#include <streambuf>
#include <string>

#include "tests/propagation/carriers.h"

namespace tracekin::propagation {
namespace {

Context Sample() {
  Context context =
      WithExtras(MakeContext(0x0102030405060708, 0x090a0b0c0d0e0f10, 0x1112131415161718,
                             0x191a1b1c1d1e1f20, Decision::kAccept),
                 {{"key", "value"}, {"", std::string("\0\r\n", 3)}}, "vendor=1");
  context.random_trace_id = true;
  return context;
}

std::string Encode(const Context& context) {
  std::ostringstream stream;
  EXPECT_TRUE(InjectBinary(context, stream));
  return stream.str();
}

Extracted Decode(std::istream& stream) {
  Extracted result;
  const auto outcome = ExtractBinary(stream, &result.context);
  if (!outcome) {
    result.error = outcome.error();
  } else {
    result.found = *outcome;
  }
  return result;
}

Extracted Decode(const std::string& bytes) {
  std::istringstream stream(bytes);
  return Decode(stream);
}

TEST(Binary, IsWhatItsSpecificationSays) {
  const std::string expected(
      "tkc\x01"
      "\0\x40"  // number of bytes that follow
      "\x06"    // accepted, random trace id
      "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10"
      "\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f\x20"
      "\0\x08vendor=1"
      "\0\x02"
      "\0\x03key\0\x05value"
      "\0\0\0\x03\0\r\n",
      6 + 0x40);
  EXPECT_EQ(Encode(Sample()), expected);
}

// The example of docs/wire-formats.md.
TEST(Binary, ExampleOfTheSpecificationIsWritten) {
  const std::string expected(
      "\x74\x6b\x63\x01\x00\x2b\x02"
      "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xaa"
      "\x00\x00\x00\x00\x00\x00\x00\xbb\x00\x00\x00\x00\x00\x00\x00\x00"
      "\x00\x00\x00\x01\x00\x01\x6b\x00\x01\x76",
      6 + 0x2b);
  EXPECT_EQ(Encode(WithExtras(MakeContext(0, 0xaa, 0xbb, 0, Decision::kAccept), {{"k", "v"}})),
            expected);
}

TEST(Binary, WhatWasInjectedIsExtractedAndInjectedAgain) {
  for (const Decision decision :
       {Decision::kDeferred, Decision::kDeny, Decision::kAccept, Decision::kDebug}) {
    for (const Context& context :
         {MakeContext(0, 0, 0, 0, decision), MakeContext(0, ~0ULL, ~0ULL, ~0ULL, decision),
          WithExtras(MakeContext(1, 0, 2, 3, decision), {{"k", "v"}}), Sample()}) {
      const std::string bytes = Encode(context);
      const Extracted extracted = Decode(bytes);
      EXPECT_TRUE(extracted.found) << extracted.error.message();
      EXPECT_EQ(extracted.context, context);
      EXPECT_EQ(Encode(extracted.context), bytes);
    }
  }
}

TEST(Binary, LargestContextFits) {
  Baggage baggage;
  for (int i = 0; i < 64; ++i)
    baggage.emplace_back(std::string(3, static_cast<char>(i)), std::string(125, 'v'));
  std::string tracestate = "a=" + std::string(256, 'v');
  for (char key = 'b'; key <= 'o'; ++key)
    tracestate += std::string(",") + key + "=" + std::string(256, 'v');
  const Context context = WithExtras(Sample(), baggage, tracestate);
  const Extracted extracted = Decode(Encode(context));
  EXPECT_TRUE(extracted.found) << extracted.error.message();
  EXPECT_EQ(extracted.context, context);
}

TEST(Binary, ContextBeyondTheLimitsIsNotWritten) {
  std::ostringstream stream;
  const auto too_much = InjectBinary(WithExtras(Sample(), {{"k", std::string(8192, 'v')}}), stream);
  ASSERT_FALSE(too_much);
  EXPECT_EQ(too_much.error(), opentracing::invalid_span_context_error);
  EXPECT_FALSE(InjectBinary(WithExtras(Sample(), Baggage(65, {"k", "v"})), stream));
  EXPECT_FALSE(InjectBinary(WithExtras(Sample(), {}, std::string(4097, 'v')), stream));
  EXPECT_EQ(stream.str(), "");
}

TEST(Binary, EmptyStreamHoldsNothing) {
  std::istringstream stream("");
  for (int i = 0; i < 2; ++i) {  // eofbit is set the second time
    const Extracted extracted = Decode(stream);
    EXPECT_FALSE(extracted.error);
    EXPECT_FALSE(extracted.found);
  }
}

TEST(Binary, StreamIsLeftBehindTheContext) {
  const std::string bytes = Encode(Sample());
  std::istringstream stream(bytes + bytes + "rest");
  EXPECT_TRUE(Decode(stream).found);
  EXPECT_EQ(Decode(stream).context, Sample());
  std::string rest;
  stream >> rest;
  EXPECT_EQ(rest, "rest");
}

TEST(Binary, TruncatedAnywhereIsAnError) {
  const std::string bytes = Encode(Sample());
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    const Extracted extracted = Decode(bytes.substr(0, size));
    EXPECT_EQ(extracted.error, opentracing::span_context_corrupted_error) << size;
    EXPECT_EQ(extracted.context, Context{});
  }
}

std::string WithBodyOf(std::string bytes, std::size_t size) {
  bytes.resize(6 + size, '\0');
  bytes[4] = static_cast<char>(size >> 8);
  bytes[5] = static_cast<char>(size);
  return bytes;
}

TEST(Binary, BodyThatEndsWithinAFieldIsAnError) {
  const std::string bytes = Encode(Sample());
  for (std::size_t size = 0; size < bytes.size() - 6; ++size) {
    EXPECT_EQ(Decode(WithBodyOf(bytes, size)).error, opentracing::span_context_corrupted_error)
        << size;
  }
}

TEST(Binary, FieldsOfLaterWritersAreSkipped) {
  const std::string bytes = Encode(Sample());
  std::istringstream stream(WithBodyOf(bytes, bytes.size() - 6 + 100) + bytes);
  EXPECT_EQ(Decode(stream).context, Sample());
  EXPECT_EQ(Decode(stream).context, Sample());
}

TEST(Binary, UnknownFlagsAreIgnored) {
  std::string bytes = Encode(Sample());
  bytes[6] = static_cast<char>(bytes[6] | 0xF8);
  EXPECT_EQ(Decode(bytes).context, Sample());
}

TEST(Binary, GarbageIsAnError) {
  std::string other_version = Encode(Sample());
  other_version[3] = 2;
  std::string half_ids = Encode(MakeContext(0, 1, 2, 0, Decision::kAccept));
  half_ids[30] = 0;
  std::string bad_tracestate = Encode(Sample());
  bad_tracestate[41] = '\n';
  std::string same_key = Encode(WithExtras(Context{}, {{"a", ""}, {"b", ""}}));
  same_key[same_key.find('b')] = 'a';
  const std::string too_long = std::string("tkc\x01\xFF\xFF", 6) + std::string(65535, '\0');
  std::string many_items = Encode(Context{});
  many_items[many_items.size() - 1] = '\xFF';
  for (const std::string& bytes :
       {std::string("abc123xyz321qrs42"), std::string("tkc"), std::string(1 << 20, '\0'),
        std::string(1 << 20, 't'), other_version, half_ids, bad_tracestate, same_key, too_long,
        many_items, Encode(Context{}).substr(1)}) {
    EXPECT_EQ(Decode(bytes).error, opentracing::span_context_corrupted_error)
        << bytes.substr(0, 100);
  }
}

TEST(Binary, NoBytesCrashTheReader) {
  std::mt19937 random(4);
  const std::string bytes = Encode(Sample());
  int found = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string mutated = bytes;
    for (unsigned n = 1 + random() % 4; n != 0; --n) {
      mutated[4 + random() % (mutated.size() - 4)] = static_cast<char>(random());
    }
    const Extracted extracted = Decode(mutated);
    if (extracted.found) {
      ++found;
      EXPECT_EQ(Decode(Encode(extracted.context)).context, extracted.context);
    } else {
      EXPECT_EQ(extracted.error, opentracing::span_context_corrupted_error);
    }
  }
  EXPECT_GT(found, 0);
}

TEST(Binary, StreamThatHasFailedIsAnError) {
  for (const auto state : {std::ios_base::failbit, std::ios_base::badbit}) {
    std::ostringstream out;
    out.setstate(state);
    const auto written = InjectBinary(Sample(), out);
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error(), std::errc::io_error);
    EXPECT_EQ(out.str(), "");

    std::istringstream in(Encode(Sample()));
    in.setstate(state);
    EXPECT_EQ(Decode(in).error, std::errc::io_error);
  }
}

struct FailingBuffer : std::streambuf {
  int_type underflow() override { throw std::runtime_error("device"); }
  int_type overflow(int_type /*c*/) override { throw std::runtime_error("device"); }
};

TEST(Binary, BufferThatThrowsIsAnError) {
  for (const auto mask : {std::ios_base::goodbit, std::ios_base::badbit}) {
    FailingBuffer buffer;
    std::ostream out(&buffer);
    out.exceptions(mask);
    const auto written = InjectBinary(Sample(), out);
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error(), std::errc::io_error);

    std::istream in(&buffer);
    in.exceptions(mask);
    EXPECT_EQ(Decode(in).error, std::errc::io_error);
  }
}

TEST(Binary, StreamThatIsSetToThrowDoesNot) {
  constexpr auto kAll = std::ios_base::failbit | std::ios_base::badbit | std::ios_base::eofbit;
  const std::string bytes = Encode(Sample());
  std::istringstream whole(bytes);
  whole.exceptions(kAll);
  EXPECT_TRUE(Decode(whole).found);
  EXPECT_EQ(whole.exceptions(), kAll);

  std::istringstream empty("");
  empty.exceptions(kAll);
  const Extracted nothing = Decode(empty);
  EXPECT_FALSE(nothing.error);
  EXPECT_FALSE(nothing.found);
  EXPECT_EQ(empty.exceptions(), kAll);

  std::istringstream truncated(bytes.substr(0, 20));
  truncated.exceptions(kAll);
  EXPECT_EQ(Decode(truncated).error, opentracing::span_context_corrupted_error);

  std::ostringstream failed;
  failed.setstate(std::ios_base::failbit);
  EXPECT_THROW(failed.exceptions(kAll), std::ios_base::failure);
  const auto written = InjectBinary(Sample(), failed);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error(), std::errc::io_error);
}

}  // namespace
}  // namespace tracekin::propagation
