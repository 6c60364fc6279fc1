// SPDX-License-Identifier: Apache-2.0
#include "configuration/header.h"

#include <algorithm>

#include "base/ascii.h"
#include "configuration/text.h"

namespace tracekin::configuration {
namespace {

constexpr std::string_view kReserved[] = {"b3",
                                          "connection",
                                          "content-encoding",
                                          "content-length",
                                          "content-type",
                                          "expect",
                                          "host",
                                          "keep-alive",
                                          "proxy-authorization",
                                          "proxy-connection",
                                          "te",
                                          "trailer",
                                          "transfer-encoding",
                                          "upgrade",
                                          "user-agent"};

bool IsControl(char c) { return (c >= 0 && c < ' ') || c == '\x7f'; }

}  // namespace

bool IsHeaderName(std::string_view name) { return !name.empty() && kTokenChars.HasAll(name); }

bool IsReservedHeader(std::string_view name) {
  return std::any_of(std::begin(kReserved), std::end(kReserved), [name](std::string_view reserved) {
    return EqualsIgnoringCase(name, reserved);
  });
}

bool IsHeaderValue(std::string_view value) {
  return !value.empty() && value.front() != ' ' && value.back() != ' ' && IsText(value) &&
         std::none_of(value.begin(), value.end(), IsControl);
}

}  // namespace tracekin::configuration
