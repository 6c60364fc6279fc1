// SPDX-License-Identifier: Apache-2.0
#include "integrations/grpc/metadata_carrier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace tracekin {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(MetadataReaderTest, LooksUpAKeyInAnyCase) {
  const MetadataReader::Metadata metadata{{"b3", "1"}, {"x-b3-traceid", "2"}};
  const MetadataReader reader(metadata);
  for (const char* key : {"x-b3-traceid", "X-B3-TraceId"}) {
    const auto value = reader.LookupKey(key);
    ASSERT_TRUE(value) << key;
    EXPECT_EQ(*value, "2");
  }
}

TEST(MetadataReaderTest, SaysThatAKeyIsMissing) {
  const MetadataReader::Metadata metadata{{"b3", "1"}, {"d3", "1"}};
  const MetadataReader reader(metadata);
  for (const char* key : {"", "a", "c3", "b", "b33", "e"}) {
    const auto value = reader.LookupKey(key);
    ASSERT_FALSE(value) << key;
    EXPECT_EQ(value.error(), opentracing::key_not_found_error);
  }
}

TEST(MetadataReaderTest, ReadsTheFirstOfSeveralValues) {
  MetadataReader::Metadata metadata{{"b3", "first"}, {"a", "only"}, {"b3", "second"}};
  const MetadataReader reader(metadata);
  const auto value = reader.LookupKey("b3");
  ASSERT_TRUE(value);
  EXPECT_EQ(*value, "first");
  std::vector<std::pair<std::string, std::string>> read;
  ASSERT_TRUE(reader.ForeachKey([&](auto key, auto text) -> opentracing::expected<void> {
    read.emplace_back(key, text);
    return {};
  }));
  EXPECT_THAT(read, ElementsAre(Pair("a", "only"), Pair("b3", "first")));
}

TEST(MetadataReaderTest, StopsAtTheFirstErrorAndReturnsIt) {
  const MetadataReader::Metadata metadata{{"a", "1"}, {"b", "2"}};
  int calls = 0;
  const auto result =
      MetadataReader(metadata).ForeachKey([&](auto, auto) -> opentracing::expected<void> {
        ++calls;
        return opentracing::make_unexpected(opentracing::span_context_corrupted_error);
      });
  EXPECT_EQ(result.error(), opentracing::span_context_corrupted_error);
  EXPECT_EQ(calls, 1);
}

class MetadataWriterTest : public ::testing::Test {
 protected:
  MetadataWriter::Metadata metadata_;
  const MetadataWriter writer_{metadata_};
};

TEST_F(MetadataWriterTest, WritesKeysInLowerCase) {
  ASSERT_TRUE(writer_.Set("X-B3-TraceId", "0123ABC"));
  EXPECT_THAT(metadata_, ElementsAre(Pair("x-b3-traceid", "0123ABC")));
}

TEST_F(MetadataWriterTest, ReplacesWhatIsThereAlready) {
  metadata_ = {{"b3", "0"}, {"b3", "1"}, {"own", "2"}};
  ASSERT_TRUE(writer_.Set("B3", "3"));
  EXPECT_THAT(metadata_, ElementsAre(Pair("b3", "3"), Pair("own", "2")));
}

TEST_F(MetadataWriterTest, LeavesOutKeysThatAreNotLegal) {
  for (const char* key : {"", ":path", "a b", "a\n", "\xc3\xa9", "a=b", "grpc-timeout", "GRPC-x"}) {
    EXPECT_TRUE(writer_.Set(key, "1"));
  }
  EXPECT_THAT(metadata_, IsEmpty());
}

TEST_F(MetadataWriterTest, LeavesOutValuesThatAreNotLegal) {
  for (const char* value : {"\n", "a\tb", "\x7f", "\xc3\xa9", "a\r\nb: c"}) {
    EXPECT_TRUE(writer_.Set("a", value));
  }
  EXPECT_TRUE(writer_.Set("a", {"\0", 1}));
  EXPECT_THAT(metadata_, IsEmpty());
}

TEST_F(MetadataWriterTest, WritesAnyByteUnderABinaryKey) {
  const std::string value("\0\xff\n", 3);
  ASSERT_TRUE(writer_.Set("context-bin", value));
  EXPECT_THAT(metadata_, ElementsAre(Pair("context-bin", value)));
}

TEST_F(MetadataWriterTest, LeavesOutWhatExceedsItsLimit) {
  ASSERT_TRUE(writer_.Set("a", std::string(MetadataWriter::kMaxBytes, 'x')));
  EXPECT_THAT(metadata_, IsEmpty());
  ASSERT_TRUE(writer_.Set("b", std::string(MetadataWriter::kMaxBytes - 3, 'x')));
  ASSERT_TRUE(writer_.Set("c", "12"));
  ASSERT_TRUE(writer_.Set("d", "1"));
  EXPECT_EQ(metadata_.size(), 2U);
  EXPECT_EQ(metadata_.count("c"), 0U);
}

}  // namespace
}  // namespace tracekin
