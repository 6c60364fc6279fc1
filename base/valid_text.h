// SPDX-License-Identifier: Apache-2.0
// Borrowed text made valid UTF-8, with an owner for what had to be changed.
//
// Not synchronised. May throw std::bad_alloc.
#ifndef TRACEKIN_BASE_VALID_TEXT_H
#define TRACEKIN_BASE_VALID_TEXT_H

#include <deque>
#include <string>
#include <string_view>

#include "base/utf8.h"

namespace tracekin {

class ValidText {
 public:
  /// Returns `text` itself, or a changed copy (see Sanitize) that lives until Clear().
  std::string_view Of(std::string_view text) {
    const std::string_view valid = Sanitize(text, &scratch_);
    return valid.data() == text.data() ? valid : Own(valid);
  }

  /// Keeps a copy of `text` until Clear().
  std::string_view Own(std::string_view text) { return owned_.emplace_back(text); }

  void Clear() { owned_.clear(); }

 private:
  std::string scratch_;
  std::deque<std::string> owned_;
};

}  // namespace tracekin

#endif  // TRACEKIN_BASE_VALID_TEXT_H
