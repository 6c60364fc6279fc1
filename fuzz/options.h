// SPDX-License-Identifier: Apache-2.0
// Invariants of options from any source.
#ifndef TRACEKIN_FUZZ_OPTIONS_H
#define TRACEKIN_FUZZ_OPTIONS_H

#include <algorithm>
#include <string>
#include <variant>

#include "base/utf8.h"
#include "configuration/check.h"
#include "configuration/table.h"
#include "configuration/url.h"
#include "fuzz/check.h"
#include "tracekin/configuration.h"

namespace tracekin {

/// Checks that a message is one line of UTF-8 and is not empty.
inline void CheckMessage(const std::string& error) {
  CHECK(!error.empty());
  std::string scratch;
  CHECK(Sanitize(error, &scratch) == error);
  CHECK(std::none_of(error.begin(), error.end(), [](char c) { return c >= 0 && c < ' '; }));
}

inline void CheckSame(const Options& a, const Options& b) {
  for (const configuration::Setting& setting : configuration::Settings()) {
    std::visit([&](const auto& value) { CHECK(value.In(a) == value.In(b)); }, setting.value);
  }
}

inline void CheckEachSetting(const Options& options) {
  std::string error;
  for (const configuration::Setting& setting : configuration::Settings())
    CHECK(configuration::CheckSetting(setting, options, "", &error));
}

/// Returns the options with their secrets masked as when they are printed.
inline Options Masked(Options options) {
  const configuration::Overloaded mask{
      [](const std::string& text) { return configuration::MaskPassword(text); },
      [](configuration::StringMap map) {
        for (auto& item : map) item.second = configuration::MaskPassword(item.second);
        return map;
      },
      [](const auto& other) { return other; },
  };
  for (const configuration::Setting& setting : configuration::Settings()) {
    std::visit([&](const auto& value) { value.In(options) = mask(value.In(options)); },
               setting.value);
  }
  for (auto& header : options.exporter.headers) header.second = "***";
  return options;
}

/// Checks that printed options are read back, if PrintConfiguration supports them.
inline void CheckRoundTrip(const Options& options) {
  std::string error;
  if (!ValidateOptions(options, &error)) return CheckMessage(error);
  const std::string printed = PrintConfiguration(options);
  CHECK(printed.find('\n') == printed.npos);
  Options again;
  CHECK(ParseConfiguration(printed, &again, &error));
  CheckSame(again, Masked(options));
}

}  // namespace tracekin

#endif  // TRACEKIN_FUZZ_OPTIONS_H
