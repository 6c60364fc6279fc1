// SPDX-License-Identifier: Apache-2.0
// Reads the keys that tracekin knows from a carrier.
//
// A carrier that supports LookupKey is queried for one key after another, and is iterated only for
// Jaeger's baggage items (IterateForJaegerItems). Any other carrier is iterated once. Bounded
// copies of the values of known keys are kept, because the arguments of the ForeachKey callback may
// be invalid afterwards. Up to 2 KiB of them are stored in this object, and more in one heap block
// of a fixed size. Keys match in any case even in plain text maps, because these are mostly filled
// from headers, whose names are case-insensitive.
//
// An object lives on the stack for one extraction and is used by one thread. It borrows the
// carrier.
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

namespace tracekin::propagation {

class TextLookup {
 public:
  explicit TextLookup(const opentracing::TextMapReader& carrier) : carrier_(carrier) {}

  TextLookup(const TextLookup&) = delete;
  TextLookup& operator=(const TextLookup&) = delete;

  /// Returns the value of `key`, valid until the next call of any method. If there are several,
  /// returns the first one, or for a list all lines joined by commas. Returns nullopt if there is
  /// none or the carrier fails. A value that is too long is cut to max_bytes + 1 bytes, and a list
  /// to the members that fit into max_bytes. Throws std::bad_alloc.
  std::optional<std::string_view> Find(Key key);

  /// Returns whether the carrier contains `key` more than once. False if LookupKey was used,
  /// because it cannot detect this.
  bool Repeated(Key key) const { return (repeated_ & Bit(key)) != 0; }

  /// Returns whether Find or IterateForJaegerItems has iterated the carrier.
  bool has_jaeger_items() const { return iterated_ || has_jaeger_items_; }

  /// Iterates the carrier unless that has been done. Does not change the results of Find.
  void IterateForJaegerItems();

  /// Calls visit(key, value) for each of Jaeger's baggage items, in order. `key` does not include
  /// the prefix. REQUIRES: has_jaeger_items()
  template <typename Visitor>
  void ForEachJaegerItem(Visitor visit) const {
    Record record;
    for (std::size_t at = 0; Next(&at, &record);) {
      if (record.key == kJaegerItem) visit(record.name, record.value);
    }
  }

  /// Returns the carrier's own error, or a zero code if there was none.
  const std::error_code& error() const { return error_; }

 private:
  static constexpr std::size_t kKeys = kKeyTraits.size();
  static constexpr std::uint8_t kJaegerItem = kKeys;
  static constexpr std::size_t kMaxLines = kMaxBaggageItems;  // per list, or of Jaeger's items
  static constexpr std::size_t kInlineBytes = 2048;
  static constexpr std::size_t kHeapBytes = 32768;

  struct Record {
    std::uint8_t key;       // a value of enum Key, or kJaegerItem
    std::string_view name;  // only for Jaeger's items
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
  bool iterated_ = false;                              // true if iterated for all keys
  bool has_jaeger_items_ = false;                      // true if iterated only for Jaeger's items
  unsigned seen_ = 0;                                  // set of keys, as Bit values
  unsigned repeated_ = 0;                              // set of keys, as Bit values
  std::array<std::uint8_t, kKeys + 1> lines_{};        // number of lines kept per list
  std::array<std::uint16_t, kKeys + 1> list_bytes_{};  // size kept per list, with commas
  std::string joined_;
  std::unique_ptr<char[]> heap_;  // replaces inline_ when that is full
  std::size_t used_ = 0;
  char inline_[kInlineBytes];  // records; not initialised because that would cost more than filling
                               // it
};

}  // namespace tracekin::propagation

#endif  // TRACEKIN_PROPAGATION_TEXT_LOOKUP_H
