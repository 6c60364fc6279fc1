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

void Packets::Send(const Event& event, ThreadIndex sender, Time now) {
  if (!HasAddresses(event)) return;
  const Key key = KeyOf(event);
  Sent& sent = sent_[key];
  if (sent.transmissions++ > 0) return;
  sent.sender = sender;
  sent.time = now;
  order_.push_back(key);
  while (order_.size() > limit_) {
    forgotten_ += sent_.erase(order_.front());
    order_.pop_front();
  }
}

Packets::Sent Packets::Receive(const Event& event) {
  const auto found = HasAddresses(event) ? sent_.find(KeyOf(event)) : sent_.end();
  if (found == sent_.end()) return {};
  const Sent sent = found->second;
  sent_.erase(found);
  return sent;
}

}  // namespace tracekin::analysis
