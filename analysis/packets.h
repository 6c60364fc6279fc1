// SPDX-License-Identifier: Apache-2.0
// Joins the sending of a packet and its receipt, so that who receives one learns who sent it.
//
// A packet is known by its addresses, ports, sequence numbers and length, which two network
// namespaces or two hosts see alike. Whichever of the two is seen first waits for the other,
// because the events of two hosts are not in one order. Remembers a bounded number: the oldest go
// first, because most packets to hosts that are not traced are never received. Thread-safety: none.
#ifndef TRACEKIN_ANALYSIS_PACKETS_H
#define TRACEKIN_ANALYSIS_PACKETS_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "analysis/timeline.h"

namespace tracekin::analysis {

class Packets {
 public:
  /// Appends the packets that are received to `received`.
  Packets(std::size_t limit, std::vector<PacketSource>* received)
      : limit_(limit), received_(received) {}

  /// `event` is a kPacketQueue. A packet that passes several devices on its way counts once for
  /// each time that it is sent.
  void Send(const Event& event, ThreadIndex sender, Time now);

  /// `event` is a kPacketReceive. Returns the packet's index in `received`, or 0 if it has no
  /// addresses.
  std::uint32_t Receive(const Event& event);

  /// How many were forgotten before the other side was seen.
  std::uint64_t forgotten() const { return forgotten_; }

 private:
  using Key = std::array<std::int64_t, 10>;
  // One side of a packet: `received` is 0 if it was sent only, and then the rest tells how.
  struct Side {
    std::uint32_t received = 0;
    std::uint32_t transmissions = 0;
    ThreadIndex sender = kNobody;
    Time sent = 0;
  };

  Side& Remember(const Key& key);

  const std::size_t limit_;
  std::vector<PacketSource>* const received_;
  std::map<Key, Side> sides_;
  std::deque<Key> order_;  // of the first sides; holds joined ones, too, until their turn comes
  std::uint64_t forgotten_ = 0;
};

}  // namespace tracekin::analysis

#endif  // TRACEKIN_ANALYSIS_PACKETS_H
