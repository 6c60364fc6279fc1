// SPDX-License-Identifier: Apache-2.0
// The keys of the configuration, said once: where a value lives in Options, which values it takes
// and what it means. The JSON reader, the environment, the checks, the printed configuration and
// the reference in docs/configuration.md are loops over this table.
//
// Thread-safety: immutable once made, which the first call of Settings() does. It lives as long as
// the process, for a host may make a tracer while its own static objects are destroyed.
#ifndef TRACEKIN_CONFIGURATION_TABLE_H
#define TRACEKIN_CONFIGURATION_TABLE_H

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tracekin/options.h"

namespace tracekin {

/// A field of Options, or of a struct within it.
template <typename T>
struct Field {
  const T& (*of)(const Options& options);

  const T& In(const Options& options) const { return of(options); }
  T& In(Options& options) const { return const_cast<T&>(of(options)); }
};

using StringList = std::vector<std::string>;
using StringMap = std::map<std::string, std::string>;

// The kinds of values, with what restricts them; an empty `allowed` restricts nothing. A text that
// is empty is one that nobody has set.
struct Boolean : Field<bool> {};
struct Integer : Field<std::uint64_t> {
  std::uint64_t min;
  std::uint64_t max;
  std::vector<std::uint64_t> allowed = {};
};
struct Number : Field<double> {
  double min;
  double max;
};
struct Text : Field<std::string> {
  std::vector<std::string_view> allowed = {};
};
struct Url : Field<std::string> {};
struct TextList : Field<StringList> {
  std::vector<std::string_view> allowed;
};
struct TextMap : Field<StringMap> {};
// Fields of HTTP requests. Their values may be credentials, so none is ever shown.
struct HeaderMap : Field<StringMap> {};

using Value = std::variant<Boolean, Integer, Number, Text, Url, TextList, TextMap, HeaderMap>;

struct Setting {
  std::string_view path;  // the JSON keys from the outside in, joined by dots; two at most
  Value value;
  std::string_view description;  // one sentence

  std::string_view group() const {  // empty for a key of the outermost object
    return key().size() == path.size() ? std::string_view() : path.substr(0, path.find('.'));
  }
  std::string_view key() const { return path.substr(path.find('.') + 1); }
};

/// All settings; those of one group (what stands before the dot) stand together.
const std::vector<Setting>& Settings();

/// The setting of that path, or nullptr.
const Setting* FindSetting(std::string_view path);

/// Whether settings of that group exist.
bool IsGroup(std::string_view name);

/// TRACEKIN_EXPORTER_ENDPOINT for exporter.endpoint.
std::string EnvironmentName(const Setting& setting);

/// Which values are allowed, to go on after "expected ": "a whole number from 1 to 60000".
std::string Allowed(const Value& value);

/// For the visitors of Value.
template <typename... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <typename... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace tracekin

#endif  // TRACEKIN_CONFIGURATION_TABLE_H
