// SPDX-License-Identifier: Apache-2.0
// The layout of the bytes of one trace, compiled from its metadata for reading.
//
// Thread-safety: plain data that does not change after it was made.
#ifndef TRACEKIN_CTF_LAYOUT_H
#define TRACEKIN_CTF_LAYOUT_H

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ctf/event_header.h"
#include "ctf/program.h"
#include "ctf/type.h"
#include "ctf/vocabulary.h"

namespace tracekin::ctf {

struct EventLayout {
  bool known = false;  // true if the metadata contains an event with this id
  std::string name;
  Meaning meaning;
  Program context;  // the context of this event class; extracts nothing
  Program fields;
  // The initial numbers, for events that do not have all of them, and the slots of the texts that
  // an event may lack.
  bool may_lack_numbers = false;
  std::array<std::int64_t, analysis::Event::kNumbers> numbers{};
  std::vector<int> texts;
};

struct StreamLayout {
  Program packet_context;
  EventHeader event_header;
  Program context;                  // extracts the fields of ProcessContext()
  Program context_unwanted;         // skips the same bytes
  std::vector<EventLayout> events;  // indexed by event id
};

/// The fields that describe a packet, in the order of Values::number.
struct PacketNumber {
  enum : std::uint8_t {
    kMagic,
    kUuidHigh,
    kUuidLow,
    kStream,
    kInstance,
    kBegin,
    kEnd,
    kContentBits,
    kPacketBits,
    kSequence,
    kDiscarded,
    kCpu,
    kCount
  };
};

struct TraceLayout {
  bool kernel = false;
  std::string hostname;
  std::string uuid;
  ClockClass clock;
  Program packet_header;
  std::map<std::uint64_t, StreamLayout> streams;
  bool has_magic = false;
  bool has_uuid = false;      // true if packets contain a UUID
  bool has_instance = false;  // true if one stream may have packets in several files
  bool has_sequence = false;
};

/// Throws NotUnderstood if anything in `metadata` is not understood, and WrongMetadata.
TraceLayout LayOut(const Metadata& metadata);

}  // namespace tracekin::ctf

#endif  // TRACEKIN_CTF_LAYOUT_H
