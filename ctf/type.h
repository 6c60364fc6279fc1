// SPDX-License-Identifier: Apache-2.0
// What the metadata of a trace says: the types of its fields, and which events and streams have
// them (Common Trace Format 1.8.3, sections 4 to 7).
//
// Types are shared and never change once they are parsed. Thread-safety: plain data.
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
    std::string name;  // as the metadata has it, often with an underscore before it
    TypePointer type;
  };
  struct Range {  // of an enumeration; both ends belong to it
    std::string label;
    std::int64_t low;
    std::int64_t high;
  };

  Kind kind = Kind::kInteger;
  unsigned alignment = 1;  // in bits; a power of two

  // Integers, and the integers of enumerations; floating-point numbers have a size only.
  unsigned bits = 0;
  bool is_signed = false;
  bool big_endian = false;
  bool is_text = false;       // one character
  std::string clock;          // that it is a timestamp of, or empty
  std::vector<Range> ranges;  // of an enumeration

  std::vector<Field> fields;  // of a struct; the options of a variant

  std::string tag;      // the field that chooses a variant's option, or holds a sequence's length
  TypePointer element;  // of an array or sequence
  std::uint64_t count = 0;

  // Itself and all types in it, and how deep these lie: bounds for what walks through types.
  unsigned weight = 1;
  unsigned depth = 1;
};

struct EventClass {
  std::string name;
  TypePointer context;  // null if there is none
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
  std::string uuid;  // empty if it has none
  std::uint64_t frequency = 1'000'000'000;
  std::int64_t offset_seconds = 0;
  std::int64_t offset_cycles = 0;
};

struct Metadata {
  std::string uuid;  // of the trace, empty if it has none
  TypePointer packet_header;
  std::map<std::string, std::string> environment;
  std::map<std::string, ClockClass> clocks;
  std::map<std::uint64_t, StreamClass> streams;
};

}  // namespace tracekin::ctf

#endif  // TRACEKIN_CTF_TYPE_H
