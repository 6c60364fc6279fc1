// SPDX-License-Identifier: Apache-2.0
// Finds the packets of a file: their offsets, their streams and the times that they cover.
//
// Does not need LTTng's index files, because the packets contain the same information.
//
// Thread-safety: the functions only access their arguments and the file.
#ifndef TRACEKIN_CTF_PACKET_H
#define TRACEKIN_CTF_PACKET_H

#include <cstdint>
#include <string>
#include <vector>

#include "ctf/input_file.h"
#include "ctf/layout.h"

namespace tracekin::ctf {

struct Packet {
  std::uint64_t offset = 0;   // file offset of the packet
  std::uint64_t events = 0;   // file offset of the first event
  std::uint64_t content = 0;  // file offset of the end of the events
  std::uint64_t bytes = 0;    // size of the whole packet
  std::uint64_t begin = 0;    // clock values
  std::uint64_t end = 0;
  std::uint64_t sequence = 0;
  // Number of discarded events since the stream began, or 0 if the trace does not count them.
  std::uint64_t discarded = 0;
  std::uint32_t cpu = 0;
  std::uint64_t stream = 0;    // the id of the stream class
  std::uint64_t instance = 0;  // the id of the stream within its class
};

struct PacketIndex {
  std::vector<Packet> packets;  // in the order of the file
  std::string damage;           // why the rest of the file was omitted; "" if all of it was read
};

/// Returns the packets of `file` up to the first one that is not valid. If the file ends within a
/// packet, includes the part that exists. Throws ReadError.
PacketIndex IndexPackets(const InputFile& file, const TraceLayout& layout);

}  // namespace tracekin::ctf

#endif  // TRACEKIN_CTF_PACKET_H
