// SPDX-License-Identifier: Apache-2.0
#include "configuration/header.h"

#include <algorithm>

#include "configuration/text.h"

namespace tracekin {
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

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool IsTokenCharacter(char c) {
  const char lower = Lower(c);
  return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') ||
         (c != 0 && std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos);
}

bool IsControl(char c) { return (c >= 0 && c < ' ') || c == '\x7f'; }

}  // namespace

bool IsHeaderName(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), IsTokenCharacter);
}

bool IsReservedHeader(std::string_view name) {
  return std::any_of(std::begin(kReserved), std::end(kReserved), [name](std::string_view reserved) {
    return std::equal(name.begin(), name.end(), reserved.begin(), reserved.end(),
                      [](char a, char b) { return Lower(a) == b; });
  });
}

bool IsHeaderValue(std::string_view value) {
  return !value.empty() && value.front() != ' ' && value.back() != ' ' && IsText(value) &&
         std::none_of(value.begin(), value.end(), IsControl);
}

}  // namespace tracekin
