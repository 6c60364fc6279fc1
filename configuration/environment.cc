// SPDX-License-Identifier: Apache-2.0
#include "configuration/environment.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <utility>

#include "base/edit_distance.h"
#include "base/number.h"
#include "configuration/check.h"
#include "configuration/table.h"
#include "configuration/text.h"
#include "tracekin/configuration.h"

namespace tracekin::configuration {
namespace {

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

StringList Items(std::string_view text) {
  StringList items;
  while (true) {
    const std::size_t comma = text.find(',');
    items.emplace_back(Trimmed(text.substr(0, comma)));
    if (comma == std::string_view::npos) return items;
    text.remove_prefix(comma + 1);
  }
}

// Each function stores the value of an environment variable in `options`. Returns false if the text
// is not a value of the setting's type.

bool Store(const Boolean& setting, std::string_view text, Options* options) {
  const bool value = text == "true" || text == "1";
  setting.In(*options) = value;
  return value || text == "false" || text == "0";
}

bool Store(const Integer& setting, std::string_view text, Options* options) {
  const char* const end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, setting.In(*options));
  return status == std::errc() && stop == end;
}

bool Store(const Number& setting, std::string_view text, Options* options) {
  const std::optional<double> number = ParseDouble(text);
  if (number) setting.In(*options) = *number;
  return number.has_value();
}

bool Store(const Text& setting, std::string_view text, Options* options) {
  setting.In(*options) = text;
  return true;
}

bool Store(const Url& setting, std::string_view text, Options* options) {
  setting.In(*options) = text;
  return true;
}

bool Store(const TextList& setting, std::string_view text, Options* options) {
  setting.In(*options) = Items(text);
  return true;
}

bool Store(const TextMap& setting, std::string_view text, Options* options) {
  StringMap map;
  for (const std::string& item : Items(text)) {
    const std::size_t equals = item.find('=');
    if (equals == std::string::npos) return false;
    if (!map.emplace(item.substr(0, equals), item.substr(equals + 1)).second) return false;
  }
  setting.In(*options) = std::move(map);
  return true;
}

bool Store(const HeaderMap& setting, std::string_view text, Options* options) {
  return Store(TextMap{setting.of}, text, options);
}

bool IsMap(const Value& value) {
  return std::holds_alternative<TextMap>(value) || std::holds_alternative<HeaderMap>(value);
}

// Returns the text of an invalid variable for a message.
std::string Shown(const Value& value, std::string_view text) {
  return std::holds_alternative<HeaderMap>(value) ? "invalid text" : Quoted(text);
}

constexpr std::string_view kPrefix = "TRACEKIN_";

bool BeginsLikeAGroup(std::string_view name) {
  const std::vector<Setting>& settings = Settings();
  return std::any_of(settings.begin(), settings.end(), [name](const Setting& setting) {
    const std::string variable = EnvironmentName(setting);
    const std::size_t group = kPrefix.size() + setting.group().size() + 1;
    return !setting.group().empty() && name.substr(0, group) == variable.substr(0, group);
  });
}

}  // namespace

std::string NearestVariable(std::string_view name) {
  constexpr std::size_t kComparedBytes = 64;
  const std::string_view word = name.substr(kPrefix.size(), kComparedBytes);
  std::string nearest;
  std::size_t nearest_distance = 1 + std::max<std::size_t>(2, word.size() / 3);
  for (const Setting& setting : Settings()) {
    const std::string variable = EnvironmentName(setting);
    const std::string_view whole = std::string_view(variable).substr(kPrefix.size());
    const std::string_view key = whole.substr(whole.size() - setting.key().size());
    const std::size_t distance = std::min(EditDistance(word, whole), EditDistance(word, key) + 1);
    if (distance >= nearest_distance) continue;
    nearest = variable;
    nearest_distance = distance;
  }
  return nearest;
}

std::vector<std::string> UnknownVariables() {
  std::vector<std::string> warnings;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string name(text.substr(0, text.find('=')));
    if (name.compare(0, kPrefix.size(), kPrefix) != 0 || name == "TRACEKIN_CONFIG") continue;
    if (secure_getenv(name.c_str()) == nullptr) continue;
    const std::vector<Setting>& settings = Settings();
    const bool known = std::any_of(settings.begin(), settings.end(), [&name](const Setting& each) {
      return EnvironmentName(each) == name;
    });
    if (known) continue;
    const std::string nearest = NearestVariable(name);
    if (nearest.empty() && !BeginsLikeAGroup(name)) continue;
    warnings.push_back("unknown environment variable " + Quoted(name) +
                       (nearest.empty() ? "" : "; did you mean " + nearest + "?"));
  }
  return warnings;
}

}  // namespace tracekin::configuration

namespace tracekin {

bool ApplyEnvironment(Options* options, std::string* error) {
  Options result = *options;
  for (const configuration::Setting& setting : configuration::Settings()) {
    const std::string name = configuration::EnvironmentName(setting);
    const char* const text = secure_getenv(name.c_str());
    if (text == nullptr || *text == '\0') continue;
    const bool stored =
        std::visit([&](const auto& value) { return configuration::Store(value, text, &result); },
                   setting.value);
    if (!stored) {
      *error = configuration::Unexpected(name, setting, configuration::Shown(setting.value, text));
      if (configuration::IsMap(setting.value)) *error += "; write key=value,key=value";
      return false;
    }
    if (!configuration::CheckSetting(setting, result, name, error)) return false;
  }
  *options = std::move(result);
  return true;
}

}  // namespace tracekin
