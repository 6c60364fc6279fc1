// SPDX-License-Identifier: Apache-2.0
// The packets of a file: where they lie, of which stream they are, and which time they cover.
//
// LTTng's index files are not needed: the packets themselves say all that these do.
//
// Thread-safety: functions of their arguments and the file.
#ifndef TRACEKIN_CTF_PACKET_H
#define TRACEKIN_CTF_PACKET_H

#include <cstdint>
#include <string>
#include <vector>

#include "ctf/input_file.h"
#include "ctf/layout.h"

namespace tracekin::ctf {

struct Packet {
  std::uint64_t offset = 0;   // in the file, of the packet's first byte
  std::uint64_t events = 0;   // in the file, of the first event
  std::uint64_t content = 0;  // in the file, where the events end
  std::uint64_t bytes = 0;    // of the whole packet
  std::uint64_t begin = 0;    // clock values
  std::uint64_t end = 0;
  std::uint64_t sequence = 0;
  // Events, since the stream began; 0 if the trace does not count them.
  std::uint64_t discarded = 0;
  std::uint32_t cpu = 0;
  std::uint64_t stream = 0;    // the id of the stream class
  std::uint64_t instance = 0;  // which stream of this class
};

struct PacketIndex {
  std::vector<Packet> packets;  // in the order of the file
  std::string damage;           // why the rest of the file is left out; empty if all was read
};

/// All packets of `file`, up to the first that makes no sense. Of a packet that the file's end cuts
/// off, the bytes that are there count. Throws ReadError.
PacketIndex IndexPackets(const InputFile& file, const TraceLayout& layout);

}  // namespace tracekin::ctf

#endif  // TRACEKIN_CTF_PACKET_H
