// SPDX-License-Identifier: Apache-2.0
// All that the metadata of one trace says about its bytes, compiled for reading.
//
// Thread-safety: plain data, which does not change once it is made.
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
  bool known = false;  // whether the metadata has an event of this id
  std::string name;
  Meaning meaning;
  Program context;  // of this class alone; takes nothing out of it
  Program fields;
  // What the numbers are before the fields are taken, unless all events have all of them; and the
  // texts that an event may lack.
  bool may_lack_numbers = false;
  std::array<std::int64_t, analysis::Event::kNumbers> numbers{};
  std::vector<int> texts;
};

struct StreamLayout {
  Program packet_context;
  EventHeader event_header;
  Program context;                  // with the fields of ProcessContext()
  Program context_unwanted;         // steps over the same bytes
  std::vector<EventLayout> events;  // by id
};

/// What a packet says about itself, in the order of Values::number.
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
  bool has_uuid = false;      // in packets
  bool has_instance = false;  // packets of several files may be of one stream
  bool has_sequence = false;
};

/// Throws NotUnderstood if anything in `metadata` is not understood, and WrongMetadata.
TraceLayout LayOut(const Metadata& metadata);

}  // namespace tracekin::ctf

#endif  // TRACEKIN_CTF_LAYOUT_H
