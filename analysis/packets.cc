// SPDX-License-Identifier: Apache-2.0
#include "analysis/packets.h"

namespace tracekin::analysis {

namespace {

constexpr std::int64_t kTcp = 6;
constexpr std::int64_t kFin = 1, kSyn = 2, kPush = 8;  // flags of TCP

// A packet that is sent again sooner has only passed to the next device, because TCP waits longer
// for an acknowledgement.
constexpr Time kShortestTimeout = 5'000'000;

// Omits the length of a TCP packet, because a device may split a packet or merge several of them.
// The first or merged packet keeps the sequence number.
std::array<std::int64_t, 10> KeyOf(const Event& event) {
  const auto& number = event.number;
  const bool tcp = number[Packet::kProtocol] == kTcp;
  return {number[Packet::kProtocol],
          number[Packet::kSourceHigh],
          number[Packet::kSourceLow],
          number[Packet::kTargetHigh],
          number[Packet::kTargetLow],
          number[Packet::kSourcePort],
          number[Packet::kTargetPort],
          tcp ? number[Packet::kSequence] : 0,
          tcp ? number[Packet::kAcknowledged] : 0,
          tcp ? number[Packet::kFlags] : number[Packet::kLength]};
}

// Returns whether a packet is acknowledged, so that it is sent again if it is lost. An
// acknowledgement alone is not, but may be repeated. Data without PSH looks like that, too.
bool IsAcknowledged(const Event& event) {
  return event.number[Packet::kProtocol] == kTcp &&
         (event.number[Packet::kFlags] & (kFin | kSyn | kPush)) != 0;
}

bool HasAddresses(const Event& event) {
  return event.number[Packet::kSourceLow] != kAbsent &&
         event.number[Packet::kSourcePort] != kAbsent;
}

}  // namespace

void Packets::Remember(const Key& key, Side side) {
  side.number = ++seen_;
  sides_.emplace(key, side);
  order_.emplace_back(side.number, key);
  while (order_.size() > limit_) {
    const auto& [number, oldest] = order_.front();
    const auto found = sides_.lower_bound(oldest);  // the oldest entry with this key
    if (found != sides_.end() && found->second.number == number) {
      sides_.erase(found);
      ++forgotten_;
    }
    order_.pop_front();
  }
}

void Packets::Send(const Event& event, ThreadIndex sender, Time now) {
  if (!HasAddresses(event)) return;
  const Key key = KeyOf(event);
  const auto known = sides_.lower_bound(key);
  const bool is_known = known != sides_.end() && known->first == key;
  if (is_known && known->second.received != 0) {
    PacketSource& packet = (*received_)[known->second.received];
    packet.transmissions = 1;
    packet.sender = sender;
    packet.sent = now;
    sides_.erase(known);
  } else if (is_known && event.number[Packet::kProtocol] == kTcp) {
    const bool again = IsAcknowledged(event) && now - known->second.last_sent >= kShortestTimeout;
    if (again) ++known->second.transmissions;
    known->second.last_sent = now;
  } else {
    Remember(key, {0, 0, 1, sender, now, now});
  }
}

Packets::Received Packets::Receive(const Event& event) {
  Received packet;
  if (!HasAddresses(event)) return packet;
  packet.key = KeyOf(event);
  packet.valid = true;
  packet.source = {event.number[Packet::kProtocol], event.number[Packet::kSourceHigh],
                   event.number[Packet::kSourceLow], event.number[Packet::kSourcePort]};
  const auto known = sides_.lower_bound(packet.key);
  const bool is_known = known != sides_.end() && known->first == packet.key;
  if (!is_known || known->second.received != 0) return packet;
  packet.joined = true;
  packet.source.transmissions = known->second.transmissions;
  packet.source.sender = known->second.sender;
  packet.source.sent = known->second.sent;
  // A packet of TCP may be received and dropped, and then sent again.
  if (event.number[Packet::kProtocol] != kTcp) sides_.erase(known);
  return packet;
}

std::uint32_t Packets::Keep(const Received& packet) {
  const auto index = static_cast<std::uint32_t>(received_->size());
  received_->push_back(packet.source);
  if (!packet.joined) {
    Side side;
    side.received = index;
    Remember(packet.key, side);
  }
  return index;
}

}  // namespace tracekin::analysis
