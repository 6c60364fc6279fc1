// SPDX-License-Identifier: Apache-2.0
#include "ctf/metadata_file.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>

#include "ctf/error.h"

namespace tracekin::ctf {

namespace {

constexpr std::uint32_t kMagic = 0x75D11D57;
constexpr std::uint32_t kMagicSwapped = 0x571DD175;

// The header before the text of each packet. On disk, there is no padding between its fields.
struct Header {
  std::uint32_t magic;
  std::uint8_t uuid[16];
  std::uint32_t checksum;
  std::uint32_t content_bits;  // size including the header
  std::uint32_t packet_bits;
  std::uint8_t compression;
  std::uint8_t encryption;
  std::uint8_t checksum_scheme;
  std::uint8_t major;
  std::uint8_t minor;
};
constexpr std::size_t kHeaderBytes = 37;

std::string_view TakePacket(std::string_view* rest) {
  Header header;
  if (rest->size() < kHeaderBytes) throw NotUnderstood("a packet of the metadata is cut off");
  std::memcpy(&header, rest->data(), kHeaderBytes);
  const std::size_t content = header.content_bits / 8;
  const std::size_t packet = header.packet_bits / 8;
  if (header.magic != kMagic || header.compression != 0 || header.encryption != 0 ||
      header.major != 1 || content < kHeaderBytes || content > packet || packet > rest->size()) {
    throw NotUnderstood("a packet of the metadata has a header that is not understood");
  }
  const std::string_view text = rest->substr(kHeaderBytes, content - kHeaderBytes);
  rest->remove_prefix(packet);
  return text;
}

}  // namespace

std::string MetadataText(std::string_view bytes) {
  std::uint32_t magic = 0;
  if (bytes.size() >= sizeof magic) std::memcpy(&magic, bytes.data(), sizeof magic);
  if (magic == kMagicSwapped) throw NotUnderstood("the metadata is of the other byte order");
  if (magic != kMagic) return std::string(bytes);
  std::string text;
  while (!bytes.empty()) text += TakePacket(&bytes);
  return text;
}

std::string ReadMetadata(const std::string& folder) {
  const std::string path = folder + "/metadata";
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw ReadError(path + ": " + std::strerror(errno));
  return MetadataText(bytes);
}

}  // namespace tracekin::ctf
