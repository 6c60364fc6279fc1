// SPDX-License-Identifier: Apache-2.0
#include "propagation/text_lookup.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/ascii.h"

namespace tracekin::propagation {

namespace {

// The head of a record in the buffer. The name and the value follow it.
struct RecordHead {
  std::uint8_t key;
  std::uint16_t name_bytes;
  std::uint16_t value_bytes;
};

// Returns the largest total size of all records, so that no key can displace another.
constexpr std::size_t MostBytes(std::size_t lines) {
  std::size_t most = kMaxBaggageBytes + lines * sizeof(RecordHead);  // Jaeger's items
  for (const KeyTraits& traits : kKeyTraits) {
    most += traits.max_bytes + 1 + (traits.is_list ? lines : 1) * sizeof(RecordHead);
  }
  return most;
}

// The addresses of categories differ if a carrier contains its own copy of the library.
bool Is(const std::error_code& error, const std::error_code& expected) {
  return error.value() == expected.value() &&
         (error.category() == expected.category() ||
          std::strcmp(error.category().name(), expected.category().name()) == 0);
}

}  // namespace

std::optional<std::string_view> TextLookup::Find(Key key) {
  if (iterated_) return FindCollected(key);
  const auto found = carrier_.LookupKey(View(Name(key)));
  if (!found) return FindOtherwise(key, found.error());
  const std::string_view value = View(*found);
  const std::size_t max_bytes = Traits(key).max_bytes;
  return value.size() <= max_bytes ? value : Cut(key, value, max_bytes);
}

// Finds `key` when LookupKey returned an error.
std::optional<std::string_view> TextLookup::FindOtherwise(Key key, const std::error_code& error) {
  if (Is(error, opentracing::key_not_found_error)) return std::nullopt;
  if (!Is(error, opentracing::lookup_key_not_supported_error)) {
    error_ = error;
    return std::nullopt;
  }
  Collect();
  return FindCollected(key);
}

// Removes whole members from the end of a list. Keeps one byte more than allowed of any other
// value, so that it is still too long.
std::string_view TextLookup::Cut(Key key, std::string_view value, std::size_t max_bytes) {
  if (value.size() <= max_bytes) return value;
  if (!Traits(key).is_list) return value.substr(0, max_bytes + 1);
  const std::size_t comma = value.rfind(',', max_bytes);
  return value.substr(0, comma == std::string_view::npos ? 0 : comma);
}

template <typename Visitor>
void TextLookup::Iterate(Visitor visit) {
  const auto done =
      carrier_.ForeachKey([visit](opentracing::string_view name, opentracing::string_view value) {
        visit(View(name), View(value));
        return opentracing::expected<void>{};
      });
  if (!done) error_ = done.error();
}

void TextLookup::Collect() {
  static_assert(MostBytes(kMaxLines) <= kHeapBytes);
  iterated_ = true;
  Iterate([this](std::string_view name, std::string_view value) { Keep(name, value); });
}

void TextLookup::IterateForJaegerItems() {
  if (has_jaeger_items()) return;
  has_jaeger_items_ = true;
  Iterate([this](std::string_view name, std::string_view value) { KeepJaegerItem(name, value); });
}

// Must not throw, because it runs within the carrier's ForeachKey, whose caller may even be a C
// program.
void TextLookup::Keep(std::string_view name, std::string_view value) noexcept {
  for (std::size_t i = 0; i < kKeys; ++i) {
    if (EqualsIgnoringCase(name, kKeyTraits[i].name)) return KeepValue(static_cast<Key>(i), value);
  }
  KeepJaegerItem(name, value);
}

void TextLookup::KeepValue(Key key, std::string_view value) noexcept {
  if ((seen_ & Bit(key)) != 0) repeated_ |= Bit(key);
  const auto index = static_cast<std::uint8_t>(key);
  const std::size_t max_bytes = Traits(key).max_bytes;
  if (!Traits(key).is_list) {
    if ((seen_ & Bit(key)) == 0) Append({index, {}, Cut(key, value, max_bytes)});
  } else if (lines_[index] < kMaxLines && list_bytes_[index] < max_bytes && !value.empty()) {
    const std::string_view line = Cut(key, value, max_bytes - list_bytes_[index]);
    Append({index, {}, line});
    ++lines_[index];
    // After something did not fit, nothing to the right of it may follow.
    const std::size_t bytes = list_bytes_[index] + line.size() + 1;
    list_bytes_[index] = static_cast<std::uint16_t>(line.size() < value.size() ? max_bytes : bytes);
  }
  seen_ |= Bit(key);
}

// Keeps the entry if it is a baggage item of Jaeger.
void TextLookup::KeepJaegerItem(std::string_view name, std::string_view value) noexcept {
  if (name.size() <= kJaegerItemPrefix.size() ||
      !EqualsIgnoringCase(name.substr(0, kJaegerItemPrefix.size()), kJaegerItemPrefix)) {
    return;
  }
  name.remove_prefix(kJaegerItemPrefix.size());
  const std::size_t free = kMaxBaggageBytes - list_bytes_[kJaegerItem];
  if (lines_[kJaegerItem] == kMaxLines || name.size() > free || value.size() > free - name.size()) {
    return;
  }
  Append({kJaegerItem, name, value});
  ++lines_[kJaegerItem];
  list_bytes_[kJaegerItem] += static_cast<std::uint16_t>(name.size() + value.size());
}

void TextLookup::Append(const Record& record) noexcept {
  const std::size_t size = sizeof(RecordHead) + record.name.size() + record.value.size();
  if (!heap_ && used_ + size > kInlineBytes) {
    heap_.reset(new (std::nothrow) char[kHeapBytes]);
    if (!heap_) return;
    std::memcpy(heap_.get(), inline_, used_);
  }
  const RecordHead head = {record.key, static_cast<std::uint16_t>(record.name.size()),
                           static_cast<std::uint16_t>(record.value.size())};
  char* out = (heap_ ? heap_.get() : inline_) + used_;
  std::memcpy(out, &head, sizeof head);
  out = std::copy(record.name.begin(), record.name.end(), out + sizeof head);
  std::copy(record.value.begin(), record.value.end(), out);
  used_ += size;
}

bool TextLookup::Next(std::size_t* at, Record* record) const {
  if (*at == used_) return false;
  RecordHead head;
  std::memcpy(&head, bytes() + *at, sizeof head);
  const char* text = bytes() + *at + sizeof head;
  *record = {head.key, {text, head.name_bytes}, {text + head.name_bytes, head.value_bytes}};
  *at += sizeof head + head.name_bytes + head.value_bytes;
  return true;
}

std::optional<std::string_view> TextLookup::FindCollected(Key key) {
  if ((seen_ & Bit(key)) == 0) return std::nullopt;
  std::optional<std::string_view> found;
  Record record;
  for (std::size_t at = 0; Next(&at, &record);) {
    if (record.key != static_cast<std::uint8_t>(key)) continue;
    if (!found) {
      found = record.value;
      if (!Traits(key).is_list || !Repeated(key)) return found;
      joined_ = record.value;
    } else {
      joined_.append(1, ',').append(record.value);
      found = joined_;
    }
  }
  return found;
}

}  // namespace tracekin::propagation
