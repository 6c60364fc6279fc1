// SPDX-License-Identifier: Apache-2.0
// Text that occurs again and again, such as the names of threads and operations, as small numbers.
//
// Owns a copy of each text. Thread-safety: none.
#ifndef TRACEKIN_ANALYSIS_NAMES_H
#define TRACEKIN_ANALYSIS_NAMES_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace tracekin::analysis {

class Names {
 public:
  /// Takes in `limit` texts at most, the empty one included.
  explicit Names(std::size_t limit) : limit_(limit) { Number(""); }

  Names(const Names&) = delete;
  Names& operator=(const Names&) = delete;

  /// The number of a text: 0 for the empty one, and for each text that found no room.
  std::uint32_t Number(std::string_view text);

  /// The text of a number; valid as long as this object.
  std::string_view operator[](std::uint32_t number) const { return texts_[number]; }

  /// How often a text found no room.
  std::uint64_t refused() const { return refused_; }

 private:
  const std::size_t limit_;
  std::deque<std::string> texts_;  // their addresses stay as they are
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
  std::uint64_t refused_ = 0;
};

}  // namespace tracekin::analysis

#endif  // TRACEKIN_ANALYSIS_NAMES_H
