// SPDX-License-Identifier: Apache-2.0
// Makes borrowed text valid UTF-8, and owns the copies of text that had to be changed.
//
// Thread-safety: not synchronized. May throw std::bad_alloc.
#ifndef TRACEKIN_BASE_VALID_TEXT_H
#define TRACEKIN_BASE_VALID_TEXT_H

#include <deque>
#include <string>
#include <string_view>

#include "base/utf8.h"

namespace tracekin {

class ValidText {
 public:
  /// Returns `text` itself if it is valid. Otherwise returns a corrected copy (see Sanitize) that
  /// is valid until Clear().
  std::string_view Of(std::string_view text) {
    const std::string_view valid = Sanitize(text, &scratch_);
    return valid.data() == text.data() ? valid : Own(valid);
  }

  /// Returns a copy of `text` that is valid until Clear().
  std::string_view Own(std::string_view text) { return owned_.emplace_back(text); }

  void Clear() { owned_.clear(); }

 private:
  std::string scratch_;
  std::deque<std::string> owned_;
};

}  // namespace tracekin

#endif  // TRACEKIN_BASE_VALID_TEXT_H
