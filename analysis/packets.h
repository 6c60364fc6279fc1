// SPDX-License-Identifier: Apache-2.0
// Matches the events of sending and receiving a packet, so that the sender of a received packet is
// known.
//
// A packet is known by its addresses, ports, and TCP's sequence numbers or UDP's length, which two
// network namespaces or two hosts see alike; of several that are alike the first one is taken.
// Whichever of the two is seen first waits for the other, because the events of two hosts are not
// in one order. Remembers a bounded number: the oldest go first, because most packets to hosts that
// are not traced are never received. Thread-safety: none.
#ifndef TRACEKIN_ANALYSIS_PACKETS_H
#define TRACEKIN_ANALYSIS_PACKETS_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "analysis/timeline.h"

namespace tracekin::analysis {

class Packets {
 public:
  /// Appends the packets that are kept to `received`.
  Packets(std::size_t limit, std::vector<PacketSource>* received)
      : limit_(limit), received_(received) {}

  /// Processes a kPacketQueue event. A packet that passes through several devices counts once for
  /// each device that sends it.
  void Send(const Event& event, ThreadIndex sender, Time now);

  using Key = std::array<std::int64_t, 10>;
  struct Received {
    Key key;
    PacketSource source;
    bool valid = false;   // it has addresses
    bool joined = false;  // its sending is known
  };

  /// `event` is a kPacketReceive.
  Received Receive(const Event& event);

  /// Keeps a packet that has woken a thread. Returns its index in `received`.
  std::uint32_t Keep(const Received& packet);

  /// Returns how many events were forgotten before the matching event was seen.
  std::uint64_t forgotten() const { return forgotten_; }

 private:
  // One side of a packet: `received` is 0 if it was sent only, and then the rest tells how.
  struct Side {
    std::uint64_t number = 0;  // of all sides, in the order in which they were seen
    std::uint32_t received = 0;
    std::uint32_t transmissions = 0;
    ThreadIndex sender = kNobody;
    Time sent = 0;
  };

  void Remember(const Key& key, Side side);

  const std::size_t limit_;
  std::vector<PacketSource>* const received_;
  std::multimap<Key, Side> sides_;  // UDP's packets have the same key again and again
  std::deque<std::pair<std::uint64_t, Key>>
      order_;  // holds joined ones, too, until their turn comes
  std::uint64_t seen_ = 0;
  std::uint64_t forgotten_ = 0;
};

}  // namespace tracekin::analysis

#endif  // TRACEKIN_ANALYSIS_PACKETS_H
