// SPDX-License-Identifier: Apache-2.0
// Represents strings that occur repeatedly, such as names of threads and operations, as small
// numbers.
//
// Owns a copy of each string. Thread-safety: none.
#ifndef TRACEKIN_ANALYSIS_NAMES_H
#define TRACEKIN_ANALYSIS_NAMES_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace tracekin::analysis {

class Names {
 public:
  /// Stores at most `limit` strings, including the empty one.
  explicit Names(std::size_t limit) : limit_(limit) { Find(""); }

  Names(const Names&) = delete;
  Names& operator=(const Names&) = delete;

  /// Returns the number of a string, and stores it if it is new. Returns 0 for the empty string and
  /// for strings beyond the limit.
  std::uint32_t Number(std::string_view text);

  /// Returns the string that has this number. It is valid as long as this object.
  std::string_view operator[](std::uint32_t number) const { return texts_[number]; }

  /// Returns how often a string was not stored because of the limit.
  std::uint64_t refused() const { return refused_; }

 private:
  // The last strings that were looked up, by a hash of a few of their bytes. Most events have one
  // of them.
  struct Recent {
    std::string_view text;
    std::uint32_t number = 0;
  };

  std::uint32_t Find(std::string_view text);

  const std::size_t limit_;
  std::array<Recent, 256> recent_ = {};
  std::deque<std::string> texts_;  // a deque, because the addresses of its elements do not change
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
  std::uint64_t refused_ = 0;
};

}  // namespace tracekin::analysis

#endif  // TRACEKIN_ANALYSIS_NAMES_H
