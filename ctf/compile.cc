// SPDX-License-Identifier: Apache-2.0
// Implements the part of program.h that compiles programs.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "ctf/error.h"
#include "ctf/program.h"

namespace tracekin::ctf {

namespace {

using Op = Instruction::Op;
using Kind = Type::Kind;

constexpr std::uint64_t kMostBits = 1ULL << 31U;  // limit for a block of fields with a fixed size
constexpr std::size_t kMostInstructions = 1U << 18U;

std::uint64_t RoundUp(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

// Returns the type's size in bits if it is the same in every event. Assumes that the first bit is
// aligned.
std::optional<std::uint64_t> FixedBits(const Type& type) {
  std::uint64_t bits = 0;
  switch (type.kind) {
    case Kind::kInteger:
    case Kind::kFloat:
      return type.bits;
    case Kind::kStruct:
      for (const Type::Field& field : type.fields) {
        const std::optional<std::uint64_t> size = FixedBits(*field.type);
        if (!size) return std::nullopt;
        bits = RoundUp(bits, field.type->alignment) + *size;
      }
      break;
    case Kind::kArray: {
      const std::optional<std::uint64_t> size = FixedBits(*type.element);
      if (!size) return std::nullopt;
      if (type.count > 0) bits = (type.count - 1) * RoundUp(*size, type.alignment) + *size;
      break;
    }
    default:
      return std::nullopt;
  }
  if (bits > kMostBits) throw NotUnderstood("a field is too large");
  return bits;
}

bool MayBeEmpty(const Type& type) {
  const auto field_may = [](const Type::Field& field) { return MayBeEmpty(*field.type); };
  switch (type.kind) {
    case Kind::kStruct:
      return std::all_of(type.fields.begin(), type.fields.end(), field_may);
    case Kind::kVariant:
      return std::any_of(type.fields.begin(), type.fields.end(), field_may);
    case Kind::kArray:
      return type.count == 0 || MayBeEmpty(*type.element);
    case Kind::kSequence:
      return true;
    default:
      return false;
  }
}

void CollectTags(const Type& type, std::set<std::string>* tags) {
  if (!type.tag.empty()) tags->insert(type.tag);
  for (const Type::Field& field : type.fields) CollectTags(*field.type, tags);
  if (type.element != nullptr) CollectTags(*type.element, tags);
}

std::string Join(const std::string& path, const std::string& name) {
  const std::string shown = name.substr(!name.empty() && name[0] == '_' ? 1 : 0);
  return path.empty() ? shown : path + "." + shown;
}

bool IsByte(const Type& type) {
  return type.kind == Kind::kInteger && type.bits == 8 && type.alignment == 8;
}

Op LoadOf(const Type& integer) {
  switch (integer.bits) {
    case 8:
      return integer.is_signed ? Op::kSigned8 : Op::kUnsigned8;
    case 16:
      return integer.is_signed ? Op::kSigned16 : Op::kUnsigned16;
    case 32:
      return integer.is_signed ? Op::kSigned32 : Op::kUnsigned32;
    default:
      return Op::kInteger64;
  }
}

class Compiler {
 public:
  // Extracts the fields of `wanted` whose index is not in `rivals`.
  Compiler(const std::vector<Wanted>& wanted, std::set<std::size_t> rivals)
      : wanted_(wanted), rivals_(std::move(rivals)) {
    program_.always.resize(wanted.size());
    program_.ever.resize(wanted.size());
  }

  Program Run(const TypePointer& type) {
    if (type == nullptr) return std::move(program_);
    CollectTags(*type, &tags_);
    CompileField(*type, "", "");
    if (offset_ % 8 != 0) Fail("a struct ends within a byte");
    CloseBlock();
    program_.code = std::move(code_);
    return std::move(program_);
  }

 private:
  // A struct whose fields are being compiled. `tags` has those of its fields that select the option
  // of a later variant or are the length of a later sequence.
  struct Scope {
    struct Tag {
      const Type* type;
      std::uint8_t temporary;
    };
    std::map<std::string, Tag> tags;
  };

  [[noreturn]] static void Fail(const std::string& what) { throw NotUnderstood(what); }

  // ---- Blocks.

  Instruction& Emit(Op op) {
    if (++instructions_ > kMostInstructions) Fail("a type is too large");
    Instruction instruction;
    instruction.op = op;
    code_.push_back(instruction);
    return code_.back();
  }

  // Aligns the next field to a multiple of `alignment` bits from the beginning of the packet.
  void Align(unsigned alignment) {
    if (alignment <= known_alignment_) {
      offset_ = RoundUp(offset_, alignment);
      return;
    }
    offset_ = RoundUp(offset_, 8);
    CloseBlock();
    Emit(Op::kAlign).size = alignment / 8;
    known_alignment_ = alignment;
  }

  // Reserves the next `bits` bits of the block and returns their offset in it.
  std::uint32_t Take(unsigned alignment, std::uint64_t bits) {
    Align(alignment);
    if (!block_) {
      block_ = code_.size();
      Emit(Op::kBlock);
    }
    const std::uint64_t at = offset_;
    offset_ += bits;
    if (offset_ > kMostBits) Fail("a field is too large");
    return static_cast<std::uint32_t>(at);
  }

  void CloseBlock() {
    if (block_) code_[*block_].size = static_cast<std::uint32_t>(RoundUp(offset_, 8) / 8);
    block_.reset();
    offset_ = 0;
  }

  // Adds an instruction for a field whose size depends on the event.
  Instruction& EmitVariable(Op op, unsigned alignment) {
    Align(alignment);
    if (offset_ % 8 != 0) Fail("a field of variable size begins within a byte");
    CloseBlock();
    known_alignment_ = 8;
    return Emit(op);
  }

  // Compiles `type` into a separate part, which begins and ends on a byte boundary. Returns the
  // index of the part.
  std::uint32_t CompilePart(const Type& type, const std::string& path) {
    std::vector<Instruction> code = std::exchange(code_, {});
    known_alignment_ = 8;
    CompileField(type, path, "");
    if (offset_ % 8 != 0) Fail("an option or element ends within a byte");
    CloseBlock();
    known_alignment_ = 8;
    program_.parts.push_back(std::exchange(code_, std::move(code)));
    return static_cast<std::uint32_t>(program_.parts.size() - 1);
  }

  // ---- Fields.

  void CompileField(const Type& type, const std::string& path, const std::string& name) {
    switch (type.kind) {
      case Kind::kInteger:
        return CompileInteger(type, path, name);
      case Kind::kFloat:
        Take(type.alignment, type.bits);
        within_byte_big_endian_ = type.big_endian;
        return;
      case Kind::kString:
        EmitVariable(Op::kString, type.alignment);
        return ForWanted(path, Wanted::As::kText, [this](const Wanted& wanted) {
          code_.back().wanted = true;
          code_.back().slot = wanted.slot;
        });
      case Kind::kStruct:
        return CompileStruct(type, path);
      case Kind::kVariant:
        return CompileVariant(type, path);
      case Kind::kArray:
        return CompileArray(type, path);
      case Kind::kSequence:
        return CompileSequence(type, path);
    }
  }

  // Calls `use` with each element of `wanted_` that refers to this field.
  template <class Use>
  void ForWanted(const std::string& path, Wanted::As as, const Use& use) {
    if (repeated_ > 0) return;
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      if (wanted_[i].as != as || wanted_[i].path != path || rivals_.count(i) != 0) continue;
      program_.ever[i] = true;
      program_.always[i] = chosen_ == 0;
      use(wanted_[i]);
    }
  }

  void CompileInteger(const Type& type, const std::string& path, const std::string& name) {
    const std::uint32_t at = Take(type.alignment, type.bits);
    if (at % 8 != 0 && within_byte_big_endian_ != type.big_endian) {
      Fail("the byte order changes within a byte");
    }
    within_byte_big_endian_ = type.big_endian;
    ForWanted(path, Wanted::As::kNumber,
              [&](const Wanted& wanted) { EmitLoad(type, at, wanted.scratch, wanted.slot); });
    if (scopes_.empty() || tags_.count(name) == 0) return;
    if (temporaries_ == kScratch) Fail("too many fields choose or count others");
    scopes_.back().tags[name] = {&type, temporaries_};
    EmitLoad(type, at, true, temporaries_++);
  }

  void EmitLoad(const Type& type, std::uint32_t at, bool scratch, std::uint8_t slot) {
    const bool whole =
        at % 8 == 0 && (type.bits == 8 || type.bits == 16 || type.bits == 32 || type.bits == 64);
    const bool swapped = type.big_endian && type.bits > 8;
    Instruction& load = Emit(!whole ? Op::kBits : swapped ? Op::kBigEndian : LoadOf(type));
    load.offset = whole ? at / 8 : at;
    load.bits = static_cast<std::uint8_t>(type.bits);
    load.is_signed = type.is_signed;
    load.big_endian = type.big_endian;
    load.scratch = scratch;
    load.slot = slot;
  }

  void CompileStruct(const Type& type, const std::string& path) {
    Align(type.alignment);
    scopes_.emplace_back();
    for (const Type::Field& field : type.fields) {
      CompileField(*field.type, Join(path, field.name), field.name);
    }
    scopes_.pop_back();
  }

  void CompileVariant(const Type& type, const std::string& path) {
    const Scope::Tag tag = TagOf(type);
    if (tag.type->ranges.empty()) Fail(type.tag + " chooses an option and is no enumeration");
    EmitVariable(Op::kSelect, 1);
    const std::size_t select = code_.size() - 1;
    std::vector<Program::Option> table;
    ++chosen_;
    for (const Type::Field& option : type.fields) {
      const std::uint32_t part = CompilePart(*option.type, Join(path, option.name));
      const std::size_t before = table.size();
      for (const Type::Range& range : tag.type->ranges) {
        if (range.label == option.name) table.push_back({range.low, range.high, part});
      }
      if (table.size() == before) throw WrongMetadata("no label chooses " + option.name);
    }
    --chosen_;
    code_[select].count = tag.temporary;
    code_[select].part = static_cast<std::uint32_t>(program_.tables.size());
    program_.tables.push_back(std::move(table));
  }

  // Returns the earlier field that the type's tag names, from the innermost scope that has one.
  Scope::Tag TagOf(const Type& type) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      const auto found = scope->tags.find(type.tag);
      if (found != scope->tags.end()) return found->second;
    }
    Fail("no field " + type.tag + " lies before the one that it chooses or counts");
  }

  void CompileArray(const Type& type, const std::string& path) {
    Align(type.alignment);
    const std::optional<std::uint64_t> bits = FixedBits(type);
    if (!bits) return CompileRepeat(type, Op::kRepeatFixed, path);
    const std::uint32_t at = Take(type.alignment, *bits);
    if (!IsByte(*type.element)) {
      if (*bits % 8 != 0) Fail("an array ends within a byte");
      return;
    }
    const auto emit = [&](Op op, std::uint32_t first, std::uint64_t size, const Wanted& wanted) {
      Instruction& bytes = Emit(op);
      bytes.offset = first;
      bytes.size = static_cast<std::uint32_t>(size);
      bytes.scratch = wanted.scratch;
      bytes.slot = wanted.slot;
    };
    const std::uint64_t low = std::min<std::uint64_t>(type.count, 8);
    const std::uint64_t high = std::min<std::uint64_t>(type.count - low, 8);
    const auto first = static_cast<std::uint32_t>(at / 8 + type.count - low);
    if (type.element->is_text) {
      ForWanted(path, Wanted::As::kText,
                [&](const Wanted& wanted) { emit(Op::kTextArray, at / 8, type.count, wanted); });
      return;
    }
    ForWanted(path, Wanted::As::kLowBytes,
              [&](const Wanted& wanted) { emit(Op::kBytes, first, low, wanted); });
    ForWanted(path, Wanted::As::kHighBytes, [&](const Wanted& wanted) {
      emit(Op::kBytes, first - static_cast<std::uint32_t>(high), high, wanted);
    });
  }

  void CompileSequence(const Type& type, const std::string& path) {
    const Scope::Tag length = TagOf(type);
    if (length.type->is_signed) Fail("the length " + type.tag + " has a sign");
    const std::optional<std::uint64_t> bits = FixedBits(*type.element);
    if (!bits || *bits % 8 != 0 || *bits % type.alignment != 0) {
      return CompileRepeat(type, Op::kRepeat, path);
    }
    const bool text = IsByte(*type.element) && type.element->is_text;
    Instruction& sequence = EmitVariable(text ? Op::kTextSequence : Op::kSequence, type.alignment);
    sequence.size = static_cast<std::uint32_t>(*bits / 8);
    sequence.count = length.temporary;
    if (text) {
      ForWanted(path, Wanted::As::kText, [this](const Wanted& wanted) {
        code_.back().wanted = true;
        code_.back().slot = wanted.slot;
      });
    } else if (type.element->kind == Kind::kInteger) {
      ForWanted(path, Wanted::As::kLast,
                [&](const Wanted& wanted) { MakeLast(*type.element, wanted); });
    }
  }

  void MakeLast(const Type& element, const Wanted& wanted) {
    Instruction& last = code_.back();
    last.op = Op::kLast;
    last.bits = static_cast<std::uint8_t>(element.bits);
    last.is_signed = element.is_signed;
    last.big_endian = element.big_endian;
    last.scratch = wanted.scratch;
    last.slot = wanted.slot;
  }

  // Compiles an array or sequence whose elements have a variable size. Each element must have at
  // least one byte, so that a wrong count exhausts the bytes instead of looping for a long time.
  void CompileRepeat(const Type& type, Op op, const std::string& path) {
    const std::uint8_t count = op == Op::kRepeat ? TagOf(type).temporary : std::uint8_t{0};
    if (MayBeEmpty(*type.element)) Fail("an element may be empty");
    EmitVariable(op, type.alignment);
    const std::size_t repeat = code_.size() - 1;
    ++repeated_;
    const std::uint32_t part = CompilePart(*type.element, path);
    --repeated_;
    code_[repeat].part = part;
    code_[repeat].count = count;
    code_[repeat].offset = static_cast<std::uint32_t>(type.count);
  }

  const std::vector<Wanted>& wanted_;
  const std::set<std::size_t> rivals_;
  Program program_;
  std::vector<Instruction> code_;
  std::size_t instructions_ = 0;
  std::optional<std::size_t> block_;  // the open block, as an index of code_
  std::uint64_t offset_ = 0;          // the number of bits in the block so far
  unsigned known_alignment_ = 8;      // alignment of the block's first bit, in bits
  bool within_byte_big_endian_ = false;
  std::set<std::string> tags_;
  std::vector<Scope> scopes_;
  std::uint8_t temporaries_ = kFirstTemporary;
  unsigned repeated_ = 0;  // the number of enclosing arrays and sequences
  unsigned chosen_ = 0;    // the number of enclosing options
};

}  // namespace

Program Compile(const TypePointer& type, const std::vector<Wanted>& wanted) {
  Program program = Compiler(wanted, {}).Run(type);
  std::set<std::size_t> rivals;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    for (std::size_t before = 0; before < i && program.ever[i]; ++before) {
      if (program.always[before] && wanted[before].HasTargetOf(wanted[i])) rivals.insert(i);
    }
  }
  return rivals.empty() ? program : Compiler(wanted, std::move(rivals)).Run(type);
}

}  // namespace tracekin::ctf
