// SPDX-License-Identifier: Apache-2.0
// Matches the events of sending and receiving a packet, so that the sender of a received packet is
// known.
//
// A packet is identified by its addresses and ports, and by the sequence numbers of TCP or the
// length of UDP. These are equal in two network namespaces and on two hosts. Of several equal
// packets, the first one matches.
//
// Either event may be seen first, because the events of two hosts are not sorted by time. The first
// one is stored until the other one is seen. The number of stored events is limited, and the oldest
// are forgotten first, because most packets to hosts that are not traced are never received.
//
// Thread-safety: none.
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

  /// Processes a kPacketQueue event. A packet of TCP that is sent again after a time-out counts as
  /// another transmission, but not one that only passes to the next device.
  void Send(const Event& event, ThreadIndex sender, Time now);

  using Key = std::array<std::int64_t, 10>;
  struct Received {
    Key key;
    PacketSource source;
    bool valid = false;   // true if the event contains addresses
    bool joined = false;  // true if its sending was seen
  };

  /// Processes a kPacketReceive event. Returns the packet, with its sender if that is known.
  Received Receive(const Event& event);

  /// Keeps a packet that has woken a thread. Returns its index in `received`.
  std::uint32_t Keep(const Received& packet);

  /// Returns how many events were forgotten before the matching event was seen.
  std::uint64_t forgotten() const { return forgotten_; }

 private:
  // One side of a packet. If only the sending was seen, `received` is 0, and the fields below
  // describe the sending.
  struct Side {
    std::uint64_t number = 0;  // counts the sides in the order in which they were seen
    std::uint32_t received = 0;
    std::uint32_t transmissions = 0;
    ThreadIndex sender = kNobody;
    Time sent = 0;
    Time last_sent = 0;
  };

  void Remember(const Key& key, Side side);

  const std::size_t limit_;
  std::vector<PacketSource>* const received_;
  std::multimap<Key, Side> sides_;  // many UDP packets have the same key
  std::deque<std::pair<std::uint64_t, Key>>
      order_;  // also contains joined sides until they are the oldest
  std::uint64_t seen_ = 0;
  std::uint64_t forgotten_ = 0;
};

}  // namespace tracekin::analysis

#endif  // TRACEKIN_ANALYSIS_PACKETS_H
