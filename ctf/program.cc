// SPDX-License-Identifier: Apache-2.0
// Implements the part of program.h that runs programs.
#include "ctf/program.h"

#include <algorithm>
#include <cstring>

namespace tracekin::ctf {

namespace {

using Op = Instruction::Op;

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "loads are of the trace's byte order");

template <class Integer>
std::int64_t Load(const std::uint8_t* from) {
  Integer value;
  std::memcpy(&value, from, sizeof value);
  return static_cast<std::int64_t>(value);
}

std::int64_t Extend(std::uint64_t value, unsigned bits, bool is_signed) {
  if (bits == 0 || bits >= 64) return static_cast<std::int64_t>(value);
  if (is_signed && (value >> (bits - 1) & 1) != 0) value |= ~std::uint64_t{0} << bits;
  return static_cast<std::int64_t>(value);
}

std::uint64_t LoadBytes(const std::uint8_t* from, std::size_t size, bool big_endian) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) {
    value = value << 8 | from[big_endian ? i : size - 1 - i];
  }
  return value;
}

// Reads a bit field. Big-endian bit fields begin at the highest bit of a byte, and little-endian
// ones at the lowest (section 4.1.5).
std::uint64_t LoadBits(const std::uint8_t* from, std::uint32_t first, unsigned bits,
                       bool big_endian) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < bits; ++i) {
    const std::uint32_t at = first + i;
    const std::uint64_t bit = from[at / 8] >> (big_endian ? 7 - at % 8 : at % 8) & 1;
    value = big_endian ? value << 1 | bit : value | bit << i;
  }
  return value;
}

std::string_view Text(const std::uint8_t* bytes, std::size_t size) {
  const auto* text = reinterpret_cast<const char*>(bytes);
  return {text, strnlen(text, size)};
}

// The state that instructions share, except for the current position.
struct Frame {
  const Program& program;
  const std::uint8_t* end;
  std::uintptr_t origin;
  Values* values;

  std::size_t Left(const std::uint8_t* at) const { return static_cast<std::size_t>(end - at); }

  void Put(const Instruction& instruction, std::int64_t value) const {
    (instruction.scratch ? values->scratch : values->number)[instruction.slot] = value;
  }

  std::uint64_t Count(const Instruction& instruction) const {
    return static_cast<std::uint64_t>(values->scratch[instruction.count]);
  }
};

const std::uint8_t* RunRare(const Frame& frame, const Instruction& instruction,
                            const std::uint8_t* block, const std::uint8_t* at);

// Runs `code`. This is the reader's innermost loop, so the few most frequent instructions are
// handled here and the others in RunRare().
inline const std::uint8_t* RunCode(const Frame& frame, const std::vector<Instruction>& code,
                                   const std::uint8_t* at) {
  const std::uint8_t* block = at;
  for (const Instruction& instruction : code) {
    const std::uint8_t* const from = block + instruction.offset;
    switch (instruction.op) {
      case Op::kBlock:
        if (instruction.size > frame.Left(at)) return nullptr;
        block = at;
        at += instruction.size;
        break;
      case Op::kUnsigned8:
        frame.Put(instruction, Load<std::uint8_t>(from));
        break;
      case Op::kSigned8:
        frame.Put(instruction, Load<std::int8_t>(from));
        break;
      case Op::kUnsigned16:
        frame.Put(instruction, Load<std::uint16_t>(from));
        break;
      case Op::kSigned16:
        frame.Put(instruction, Load<std::int16_t>(from));
        break;
      case Op::kUnsigned32:
        frame.Put(instruction, Load<std::uint32_t>(from));
        break;
      case Op::kSigned32:
        frame.Put(instruction, Load<std::int32_t>(from));
        break;
      case Op::kInteger64:
        frame.Put(instruction, Load<std::int64_t>(from));
        break;
      case Op::kString: {
        const void* const nul = std::memchr(at, 0, frame.Left(at));
        if (nul == nullptr) return nullptr;
        const auto size = static_cast<std::size_t>(static_cast<const std::uint8_t*>(nul) - at);
        if (instruction.wanted) {
          frame.values->text[instruction.slot] = {reinterpret_cast<const char*>(at), size};
        }
        at += size + 1;
        break;
      }
      case Op::kTextArray:
        frame.values->text[instruction.slot] = Text(from, instruction.size);
        break;
      default:
        at = RunRare(frame, instruction, block, at);
        if (at == nullptr) return nullptr;
    }
  }
  return at;
}

const std::uint8_t* RunPart(const Frame& frame, std::uint32_t part, const std::uint8_t* at) {
  return RunCode(frame, frame.program.parts[part], at);
}

const std::uint8_t* Align(const Frame& frame, std::uint32_t bytes, const std::uint8_t* at) {
  const std::uintptr_t past = (reinterpret_cast<std::uintptr_t>(at) - frame.origin) % bytes;
  const std::size_t padding = past == 0 ? 0 : bytes - past;
  return padding > frame.Left(at) ? nullptr : at + padding;
}

const std::uint8_t* RunSequence(const Frame& frame, const Instruction& instruction,
                                const std::uint8_t* at) {
  const std::uint64_t count = frame.Count(instruction);
  if (instruction.size == 0) return at;
  if (count > frame.Left(at) / instruction.size) return nullptr;
  const std::uint8_t* const end = at + count * instruction.size;
  if (instruction.op == Op::kTextSequence && instruction.wanted) {
    frame.values->text[instruction.slot] = Text(at, static_cast<std::size_t>(count));
  } else if (instruction.op == Op::kLast && count > 0) {
    const std::uint64_t last =
        LoadBytes(end - instruction.size, instruction.size, instruction.big_endian);
    frame.Put(instruction, Extend(last, instruction.bits, instruction.is_signed));
  }
  return end;
}

const std::uint8_t* RunRepeat(const Frame& frame, const Instruction& instruction,
                              const std::uint8_t* at) {
  std::uint64_t count =
      instruction.op == Op::kRepeat ? frame.Count(instruction) : instruction.offset;
  for (; count > 0 && at != nullptr; --count) at = RunPart(frame, instruction.part, at);
  return at;
}

const std::uint8_t* RunSelect(const Frame& frame, const Instruction& instruction,
                              const std::uint8_t* at) {
  const std::int64_t tag = frame.values->scratch[instruction.count];
  for (const Program::Option& option : frame.program.tables[instruction.part]) {
    if (tag >= option.low && tag <= option.high) return RunPart(frame, option.part, at);
  }
  frame.values->damage = "a variant has no option of that number";
  return nullptr;
}

const std::uint8_t* RunRare(const Frame& frame, const Instruction& instruction,
                            const std::uint8_t* block, const std::uint8_t* at) {
  std::uint64_t value = 0;
  switch (instruction.op) {
    case Op::kBigEndian:
      value = LoadBytes(block + instruction.offset, instruction.bits / 8, true);
      frame.Put(instruction, Extend(value, instruction.bits, instruction.is_signed));
      return at;
    case Op::kBits:
      value = LoadBits(block, instruction.offset, instruction.bits, instruction.big_endian);
      frame.Put(instruction, Extend(value, instruction.bits, instruction.is_signed));
      return at;
    case Op::kBytes:
      value = LoadBytes(block + instruction.offset, instruction.size, true);
      frame.Put(instruction, static_cast<std::int64_t>(value));
      return at;
    case Op::kAlign:
      return Align(frame, instruction.size, at);
    case Op::kSequence:
    case Op::kTextSequence:
    case Op::kLast:
      return RunSequence(frame, instruction, at);
    case Op::kRepeat:
    case Op::kRepeatFixed:
      return RunRepeat(frame, instruction, at);
    default:
      return RunSelect(frame, instruction, at);
  }
}

}  // namespace

const std::uint8_t* Run(const Program& program, const std::uint8_t* at, const std::uint8_t* end,
                        std::uintptr_t origin, Values* values) {
  return RunCode({program, end, origin, values}, program.code, at);
}

}  // namespace tracekin::ctf
