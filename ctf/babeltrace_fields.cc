// SPDX-License-Identifier: Apache-2.0
#include "ctf/babeltrace_fields.h"

#include <algorithm>

namespace tracekin::ctf {

namespace {

using As = Wanted::As;

bool Is(const bt_field_class* type, bt_field_class_type kind) {
  return bt_field_class_type_is(bt_field_class_get_type(type), kind) == BT_TRUE;
}
bool Is(const bt_field* field, bt_field_class_type kind) {
  return bt_field_class_type_is(bt_field_get_class_type(field), kind) == BT_TRUE;
}

// Returns the class of the member or option `name` and stores its index. Returns null if it does
// not exist.
const bt_field_class* Inner(const bt_field_class* type, std::string_view name,
                            std::uint64_t* index) {
  if (Is(type, BT_FIELD_CLASS_TYPE_STRUCTURE)) {
    const std::uint64_t count = bt_field_class_structure_get_member_count(type);
    for (*index = 0; *index < count; ++*index) {
      const auto* const member =
          bt_field_class_structure_borrow_member_by_index_const(type, *index);
      if (name == bt_field_class_structure_member_get_name(member)) {
        return bt_field_class_structure_member_borrow_field_class_const(member);
      }
    }
  } else if (Is(type, BT_FIELD_CLASS_TYPE_VARIANT)) {
    const std::uint64_t count = bt_field_class_variant_get_option_count(type);
    for (*index = 0; *index < count; ++*index) {
      const auto* const option = bt_field_class_variant_borrow_option_by_index_const(type, *index);
      if (name == bt_field_class_variant_option_get_name(option)) {
        return bt_field_class_variant_option_borrow_field_class_const(option);
      }
    }
  }
  return nullptr;
}

bool IsInteger(const bt_field_class* type) { return Is(type, BT_FIELD_CLASS_TYPE_INTEGER); }

bool IsArrayOfBytes(const bt_field_class* type) {
  if (!Is(type, BT_FIELD_CLASS_TYPE_STATIC_ARRAY)) return false;
  const bt_field_class* const element = bt_field_class_array_borrow_element_field_class_const(type);
  return IsInteger(element) && bt_field_class_integer_get_field_value_range(element) == 8;
}

bool CanBe(As as, const bt_field_class* type) {
  switch (as) {
    case As::kNumber:
      return IsInteger(type);
    case As::kText:
      return Is(type, BT_FIELD_CLASS_TYPE_STRING);
    case As::kLast:
      return Is(type, BT_FIELD_CLASS_TYPE_DYNAMIC_ARRAY) &&
             IsInteger(bt_field_class_array_borrow_element_field_class_const(type));
    default:
      return IsArrayOfBytes(type);
  }
}

std::int64_t NumberOf(const bt_field* field) {
  return Is(field, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER)
             ? bt_field_integer_signed_get_value(field)
             : static_cast<std::int64_t>(bt_field_integer_unsigned_get_value(field));
}

std::int64_t BytesOf(const bt_field* array, std::uint64_t begin, std::uint64_t end) {
  std::uint64_t value = 0;
  for (std::uint64_t i = begin; i < end; ++i) {
    const bt_field* const byte = bt_field_array_borrow_element_field_by_index_const(array, i);
    value = value << 8 | (static_cast<std::uint64_t>(NumberOf(byte)) & 0xFF);
  }
  return static_cast<std::int64_t>(value);
}

// Returns the field at the end of the path, or null if a variant currently has another option.
const bt_field* Follow(const bt_field* field, const std::vector<std::uint64_t>& path) {
  for (const std::uint64_t index : path) {
    if (Is(field, BT_FIELD_CLASS_TYPE_STRUCTURE)) {
      field = bt_field_structure_borrow_member_field_by_index_const(field, index);
    } else {
      if (bt_field_variant_get_selected_option_index(field) != index) return nullptr;
      field = bt_field_variant_borrow_selected_option_field_const(field);
    }
  }
  return field;
}

void TakeOne(const bt_field* field, const Wanted& wanted, Values* values) {
  std::int64_t& number = (wanted.scratch ? values->scratch : values->number)[wanted.slot];
  switch (wanted.as) {
    case As::kNumber:
      number = NumberOf(field);
      return;
    case As::kText:
      // The length is needed because babeltrace2 before 2.1 does not clear the previous string when
      // a string is empty.
      values->text[wanted.slot] = {bt_field_string_get_value(field),
                                   bt_field_string_get_length(field)};
      return;
    case As::kLast: {
      const std::uint64_t length = bt_field_array_get_length(field);
      if (length == 0) return;
      number = NumberOf(bt_field_array_borrow_element_field_by_index_const(field, length - 1));
      return;
    }
    case As::kLowBytes:
    case As::kHighBytes: {
      const std::uint64_t length = bt_field_array_get_length(field);
      const std::uint64_t low = length - std::min<std::uint64_t>(length, 8);
      const std::uint64_t high = low - std::min<std::uint64_t>(low, 8);
      number = wanted.as == As::kLowBytes ? BytesOf(field, low, length) : BytesOf(field, high, low);
      return;
    }
  }
}

}  // namespace

BabeltraceFields::BabeltraceFields(const bt_field_class* type, const std::vector<Wanted>& wanted) {
  if (type == nullptr) return;
  for (const Wanted& each : wanted) {
    Getter getter{{}, each, true};
    const bt_field_class* inner = type;
    std::string_view rest = each.path;
    while (inner != nullptr && !rest.empty()) {
      const std::string_view name = rest.substr(0, rest.find('.'));
      rest.remove_prefix(std::min(rest.size(), name.size() + 1));
      getter.always = getter.always && Is(inner, BT_FIELD_CLASS_TYPE_STRUCTURE);
      inner = Inner(inner, name, &getter.path.emplace_back());
    }
    const bool has_rival = std::any_of(getters_.begin(), getters_.end(), [&](const Getter& before) {
      return before.always && before.wanted.HasTargetOf(each);
    });
    if (inner != nullptr && CanBe(each.as, inner) && !has_rival) {
      getters_.push_back(std::move(getter));
    }
  }
}

void BabeltraceFields::Take(const bt_field* field, Values* values) const {
  if (field == nullptr) return;
  for (const Getter& getter : getters_) {
    const bt_field* const inner = Follow(field, getter.path);
    if (inner != nullptr) TakeOne(inner, getter.wanted, values);
  }
}

}  // namespace tracekin::ctf
