// SPDX-License-Identifier: Apache-2.0
#include "ctf/metadata_file.h"

#include <gtest/gtest.h>

#include "ctf/error.h"
#include "tests/ctf/bytes.h"

namespace tracekin::ctf {
namespace {

using testing::Bytes;

// Returns a packet of metadata that contains `text`, followed by `padding` bytes.
std::string Packet(const std::string& text, std::size_t padding, unsigned compression = 0) {
  const std::size_t content = 37 + text.size();
  return Bytes()
      .U32(0x75D11D57)
      .Raw(std::string(16, 'u'))
      .U32(0)
      .U32(8 * content)
      .U32(8 * (content + padding))
      .U8(compression)
      .U8(0)
      .U8(0)
      .U8(1)
      .U8(8)
      .Raw(text)
      .PadTo(content + padding)
      .str();
}

TEST(MetadataText, IsTakenAsItIsWithoutPackets) {
  EXPECT_EQ(MetadataText("/* CTF 1.8 */ trace {"), "/* CTF 1.8 */ trace {");
}

TEST(MetadataText, IsJoinedFromPackets) {
  EXPECT_EQ(MetadataText(Packet("one ", 100) + Packet("two", 0)), "one two");
}

TEST(MetadataText, OfCompressedPacketsIsRefused) {
  EXPECT_THROW(MetadataText(Packet("text", 0, 1)), NotUnderstood);
}

TEST(MetadataText, OfTheOtherByteOrderIsRefused) {
  EXPECT_THROW(MetadataText("\x75\xd1\x1d\x57"), NotUnderstood);
}

TEST(MetadataText, CutOffAtAnyByteIsRefused) {
  const std::string whole = Packet("one ", 3) + Packet("two", 2);
  const std::size_t first = Packet("one ", 3).size();
  for (std::size_t size = 4; size < whole.size(); ++size) {
    if (size == first) continue;
    EXPECT_THROW(MetadataText(whole.substr(0, size)), NotUnderstood) << size;
  }
}

TEST(ReadMetadata, OfAFolderWithoutItIsAnError) {
  EXPECT_THROW(ReadMetadata("/nonexistent"), ReadError);
}

}  // namespace
}  // namespace tracekin::ctf
