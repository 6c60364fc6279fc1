// SPDX-License-Identifier: Apache-2.0
// Packets that were sent and are not yet received: so that who receives one learns who sent it.
//
// A packet is known by its addresses, ports, sequence numbers and length, which two network
// namespaces or two hosts see alike. Remembers a bounded number: the oldest go first, because most
// packets to hosts that are not traced are never received. Thread-safety: none.
#ifndef TRACEKIN_ANALYSIS_PACKETS_H
#define TRACEKIN_ANALYSIS_PACKETS_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>

#include "analysis/timeline.h"

namespace tracekin::analysis {

class Packets {
 public:
  struct Sent {
    ThreadIndex sender = kNobody;  // kNobody if the kernel sent it by itself
    Time time = 0;                 // when it was first sent
    std::uint32_t transmissions = 0;
  };

  explicit Packets(std::size_t limit) : limit_(limit) {}

  /// `event` is a kPacketQueue. A packet that passes several devices on its way counts once.
  void Send(const Event& event, ThreadIndex sender, Time now);

  /// `event` is a kPacketReceive. Returns what is known of the sending, and forgets it;
  /// `transmissions` is 0 if nothing is.
  Sent Receive(const Event& event);

  /// How many were forgotten before they were received.
  std::uint64_t forgotten() const { return forgotten_; }

 private:
  using Key = std::array<std::int64_t, 10>;

  const std::size_t limit_;
  std::map<Key, Sent> sent_;
  std::deque<Key> order_;  // of sending; holds received ones, too, until their turn comes
  std::uint64_t forgotten_ = 0;
};

}  // namespace tracekin::analysis

#endif  // TRACEKIN_ANALYSIS_PACKETS_H
