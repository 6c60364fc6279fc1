// SPDX-License-Identifier: Apache-2.0
#include "ctf/packet.h"

#include <algorithm>

namespace tracekin::ctf {

namespace {

using Number = PacketNumber;

constexpr std::int64_t kMagic = 0xC1FC1FC1;
constexpr std::size_t kHeaderBytes = 4096;  // limit for a packet's header and context together

// The two halves of a UUID, as numbers in network order.
struct Uuid {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
};

Uuid ParseUuid(const std::string& text) {
  Uuid uuid;
  for (const char c : text) {
    if (c == '-') continue;
    const int digit = c <= '9' ? c - '0' : c - 'a' + 10;
    uuid.high = uuid.high << 4 | uuid.low >> 60;
    uuid.low = uuid.low << 4 | static_cast<unsigned>(digit);
  }
  return uuid;
}

class Indexer {
 public:
  Indexer(const InputFile& file, const TraceLayout& layout)
      : file_(file), layout_(layout), uuid_(ParseUuid(layout.uuid)) {}

  PacketIndex Run() {
    PacketIndex index;
    for (std::uint64_t offset = 0; offset < file_.size();) {
      Packet packet;
      packet.offset = offset;
      const char* damage = ReadHeader(&packet);
      if (damage == nullptr && !index.packets.empty() &&
          (packet.stream != index.packets[0].stream ||
           packet.instance != index.packets[0].instance)) {
        damage = "a packet of another stream than those before";
      }
      if (damage != nullptr) {
        index.damage = At(offset) + damage;
        break;
      }
      offset += packet.bytes;
      if (packet.content > file_.size() || offset > file_.size()) {
        index.damage = At(packet.offset) + "the file ends in the middle of this packet";
        packet.content = std::min(packet.content, file_.size());
      }
      index.packets.push_back(packet);
    }
    return index;
  }

 private:
  std::string At(std::uint64_t offset) const {
    return file_.path() + " at byte " + std::to_string(offset) + ": ";
  }

  // Reads the header of the packet. Returns a description of the damage, or null.
  const char* ReadHeader(Packet* packet) {
    std::uint8_t bytes[kHeaderBytes];
    const std::uint8_t* const end = bytes + file_.Read(packet->offset, bytes, sizeof bytes);
    const auto origin = reinterpret_cast<std::uintptr_t>(bytes);
    Values values;
    values.number = numbers_;
    std::fill(std::begin(numbers_), std::end(numbers_), 0);
    const std::uint8_t* at = ctf::Run(layout_.packet_header, bytes, end, origin, &values);
    if (at == nullptr) return "the header of a packet does not fit";
    if (layout_.has_magic && numbers_[Number::kMagic] != kMagic) return "no packet begins here";
    if (layout_.has_uuid && !IsOurs()) return "a packet of another trace";
    const auto stream = layout_.streams.find(static_cast<std::uint64_t>(numbers_[Number::kStream]));
    if (stream == layout_.streams.end()) return "a packet of a stream that the metadata lacks";
    at = ctf::Run(stream->second.packet_context, at, end, origin, &values);
    if (at == nullptr) return "the context of a packet does not fit";
    packet->events = packet->offset + static_cast<std::uint64_t>(at - bytes);
    return Fill(packet);
  }

  bool IsOurs() const {
    return static_cast<std::uint64_t>(numbers_[Number::kUuidHigh]) == uuid_.high &&
           static_cast<std::uint64_t>(numbers_[Number::kUuidLow]) == uuid_.low;
  }

  const char* Fill(Packet* packet) const {
    const auto number = [this](int which) { return static_cast<std::uint64_t>(numbers_[which]); };
    const std::uint64_t content_bits = number(Number::kContentBits);
    const std::uint64_t packet_bits = number(Number::kPacketBits);
    packet->bytes = packet_bits / 8;
    packet->content = packet->offset + content_bits / 8;
    packet->begin = number(Number::kBegin);
    packet->end = number(Number::kEnd);
    packet->sequence = number(Number::kSequence);
    packet->discarded = number(Number::kDiscarded);
    packet->cpu = static_cast<std::uint32_t>(number(Number::kCpu));
    packet->stream = number(Number::kStream);
    packet->instance = number(Number::kInstance);
    if (content_bits % 8 != 0 || packet_bits % 8 != 0 || content_bits > packet_bits ||
        packet->content < packet->events || packet->content < packet->offset) {
      return "the sizes of a packet make no sense";
    }
    if (packet->offset + packet->bytes < packet->offset) return "a packet is too large";
    if (packet->end < packet->begin) return "a packet ends before it begins";
    return nullptr;
  }

  const InputFile& file_;
  const TraceLayout& layout_;
  const Uuid uuid_;
  std::int64_t numbers_[Number::kCount];
};

}  // namespace

PacketIndex IndexPackets(const InputFile& file, const TraceLayout& layout) {
  return Indexer(file, layout).Run();
}

}  // namespace tracekin::ctf
