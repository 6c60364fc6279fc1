// SPDX-License-Identifier: Apache-2.0
// Programs that extract the wanted fields from the bytes of an event and skip the others.
//
// A struct is compiled once. Adjacent fields of fixed size become one block, regardless of their
// number. Only strings, sequences and variants need separate instructions. Run() checks every
// length against the end of the bytes before it uses it.
//
// Thread-safety: plain data. Several threads may run a Program at the same time.
#ifndef TRACEKIN_CTF_PROGRAM_H
#define TRACEKIN_CTF_PROGRAM_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ctf/type.h"

namespace tracekin::ctf {

/// A field that the caller wants, and the slot in which its value is stored.
struct Wanted {
  enum class As : std::uint8_t {
    kNumber,     // an integer
    kText,       // a string, or an array or sequence of characters up to the first NUL
    kLowBytes,   // the last 8 bytes of an array, as a number in network order
    kHighBytes,  // the 8 bytes before these; bytes that the array does not have are 0
    kLast        // the last integer of a sequence
  };
  // The names from the outermost struct inwards, separated by dots, including the names of
  // variants' options. One leading underscore of each name is omitted, like in babeltrace2.
  std::string path;
  As as = As::kNumber;
  bool scratch = false;  // store the number in Values::scratch, not in Values::number
  std::uint8_t slot = 0;

  bool HasTargetOf(const Wanted& other) const {
    return (as == As::kText) == (other.as == As::kText) && scratch == other.scratch &&
           slot == other.slot;
  }
};

constexpr int kScratch = 64;
constexpr int kFirstTemporary = 8;  // the caller may use the slots of the scratch before this one

/// The values that Run() extracts. The caller owns the arrays, which must have an element for each
/// slot that the caller uses. If an event does not have a field, its slot does not change.
struct Values {
  std::int64_t* number = nullptr;
  std::string_view* text = nullptr;  // points into the bytes of the event
  std::int64_t scratch[kScratch];
  const char* damage = nullptr;  // why Run() failed, unless the bytes merely ended too early
};

struct Instruction {
  enum class Op : std::uint8_t {
    // Makes the next `size` bytes the block from which the next instructions read.
    kBlock,
    // Integers at `offset` bytes in the block.
    kUnsigned8,
    kSigned8,
    kUnsigned16,
    kSigned16,
    kUnsigned32,
    kSigned32,
    kInteger64,
    kBigEndian,  // `bits` bits, which are a whole number of bytes
    kBits,       // `bits` bits at `offset` bits
    kBytes,      // `size` bytes in network order
    kTextArray,  // `size` characters

    // In these instructions, `count` is the index of a temporary that contains the number.
    kString,        // reads up to the NUL
    kAlign,         // skips to a multiple of `size` bytes from the beginning of the packet
    kSequence,      // skips `count` elements of `size` bytes each
    kTextSequence,  // reads text of `count` characters
    kLast,          // reads the last of `count` integers of `bits` bits each
    kRepeat,        // runs the part `part` `count` times
    kRepeatFixed,   // runs the part `part` `offset` times
    kSelect         // runs the part that the value `count` selects in the table `part`
  };
  Op op = Op::kBlock;
  std::uint8_t bits = 0;
  bool is_signed = false;
  bool big_endian = false;
  bool scratch = false;
  bool wanted = false;  // for kString and kTextSequence: store the text in the slot
  std::uint8_t slot = 0;
  std::uint8_t count = 0;
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
  std::uint32_t part = 0;
};

struct Program {
  struct Option {  // the range includes both ends
    std::int64_t low;
    std::int64_t high;
    std::uint32_t part;
  };
  std::vector<Instruction> code;
  std::vector<std::vector<Instruction>> parts;
  std::vector<std::vector<Option>> tables;

  // For each wanted field: whether all events have it, and whether some events have it.
  std::vector<bool> always;
  std::vector<bool> ever;
};

/// Compiles a struct that begins and ends on a byte boundary. If `type` is null, returns an empty
/// program. If several wanted fields share a slot, uses the first one that all events have. Throws
/// NotUnderstood if a type is not supported, such as a field of variable size that does not begin
/// on a byte boundary. Throws WrongMetadata if the metadata is wrong.
Program Compile(const TypePointer& type, const std::vector<Wanted>& wanted);

/// Runs the program on the bytes from `at` to `end`. `origin` is the address at which the packet
/// begins, or would begin if it were in memory. Returns the address at which the program ended.
/// Returns null if there are too few bytes, or if they are not valid. In the latter case, sets
/// Values::damage. Does not read any byte outside of the range.
const std::uint8_t* Run(const Program& program, const std::uint8_t* at, const std::uint8_t* end,
                        std::uintptr_t origin, Values* values);

}  // namespace tracekin::ctf

#endif  // TRACEKIN_CTF_PROGRAM_H
