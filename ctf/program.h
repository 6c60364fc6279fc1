// SPDX-License-Identifier: Apache-2.0
// Programs that take the wanted fields out of an event's bytes and step over the others.
//
// A struct is compiled once. What has a fixed size becomes one instruction, however many fields it
// is made of; only strings, sequences and variants take instructions of their own. Run() checks
// every length against the end of the bytes before it uses it.
//
// Thread-safety: plain data; a Program may be run by several threads at once.
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

/// A field that somebody wants, and where its value goes.
struct Wanted {
  enum class As : std::uint8_t {
    kNumber,     // an integer
    kText,       // a string, or an array or sequence of characters up to the first NUL
    kLowBytes,   // the last 8 of an array of bytes, as a number in network order
    kHighBytes,  // the 8 bytes before these, 0 where the array is not so long
    kLast        // the last integer of a sequence
  };
  // From the outermost struct inwards, with a dot between names; a variant's option is a name too.
  // One underscore at the beginning of each name is left out, as babeltrace2 does.
  std::string path;
  As as = As::kNumber;
  bool scratch = false;  // the number goes to Values::scratch, not to Values::number
  std::uint8_t slot = 0;

  bool HasTargetOf(const Wanted& other) const {
    return (as == As::kText) == (other.as == As::kText) && scratch == other.scratch &&
           slot == other.slot;
  }
};

constexpr int kScratch = 64;
constexpr int kFirstTemporary = 8;  // in the scratch; those below are the caller's

/// Where the values go. The caller owns the arrays, which have as many elements as the slots that
/// the caller names. A field that an event does not have leaves its slot as it was.
struct Values {
  std::int64_t* number = nullptr;
  std::string_view* text = nullptr;  // lies in the event's bytes
  std::int64_t scratch[kScratch];
  const char* damage = nullptr;  // why Run() failed, unless the bytes only came to their end
};

struct Instruction {
  enum class Op : std::uint8_t {
    // Takes `size` bytes: the block that the next instructions read from.
    kBlock,
    // Integers at `offset` bytes in the block.
    kUnsigned8,
    kSigned8,
    kUnsigned16,
    kSigned16,
    kUnsigned32,
    kSigned32,
    kInteger64,
    kBigEndian,  // of `bits` bits, which are whole bytes
    kBits,       // `bits` bits at `offset` bits
    kBytes,      // `size` bytes in network order
    kTextArray,  // `size` characters

    kString,        // up to the NUL
    kAlign,         // to a multiple of `size` bytes since the packet's beginning
    kSequence,      // skips `count` elements of `size` bytes each; count is a temporary
    kTextSequence,  // text in so many characters
    kLast,          // so many integers of `bits` bits each
    kRepeat,        // runs the part `part` so often as the temporary `count` says,
    kRepeatFixed,   // or so often as `offset` says
    kSelect         // runs the part that the temporary `count` chooses in the table `part`
  };
  Op op = Op::kBlock;
  std::uint8_t bits = 0;
  bool is_signed = false;
  bool big_endian = false;
  bool scratch = false;
  bool wanted = false;  // of kString, kTextSequence: the text goes to the slot
  std::uint8_t slot = 0;
  std::uint8_t count = 0;
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
  std::uint32_t part = 0;
};

struct Program {
  struct Option {  // both ends belong to it
    std::int64_t low;
    std::int64_t high;
    std::uint32_t part;
  };
  std::vector<Instruction> code;
  std::vector<std::vector<Instruction>> parts;
  std::vector<std::vector<Option>> tables;

  // For each of what was wanted: whether all events have it, and whether some have.
  std::vector<bool> always;
  std::vector<bool> ever;
};

/// Compiles a struct that begins and ends on a byte; null for none. Of several that are wanted at
/// one place, the first that all events have is taken. Throws NotUnderstood for what cannot be run:
/// a field of variable size that does not begin on a byte, and the like; WrongMetadata.
Program Compile(const TypePointer& type, const std::vector<Wanted>& wanted);

/// Runs the program on the bytes from `at` to `end`; `origin` is the address at which the packet
/// begins, or would. Returns where the program ended. Returns null if the bytes do not reach, and,
/// with Values::damage set, if they make no sense. No byte outside is read.
const std::uint8_t* Run(const Program& program, const std::uint8_t* at, const std::uint8_t* end,
                        std::uintptr_t origin, Values* values);

}  // namespace tracekin::ctf

#endif  // TRACEKIN_CTF_PROGRAM_H
