// SPDX-License-Identifier: Apache-2.0
// The half of program.h that runs programs.
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

// Big-endian bit fields begin at a byte's highest bit, little-endian ones at its lowest (section
// 4.1.5).
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

class Machine {
 public:
  Machine(const Program& program, const std::uint8_t* end, std::uintptr_t origin, Values* values)
      : program_(program),
        end_(end),
        origin_(origin),
        values_(values),
        into_{values->number, values->scratch} {}

  const std::uint8_t* Run(const std::vector<Instruction>& code, const std::uint8_t* at) {
    const std::uint8_t* block = at;
    for (const Instruction& instruction : code) {
      switch (instruction.op) {
        case Op::kBlock:
          if (instruction.size > Left(at)) return nullptr;
          block = at;
          at += instruction.size;
          break;
        case Op::kUnsigned8:
          Put(instruction, Load<std::uint8_t>(block + instruction.offset));
          break;
        case Op::kSigned8:
          Put(instruction, Load<std::int8_t>(block + instruction.offset));
          break;
        case Op::kUnsigned16:
          Put(instruction, Load<std::uint16_t>(block + instruction.offset));
          break;
        case Op::kSigned16:
          Put(instruction, Load<std::int16_t>(block + instruction.offset));
          break;
        case Op::kUnsigned32:
          Put(instruction, Load<std::uint32_t>(block + instruction.offset));
          break;
        case Op::kSigned32:
          Put(instruction, Load<std::int32_t>(block + instruction.offset));
          break;
        case Op::kInteger64:
          Put(instruction, Load<std::int64_t>(block + instruction.offset));
          break;
        case Op::kString: {
          const void* nul = std::memchr(at, 0, Left(at));
          if (nul == nullptr) return nullptr;
          const auto size = static_cast<std::size_t>(static_cast<const std::uint8_t*>(nul) - at);
          if (instruction.wanted) {
            values_->text[instruction.slot] = {reinterpret_cast<const char*>(at), size};
          }
          at += size + 1;
          break;
        }
        case Op::kTextArray:
          values_->text[instruction.slot] = Text(block + instruction.offset, instruction.size);
          break;
        default:
          at = RunRare(instruction, block, at);
          if (at == nullptr) return nullptr;
      }
    }
    return at;
  }

 private:
  std::size_t Left(const std::uint8_t* at) const { return static_cast<std::size_t>(end_ - at); }

  void Put(const Instruction& instruction, std::int64_t value) {
    into_[instruction.scratch][instruction.slot] = value;
  }

  std::uint64_t Count(const Instruction& instruction) const {
    return static_cast<std::uint64_t>(values_->scratch[instruction.count]);
  }

  const std::uint8_t* RunRare(const Instruction& instruction, const std::uint8_t* block,
                              const std::uint8_t* at) {
    switch (instruction.op) {
      case Op::kBigEndian:
        Put(instruction, Extend(LoadBytes(block + instruction.offset, instruction.bits / 8, true),
                                instruction.bits, instruction.is_signed));
        return at;
      case Op::kBits:
        Put(instruction,
            Extend(LoadBits(block, instruction.offset, instruction.bits, instruction.big_endian),
                   instruction.bits, instruction.is_signed));
        return at;
      case Op::kBytes:
        Put(instruction, static_cast<std::int64_t>(
                             LoadBytes(block + instruction.offset, instruction.size, true)));
        return at;
      case Op::kAlign: {
        const std::uintptr_t past =
            (reinterpret_cast<std::uintptr_t>(at) - origin_) % instruction.size;
        const std::size_t padding = past == 0 ? 0 : instruction.size - past;
        return padding > Left(at) ? nullptr : at + padding;
      }
      case Op::kSequence:
      case Op::kTextSequence:
      case Op::kLast:
        return RunSequence(instruction, at);
      case Op::kRepeat:
      case Op::kRepeatFixed:
        return RunRepeat(instruction, at);
      default:
        return RunSelect(instruction, at);
    }
  }

  const std::uint8_t* RunSequence(const Instruction& instruction, const std::uint8_t* at) {
    const std::uint64_t count = Count(instruction);
    if (instruction.size == 0) return at;
    if (count > Left(at) / instruction.size) return nullptr;
    const std::uint8_t* const end = at + count * instruction.size;
    if (instruction.op == Op::kTextSequence && instruction.wanted) {
      values_->text[instruction.slot] = Text(at, static_cast<std::size_t>(count));
    } else if (instruction.op == Op::kLast && count > 0) {
      Put(instruction,
          Extend(LoadBytes(end - instruction.size, instruction.size, instruction.big_endian),
                 instruction.bits, instruction.is_signed));
    }
    return end;
  }

  const std::uint8_t* RunRepeat(const Instruction& instruction, const std::uint8_t* at) {
    std::uint64_t count = instruction.op == Op::kRepeat ? Count(instruction) : instruction.offset;
    for (; count > 0 && at != nullptr; --count) at = Run(program_.parts[instruction.part], at);
    return at;
  }

  const std::uint8_t* RunSelect(const Instruction& instruction, const std::uint8_t* at) {
    const std::int64_t tag = values_->scratch[instruction.count];
    for (const Program::Option& option : program_.tables[instruction.part]) {
      if (tag >= option.low && tag <= option.high) return Run(program_.parts[option.part], at);
    }
    values_->damage = "a variant has no option of that number";
    return nullptr;
  }

  const Program& program_;
  const std::uint8_t* const end_;
  const std::uintptr_t origin_;
  Values* const values_;
  std::int64_t* const into_[2];
};

}  // namespace

const std::uint8_t* Run(const Program& program, const std::uint8_t* at, const std::uint8_t* end,
                        std::uintptr_t origin, Values* values) {
  return Machine(program, end, origin, values).Run(program.code, at);
}

}  // namespace tracekin::ctf
