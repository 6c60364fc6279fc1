// SPDX-License-Identifier: Apache-2.0
#include "analysis/packets.h"

namespace tracekin::analysis {

namespace {

constexpr std::int64_t kTcp = 6;

// The length of a TCP packet is left out, because a device may cut it or put several together: they
// keep the sequence number of the first.
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

bool HasAddresses(const Event& event) {
  return event.number[Packet::kSourceLow] != kAbsent &&
         event.number[Packet::kSourcePort] != kAbsent;
}

}  // namespace

Packets::Side& Packets::Remember(const Key& key) {
  order_.push_back(key);
  while (order_.size() > limit_) {
    forgotten_ += sides_.erase(order_.front());
    order_.pop_front();
  }
  return sides_[key];
}

void Packets::Send(const Event& event, ThreadIndex sender, Time now) {
  if (!HasAddresses(event)) return;
  const Key key = KeyOf(event);
  const auto known = sides_.find(key);
  if (known == sides_.end()) {
    Remember(key) = {0, 1, sender, now};
  } else if (known->second.received == 0) {
    ++known->second.transmissions;
  } else {
    PacketSource& packet = (*received_)[known->second.received];
    packet.transmissions = 1;
    packet.sender = sender;
    packet.sent = now;
    sides_.erase(known);
  }
}

std::uint32_t Packets::Receive(const Event& event) {
  if (!HasAddresses(event)) return 0;
  const auto index = static_cast<std::uint32_t>(received_->size());
  received_->push_back({event.number[Packet::kProtocol], event.number[Packet::kSourceHigh],
                        event.number[Packet::kSourceLow], event.number[Packet::kSourcePort]});
  const Key key = KeyOf(event);
  const auto known = sides_.find(key);
  if (known == sides_.end()) {
    Remember(key).received = index;
  } else if (known->second.received == 0) {
    PacketSource& packet = received_->back();
    packet.transmissions = known->second.transmissions;
    packet.sender = known->second.sender;
    packet.sent = known->second.sent;
    sides_.erase(known);
  }
  return index;
}

}  // namespace tracekin::analysis
