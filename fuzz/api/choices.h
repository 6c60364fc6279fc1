// SPDX-License-Identifier: Apache-2.0
// The API fuzzer's decisions, read from the bytes of an input or generated from a seed.
//
// An input gives libFuzzer control over each decision. Once it is used up, ended() is true and
// every decision is the first one. A seed never ends. Borrows the bytes. Thread-safety: one thread.
#ifndef TRACEKIN_FUZZ_API_CHOICES_H
#define TRACEKIN_FUZZ_API_CHOICES_H

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <type_traits>

#include "fuzz/input.h"

namespace tracekin {

class Choices {
 public:
  explicit Choices(Input input) : input_(input) {}
  explicit Choices(std::uint64_t seed) : input_(nullptr, 0), random_(seed) {}

  bool ended() const { return !random_ && input_.rest().empty(); }

  template <class Integer>
  Integer Take() {
    if (!random_) return input_.Take<Integer>();
    return static_cast<Integer>((*random_)());
  }

  bool TakeBool() { return (Take<std::uint8_t>() & 1) != 0; }

  /// Returns a number in [0, `bound`), for bounds up to 65536.
  unsigned Below(unsigned bound) {
    return (bound <= 256 ? Take<std::uint8_t>() : Take<std::uint16_t>()) % bound;
  }
  bool OneIn(unsigned count) { return Below(count) == count - 1; }

  template <class Item, std::size_t kSize>
  const Item& Of(const Item (&items)[kSize]) {
    return items[Below(kSize)];
  }

  /// Returns any number. Numbers at the ends of the type's range are more frequent than others.
  template <class Integer>
  Integer Number() {
    using Limits = std::numeric_limits<Integer>;
    const Integer ends[] = {0, 1, Limits::max(), Limits::min()};
    return OneIn(2) ? Of(ends) : Take<Integer>();
  }

  std::string Bytes(std::size_t size) {
    if (!random_) return std::string(input_.TakeBytes(size));
    std::string bytes(size, '\0');
    for (char& byte : bytes) byte = Take<char>();
    return bytes;
  }

  /// Returns a name that has a meaning for some part of the project, a few arbitrary bytes, or more
  /// bytes of one kind than a span can hold.
  std::string Text() {
    static constexpr const char* kNames[] = {
        "",
        "a",
        "operation",
        "sampling.priority",
        "span.kind",
        "client",
        "server",
        "error",
        "true",
        "event",
        "message",
        "stack",
        "peer.service",
        "peer.ipv4",
        "127.0.0.1",
        "peer.ipv6",
        "::1",
        "peer.port",
        "peer.hostname",
        "peer.address",
        "uber-trace",
        "tracestate",
        "http.status_code",
        "a\r\nX-Header: b",
        "a=b,c;d: %zz",
    };
    switch (Below(8)) {
      case 0:
        return Bytes(Below(40));
      case 1:
        return std::string(Take<std::uint16_t>(), Of(kFillers));
      default:
        return Of(kNames);
    }
  }

 private:
  static constexpr char kFillers[] = {'x', '\n', '"', '\xc3'};

  Input input_;
  std::optional<std::mt19937_64> random_;
};

}  // namespace tracekin

#endif  // TRACEKIN_FUZZ_API_CHOICES_H
