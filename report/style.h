// SPDX-License-Identifier: Apache-2.0
// Describes the terminal for which text is formatted.
//
// Thread-safety: plain data and a pure function.
#ifndef TRACEKIN_REPORT_STYLE_H
#define TRACEKIN_REPORT_STYLE_H

#include <cstddef>
#include <string>

namespace tracekin::report {

struct Style {
  std::size_t width = 0;  // columns of the terminal; 0 does not limit the width of lines
  bool color = false;     // uses the colours of ECMA-48 (SGR sequences)
  bool ascii = false;     // draws trees with ASCII characters only
};

enum class Tint { kNone, kBold, kGreen, kYellow, kRed, kDim };

/// Returns `text` in this tint if the style has colours, otherwise unchanged.
std::string Tinted(std::string text, Tint tint, const Style& style);

}  // namespace tracekin::report

#endif  // TRACEKIN_REPORT_STYLE_H
