// SPDX-License-Identifier: Apache-2.0
#include "messenger.h"

#include <algorithm>
#include <array>
#include <utility>

namespace {

constexpr std::string_view kBanner = "ceph v027";
constexpr std::size_t kAddress = 136;
constexpr std::size_t kConnect = 33;
constexpr std::size_t kConnectReply = 26;
constexpr std::size_t kHeader = 53;
constexpr std::size_t kFooter = 21;
constexpr std::size_t kSequence = 8;

// Offsets in struct ceph_msg_connect and ceph_msg_connect_reply.
constexpr std::size_t kAuthorizerProtocol = 24;
constexpr std::size_t kAuthorizerSize = 28;
constexpr std::size_t kReplyAuthorizerSize = 21;
constexpr std::uint32_t kCephx = 2;

// Offsets in struct ceph_msg_header.
constexpr std::size_t kTid = 8;
constexpr std::size_t kType = 16;
constexpr std::size_t kVersion = 20;
constexpr std::size_t kFrontSize = 22;
constexpr std::size_t kMiddleSize = 26;
constexpr std::size_t kDataSize = 30;
constexpr std::size_t kHeaderCrc = 49;

enum MessengerTag : unsigned char {
  kReady = 1,
  kResetSession = 2,
  kWait = 3,
  kRetrySession = 4,
  kRetryGlobal = 5,
  kClose = 6,
  kMessage = 7,
  kAck = 8,
  kKeepalive = 9,
  kBadAuthorizer = 11,
  kFeatures = 12,
  kSequenceFollows = 13,
  kKeepalive2 = 14,
  kKeepalive2Ack = 15,
  kChallengeAuthorizer = 16,
};

std::uint64_t Get(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  }
  return value;
}

std::uint32_t Get32(std::string_view bytes, std::size_t at) {
  return static_cast<std::uint32_t>(Get(bytes, at, 4));
}

void Put32(std::uint32_t value, std::string* bytes, std::size_t at) {
  for (std::size_t i = 0; i < 4; ++i) (*bytes)[at + i] = static_cast<char>(value >> 8 * i);
}

using Table = std::array<std::uint32_t, 256>;

constexpr Table MakeTable() {
  Table table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82F63B78 : 0);
    table[byte] = crc;
  }
  return table;
}

constexpr Table kTable = MakeTable();

}  // namespace

std::uint32_t CephCrc32c(std::uint32_t before, std::string_view bytes) {
  std::uint32_t crc = before;
  for (const char c : bytes)
    crc = (crc >> 8) ^ kTable[(crc ^ static_cast<unsigned char>(c)) & 0xff];
  return crc;
}

MessengerStream::MessengerStream(Side side, Handshake* handshake, Observer* observer)
    : side_(side), handshake_(handshake), observer_(observer) {
  Next(&MessengerStream::Banner, 1);
}

void MessengerStream::Next(Step step, std::size_t size, std::uint64_t streamed) {
  step_ = step;
  wanted_ = size;
  streamed_ = streamed;
}

void MessengerStream::Take(std::string_view bytes, std::string* out) {
  while (!bytes.empty()) {
    if (streamed_ > 0 || !understood_) {
      const std::size_t size =
          understood_ ? static_cast<std::size_t>(std::min<std::uint64_t>(streamed_, bytes.size()))
                      : bytes.size();
      out->append(bytes.substr(0, size));
      bytes.remove_prefix(size);
      if (understood_) streamed_ -= size;
      continue;
    }
    const std::size_t size = std::min(wanted_ - held_.size(), bytes.size());
    held_.append(bytes.substr(0, size));
    bytes.remove_prefix(size);
    if (held_.size() < wanted_) return;
    const std::string unit = std::move(held_);
    held_.clear();
    (this->*step_)(unit, out);
  }
}

void MessengerStream::End(std::string* out) {
  out->append(raw_header_).append(held_);
  raw_header_.clear();
  held_.clear();
}

void MessengerStream::GiveUp(const std::string& unit, std::string* out) {
  out->append(raw_header_).append(unit);
  raw_header_.clear();
  understood_ = false;
  observer_->NotUnderstood();
}

// Reads byte by byte, because a client of another protocol may wait for an answer to less than a
// banner.
void MessengerStream::Banner(const std::string& unit, std::string* out) {
  if (unit[0] != kBanner[banner_size_]) return GiveUp(unit, out);
  out->append(unit);
  if (++banner_size_ < kBanner.size()) return;
  if (side_ == kClient) {
    Next(&MessengerStream::Connect, kConnect, kAddress);
  } else {
    Next(&MessengerStream::Reply, kConnectReply, 2 * kAddress);  // server and client
  }
}

void MessengerStream::Connect(const std::string& unit, std::string* out) {
  out->append(unit);
  handshake_->answer = Handshake::kNone;
  handshake_->signs = Get32(unit, kAuthorizerProtocol) == kCephx;
  Next(&MessengerStream::ConnectOrFrames, 1, Get32(unit, kAuthorizerSize));
}

// The client's next bytes depend on the server's answer, which has already passed.
void MessengerStream::ConnectOrFrames(const std::string& unit, std::string* out) {
  switch (handshake_->answer) {
    case Handshake::kNone:
      return GiveUp(unit, out);
    case Handshake::kAgain:
      held_ = unit;
      return Next(&MessengerStream::Connect, kConnect);
    case Handshake::kOpen:
      return Tag(unit, out);
    case Handshake::kOpenWithSequence:
      out->append(unit);
      return Next(&MessengerStream::Tag, 1, kSequence - 1);
  }
}

void MessengerStream::Reply(const std::string& unit, std::string* out) {
  const std::uint32_t authorizer = Get32(unit, kReplyAuthorizerSize);
  switch (unit[0]) {
    case kReady:
      handshake_->answer = Handshake::kOpen;
      Next(&MessengerStream::Tag, 1, authorizer);
      break;
    case kSequenceFollows:
      handshake_->answer = Handshake::kOpenWithSequence;
      Next(&MessengerStream::Tag, 1, std::uint64_t{authorizer} + kSequence);
      break;
    case kResetSession:
    case kWait:
    case kRetrySession:
    case kRetryGlobal:
    case kBadAuthorizer:
    case kFeatures:
    case kChallengeAuthorizer:
      handshake_->answer = Handshake::kAgain;
      Next(&MessengerStream::Reply, kConnectReply, authorizer);
      break;
    default:
      return GiveUp(unit, out);
  }
  out->append(unit);
}

void MessengerStream::Tag(const std::string& unit, std::string* out) {
  switch (unit[0]) {
    case kMessage:
      raw_header_ = unit;
      return Next(&MessengerStream::Header, kHeader);
    case kClose:
    case kKeepalive:
      Next(&MessengerStream::Tag, 1);
      break;
    case kAck:
    case kKeepalive2:
    case kKeepalive2Ack:
      Next(&MessengerStream::Tag, 1, 8);
      break;
    default:
      return GiveUp(unit, out);
  }
  out->append(unit);
}

void MessengerStream::Header(const std::string& unit, std::string* out) {
  if (CephCrc32c(0, std::string_view(unit).substr(0, kHeaderCrc)) != Get32(unit, kHeaderCrc)) {
    return GiveUp(unit, out);
  }
  header_.tid = Get(unit, kTid, 8);
  header_.type = static_cast<std::uint16_t>(Get(unit, kType, 2));
  header_.version = static_cast<std::uint16_t>(Get(unit, kVersion, 2));
  header_.front_size = Get32(unit, kFrontSize);
  header_.data_size = Get32(unit, kDataSize);
  middle_and_data_ = std::uint64_t{Get32(unit, kMiddleSize)} + header_.data_size;
  crc_before_ = crc_after_ = 0;
  raw_header_ += unit;

  const bool wanted = observer_->Wants(header_);
  if (wanted && header_.front_size > 0 && header_.front_size <= kMaxHeldFront) {
    return Next(&MessengerStream::Front, header_.front_size);
  }
  out->append(raw_header_);
  raw_header_.clear();
  const std::uint64_t rest = header_.front_size + middle_and_data_;
  if (wanted) {
    observer_->Front(header_, nullptr);
    Next(&MessengerStream::Footer, kFooter, rest);
  } else {
    Next(&MessengerStream::Tag, 1, rest + kFooter);
  }
}

void MessengerStream::Front(const std::string& unit, std::string* out) {
  std::string front = unit;
  observer_->Front(header_, &front);
  if (front != unit) {
    crc_before_ = CephCrc32c(0, unit);
    crc_after_ = CephCrc32c(0, front);
  }
  if (front.size() != unit.size()) {
    const std::size_t tag = 1;
    Put32(static_cast<std::uint32_t>(front.size()), &raw_header_, tag + kFrontSize);
    Put32(CephCrc32c(0, std::string_view(raw_header_).substr(tag, kHeaderCrc)), &raw_header_,
          tag + kHeaderCrc);
  }
  out->append(raw_header_).append(front);
  raw_header_.clear();
  Next(&MessengerStream::Footer, kFooter, middle_and_data_);
}

// A checksum that was wrong stays wrong, so that the receiver notices. A checksum that the sender
// did not compute is 0.
void MessengerStream::Footer(const std::string& unit, std::string* out) {
  std::string footer = unit;
  if (crc_before_ != crc_after_ && Get32(footer, 0) == crc_before_) Put32(crc_after_, &footer, 0);
  out->append(footer);
  observer_->Passed(header_);
  Next(&MessengerStream::Tag, 1);
}
