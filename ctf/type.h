// SPDX-License-Identifier: Apache-2.0
// The content of a trace's metadata: the types of fields, and the events and streams that use them
// (Common Trace Format 1.8.3, sections 4 to 7).
//
// Types are shared and do not change after they were parsed. Thread-safety: plain data.
#ifndef TRACEKIN_CTF_TYPE_H
#define TRACEKIN_CTF_TYPE_H

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tracekin::ctf {

struct Type;
using TypePointer = std::shared_ptr<const Type>;

struct Type {
  enum class Kind { kInteger, kFloat, kString, kStruct, kVariant, kArray, kSequence };
  struct Field {
    std::string name;  // as in the metadata, often with a leading underscore
    TypePointer type;
  };
  struct Range {  // a range of an enumeration, including both ends
    std::string label;
    std::int64_t low;
    std::int64_t high;
  };

  Kind kind = Kind::kInteger;
  unsigned alignment = 1;  // in bits, a power of two

  // These apply to integers, including those of enumerations. Floating-point numbers only have a
  // size.
  unsigned bits = 0;
  bool is_signed = false;
  bool big_endian = false;
  bool is_text = false;       // true if the integer is a character
  std::string clock;          // the clock if the integer is a timestamp, or ""
  std::vector<Range> ranges;  // the ranges of an enumeration

  std::vector<Field> fields;  // the fields of a struct, or the options of a variant

  std::string tag;      // the field that selects a variant's option or contains a sequence's length
  TypePointer element;  // the element type of an array or sequence
  std::uint64_t count = 0;

  // The number of types in this type, including itself, and their depth. These limit recursion over
  // types.
  unsigned weight = 1;
  unsigned depth = 1;
};

struct EventClass {
  std::string name;
  TypePointer context;  // may be null
  TypePointer fields;
};

struct StreamClass {
  TypePointer packet_context;
  TypePointer event_header;
  TypePointer event_context;
  std::map<std::uint64_t, EventClass> events;
};

struct ClockClass {
  std::string name;
  std::string uuid;  // may be empty
  std::uint64_t frequency = 1'000'000'000;
  std::int64_t offset_seconds = 0;
  std::int64_t offset_cycles = 0;
};

struct Metadata {
  std::string uuid;  // the UUID of the trace; may be empty
  TypePointer packet_header;
  std::map<std::string, std::string> environment;
  std::map<std::string, ClockClass> clocks;
  std::map<std::uint64_t, StreamClass> streams;
};

}  // namespace tracekin::ctf

#endif  // TRACEKIN_CTF_TYPE_H
