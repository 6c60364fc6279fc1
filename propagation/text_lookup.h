// SPDX-License-Identifier: Apache-2.0
// Reads the keys that tracekin knows from a carrier.
//
// A carrier that answers LookupKey is asked for one key after the other; it is iterated for
// Jaeger's baggage items alone (IterateForJaegerItems). Any other is iterated once, and bounded
// copies of the values of known keys are kept, because what ForeachKey hands out may be gone after
// the callback: up to 2 KiB within this object, beyond it in one block of a fixed size. Keys match
// in any case, in plain text maps too: what fills them are mostly headers, whose names have none.
//
// Lives on the stack for one extraction; used by one thread. Borrows the carrier.
#ifndef TRACEKIN_PROPAGATION_TEXT_LOOKUP_H
#define TRACEKIN_PROPAGATION_TEXT_LOOKUP_H

#include <opentracing/propagation.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "propagation/carrier_keys.h"

namespace tracekin {

class TextLookup {
 public:
  explicit TextLookup(const opentracing::TextMapReader& carrier) : carrier_(carrier) {}

  TextLookup(const TextLookup&) = delete;
  TextLookup& operator=(const TextLookup&) = delete;

  /// The value of `key`, valid until the next call of any method: the first one if there are
  /// several, or all lines of a list, joined by commas. nullopt if there is none, or if the carrier
  /// fails. A value that is too long comes as its first max_bytes + 1 bytes, a list as those first
  /// members that fit into max_bytes. Throws std::bad_alloc.
  std::optional<std::string_view> Find(Key key);

  /// Whether the carrier holds `key` more than once. False if it answers LookupKey: it cannot tell.
  bool Repeated(Key key) const { return (repeated_ & Bit(key)) != 0; }

  /// Whether the carrier was iterated, by Find or by IterateForJaegerItems.
  bool has_jaeger_items() const { return iterated_ || has_jaeger_items_; }

  /// Iterates the carrier if that was not done yet. What Find returns stays the same.
  void IterateForJaegerItems();

  /// Calls visit(key, value) for each of Jaeger's baggage items, in order; `key` is without the
  /// prefix. REQUIRES: has_jaeger_items()
  template <typename Visitor>
  void ForEachJaegerItem(Visitor visit) const {
    Record record;
    for (std::size_t at = 0; Next(&at, &record);) {
      if (record.key == kJaegerItem) visit(record.name, record.value);
    }
  }

  /// What went wrong in the carrier, which is its own error; zero if nothing did.
  const std::error_code& error() const { return error_; }

 private:
  static constexpr std::size_t kKeys = kKeyTraits.size();
  static constexpr std::uint8_t kJaegerItem = kKeys;
  static constexpr std::size_t kMaxLines = kMaxBaggageItems;  // of one list, or items of Jaeger's
  static constexpr std::size_t kInlineBytes = 2048;
  static constexpr std::size_t kHeapBytes = 32768;

  struct Record {
    std::uint8_t key;       // of enum Key, or kJaegerItem
    std::string_view name;  // of Jaeger's items only
    std::string_view value;
  };

  static constexpr unsigned Bit(Key key) { return 1U << static_cast<unsigned>(key); }
  static std::string_view Cut(Key key, std::string_view value, std::size_t max_bytes);

  [[gnu::noinline]] std::optional<std::string_view> FindOtherwise(Key key,
                                                                  const std::error_code& error);
  template <typename Visitor>
  void Iterate(Visitor visit);
  void Collect();
  void Keep(std::string_view name, std::string_view value) noexcept;
  void KeepValue(Key key, std::string_view value) noexcept;
  void KeepJaegerItem(std::string_view name, std::string_view value) noexcept;
  void Append(const Record& record) noexcept;
  const char* bytes() const { return heap_ ? heap_.get() : inline_; }
  bool Next(std::size_t* at, Record* record) const;
  [[gnu::noinline]] std::optional<std::string_view> FindCollected(Key key);

  const opentracing::TextMapReader& carrier_;
  std::error_code error_;
  bool iterated_ = false;                              // for all keys, as it answers no LookupKey
  bool has_jaeger_items_ = false;                      // iterated for these alone
  unsigned seen_ = 0;                                  // keys, by Bit
  unsigned repeated_ = 0;                              // keys, by Bit
  std::array<std::uint8_t, kKeys + 1> lines_{};        // kept, of each list
  std::array<std::uint16_t, kKeys + 1> list_bytes_{};  // kept, of each list, with commas
  std::string joined_;
  std::unique_ptr<char[]> heap_;  // in place of inline_ when that is full
  std::size_t used_ = 0;
  char inline_[kInlineBytes];  // records; not initialised, which would cost more than what is kept
                               // in it
};

}  // namespace tracekin

#endif  // TRACEKIN_PROPAGATION_TEXT_LOOKUP_H
