// SPDX-License-Identifier: Apache-2.0
#include "ctf/event_header.h"

#include "ctf/error.h"

namespace tracekin::ctf {

namespace {

using Kind = Type::Kind;

// Assigns positions to the fields of a header, one after the other.
class Layout {
 public:
  // Returns the position of an unsigned little-endian integer. Throws NotUnderstood if `type` is
  // any other type.
  EventHeader::Field Take(const Type& type) {
    if (type.kind != Kind::kInteger || type.is_signed || type.big_endian) Refuse();
    Align(type.alignment);
    EventHeader::Field field;
    field.byte = bits_ / 8;
    field.shift = static_cast<std::uint8_t>(bits_ % 8);
    field.mask = ~std::uint64_t{0} >> (64U - type.bits);
    bits_ += type.bits;
    if (field.shift + type.bits > 64 || bits_ > 8 * 32) Refuse();
    return field;
  }

  // Aligns the next field. Rejects more than 8 bits, because the beginning of an event is not
  // aligned any further.
  void Align(unsigned alignment) {
    if (alignment > 8) Refuse();
    bits_ = (bits_ + alignment - 1) / alignment * alignment;
  }

  std::uint32_t bytes() const {
    if (bits_ % 8 != 0) Refuse();
    return bits_ / 8;
  }

  [[noreturn]] static void Refuse() { throw NotUnderstood("an event header of another layout"); }

 private:
  std::uint32_t bits_ = 0;
};

const Type& FieldOf(const Type& type, std::size_t index, const char* name) {
  if (type.kind != Kind::kStruct || index >= type.fields.size() ||
      type.fields[index].name != name) {
    Layout::Refuse();
  }
  return *type.fields[index].type;
}

EventHeader::Field TakeTime(const Type& type, Layout* layout) {
  if (type.clock.empty()) Layout::Refuse();
  return layout->Take(type);
}

// Returns the position of an event id. Rejects timestamps, which cannot be ids.
EventHeader::Field TakeId(const Type& type, Layout* layout) {
  if (!type.clock.empty()) Layout::Refuse();
  return layout->Take(type);
}

EventHeader LayOutPlain(const Type& type) {
  EventHeader header;
  Layout layout;
  header.compact.id = TakeId(FieldOf(type, 0, "id"), &layout);
  header.compact.time = TakeTime(FieldOf(type, 1, "timestamp"), &layout);
  header.compact.bytes = layout.bytes();
  if (!FieldOf(type, 0, "id").ranges.empty()) Layout::Refuse();
  return header;
}

void CheckRanges(const std::vector<Type::Range>& ranges, EventHeader* header) {
  if (ranges.size() != 2 || ranges[0].label != "compact" || ranges[0].low != 0 ||
      ranges[1].label != "extended" || ranges[1].low != ranges[1].high ||
      ranges[0].high + 1 != ranges[1].low ||
      static_cast<std::uint64_t>(ranges[1].low) != header->compact.id.mask) {
    Layout::Refuse();
  }
  header->extended_id = static_cast<std::uint64_t>(ranges[1].low);
}

EventHeader LayOutForms(const Type& type) {
  EventHeader header;
  const Type& tag = FieldOf(type, 0, "id");
  const Type& forms = FieldOf(type, 1, "v");
  if (forms.kind != Kind::kVariant || forms.tag != "id" || forms.fields.size() != 2 ||
      forms.fields[0].name != "compact" || forms.fields[1].name != "extended") {
    Layout::Refuse();
  }
  const Type& compact = *forms.fields[0].type;
  const Type& extended = *forms.fields[1].type;
  if (compact.fields.size() != 1 || extended.fields.size() != 2) Layout::Refuse();

  Layout layout;
  header.compact.id = TakeId(tag, &layout);
  Layout extended_layout = layout;
  layout.Align(compact.alignment);
  header.compact.time = TakeTime(FieldOf(compact, 0, "timestamp"), &layout);
  header.compact.bytes = layout.bytes();
  extended_layout.Align(extended.alignment);
  header.extended.id = TakeId(FieldOf(extended, 0, "id"), &extended_layout);
  header.extended.time = TakeTime(FieldOf(extended, 1, "timestamp"), &extended_layout);
  header.extended.bytes = extended_layout.bytes();
  CheckRanges(tag.ranges, &header);
  return header;
}

}  // namespace

EventHeader LayOutHeader(const Type& type) {
  if (type.kind != Kind::kStruct || type.alignment != 8 || type.fields.size() != 2) {
    Layout::Refuse();
  }
  const bool has_forms = type.fields[1].type->kind == Kind::kVariant;
  return has_forms ? LayOutForms(type) : LayOutPlain(type);
}

}  // namespace tracekin::ctf
