// SPDX-License-Identifier: Apache-2.0
#include "examples/ceph_relay/request.h"

#include <gtest/gtest.h>

#include "tests/ceph/stream.h"

namespace tracekin::testing {
namespace {

TEST(Request, SaysWhatIsAskedFor) {
  Request request;
  ASSERT_TRUE(ReadRequest(8, HeapBytes(Op().front), &request));
  EXPECT_EQ(request.pool, 2);
  EXPECT_EQ(request.object, "obj-rep");
  EXPECT_EQ(request.operations, "writefull");
}

TEST(Request, OpenTelemetryBlockOfVersion9IsSkipped) {
  std::string front = Op().front;
  front.insert(87, FromHex("01011a000000 01 4bf92f3577b34da6a3ce929d0e0e4736 00f067aa0ba902b7 01"));
  Request request;
  ASSERT_TRUE(ReadRequest(9, HeapBytes(front), &request));
  EXPECT_EQ(request.object, "obj-rep");
  EXPECT_FALSE(ReadRequest(10, HeapBytes(front), &request));
}

TEST(Request, OperationsAreNamedAsFarAsTheyAreKnown) {
  std::string front = Op().front;
  const std::size_t operations = 87 + 12 + 34 + 4 + 7;
  ASSERT_EQ(front.substr(operations, 4), FromHex("0100 0222"));
  const auto operation = [](unsigned code) {
    return LittleEndian(code, 2) + std::string(36, '\0');
  };
  Request request;
  front = front.substr(0, operations) + LittleEndian(6, 2) + operation(0x2223) + operation(0x2201) +
          operation(0xabcd) + operation(0x1201) + operation(0x1201) + operation(0x1201);
  ASSERT_TRUE(ReadRequest(8, HeapBytes(front), &request));
  EXPECT_EQ(request.operations, "set-alloc-hint,write,0xabcd,read,...");
}

TEST(Request, ResultIsRead) {
  std::int32_t result = 0;
  ASSERT_TRUE(ReadResult(HeapBytes(OpReply().front), &result));
  EXPECT_EQ(result, -2);
}

// AddressSanitizer detects reads beyond the end.
TEST(Request, DamagedFrontsAreReadNoFurtherThanTheyGo) {
  const auto read = [](const HeapBytes& front) {
    for (const std::uint16_t version : {std::uint16_t{8}, std::uint16_t{9}}) {
      Request request;
      ReadRequest(version, front, &request);
      EXPECT_LE(request.object.size(), front.size());
      EXPECT_LE(request.operations.size(), 100U);
    }
    std::int32_t result;
    ReadResult(front, &result);
  };
  for (const MessageParts& message : {Op(), OpReply()}) {
    EachTruncation(message.front, read);
    EachBitFlip(message.front, [read](const HeapBytes& front, std::size_t) { read(front); });
  }
  Request request;
  for (std::size_t size = 0; size < 87 + 12 + 34 + 4 + 7 + 2; ++size) {
    EXPECT_FALSE(ReadRequest(8, HeapBytes(Op().front.substr(0, size)), &request)) << size;
  }
}

}  // namespace
}  // namespace tracekin::testing
