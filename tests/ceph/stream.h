// SPDX-License-Identifier: Apache-2.0
// The wire format of Ceph's messenger, version 1, written by hand from its specification.
#ifndef TRACEKIN_TESTS_CEPH_STREAM_H
#define TRACEKIN_TESTS_CEPH_STREAM_H

#include <cstdint>
#include <string>

#include "base/crc32c.h"
#include "tests/propagation/ceph_fronts.h"

namespace tracekin::testing {

inline std::string LittleEndian(std::uint64_t value, std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(value >> 8 * i);
  return bytes;
}

/// Ceph's CRC: it starts with 0 and is not inverted.
inline std::uint32_t Crc(std::string_view bytes) { return ~Crc32c(bytes, ~std::uint32_t{0}); }

inline std::string ClientBanner() { return "ceph v027" + std::string(136, 'c'); }
inline std::string ServerBanner() {
  return "ceph v027" + std::string(136, 's') + std::string(136, 'c');
}

constexpr std::uint32_t kNoAuthentication = 1;
constexpr std::uint32_t kCephx = 2;

inline std::string Connect(std::uint32_t authentication = kNoAuthentication,
                           const std::string& authorizer = "") {
  return std::string(24, 'f') + LittleEndian(authentication, 4) +
         LittleEndian(authorizer.size(), 4) + '\0' + authorizer;
}

constexpr char kReady = 1;
constexpr char kRetrySession = 4;
constexpr char kSequence = 13;
constexpr char kChallenge = 16;

inline std::string Reply(char tag, const std::string& authorizer = "") {
  return tag + std::string(20, 'f') + LittleEndian(authorizer.size(), 4) + '\0' + authorizer;
}

inline std::string Ack() { return '\x08' + LittleEndian(7, 8); }
inline std::string Keepalive2() { return '\x0e' + LittleEndian(7, 8); }

struct MessageParts {
  std::uint16_t type = 0;
  std::uint16_t version = 0;
  std::string front;
  std::string middle = "";
  std::string data = "";
  std::uint64_t tid = 1;
};

inline std::string Footer(const MessageParts& parts) {
  return LittleEndian(Crc(parts.front), 4) + LittleEndian(Crc(parts.middle), 4) +
         LittleEndian(Crc(parts.data), 4) + std::string(8, 's') + '\1';
}

inline std::string Header(const MessageParts& parts) {
  const std::string header =
      LittleEndian(1, 8) + LittleEndian(parts.tid, 8) + LittleEndian(parts.type, 2) +
      LittleEndian(127, 2) + LittleEndian(parts.version, 2) + LittleEndian(parts.front.size(), 4) +
      LittleEndian(parts.middle.size(), 4) + LittleEndian(parts.data.size(), 4) +
      LittleEndian(0, 2) + std::string(9, 'n') + LittleEndian(3, 2) + LittleEndian(0, 2);
  return header + LittleEndian(Crc(header), 4);
}

inline std::string Message(const MessageParts& parts) {
  return '\7' + Header(parts) + parts.front + parts.middle + parts.data + Footer(parts);
}

inline MessageParts Op() {
  const CephFront op = RealCephFronts().front();
  return {op.header.type, op.header.version, op.front, "middle", std::string(1000, 'd')};
}

inline MessageParts OpReply() {
  for (const CephFront& front : RealCephFronts()) {
    if (front.header.type == kCephOsdOpReply) {
      return {front.header.type, front.header.version, front.front, "", "data"};
    }
  }
  return {};
}

}  // namespace tracekin::testing

#endif  // TRACEKIN_TESTS_CEPH_STREAM_H
