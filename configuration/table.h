// SPDX-License-Identifier: Apache-2.0
// The table of all settings: where each value is stored in Options, which values are allowed, and
// what it means. The JSON reader, the environment, the checks, the printed configuration and the
// reference in docs/configuration.md are loops over this table.
//
// Thread-safety: the first call of Settings() makes the table, which never changes afterwards. It
// lives as long as the process, because a host may make a tracer while its own static objects are
// destroyed.
#ifndef TRACEKIN_CONFIGURATION_TABLE_H
#define TRACEKIN_CONFIGURATION_TABLE_H

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tracekin/options.h"

namespace tracekin::configuration {

/// A field of Options, or of a struct in it.
template <typename T>
struct Field {
  const T& (*of)(const Options& options);

  const T& In(const Options& options) const { return of(options); }
  T& In(Options& options) const { return const_cast<T&>(of(options)); }
};

using StringList = std::vector<std::string>;
using StringMap = std::map<std::string, std::string>;

// The kinds of values and their restrictions. An empty `allowed` means no restriction. An empty
// string means that the setting is not set.
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
// The path of a file, and the way in which the tracer uses it.
struct Path : Text {
  enum class Use {
    kRead,      // reads it, and reads it again when it changes
    kReadOnce,  // reads it when the tracer is made
    kWrite,     // writes it, or replaces it
    kFolder,    // writes files in it
    kConnect,   // connects to the socket
  } use;
};
struct Url : Field<std::string> {};
struct TextList : Field<StringList> {
  std::vector<std::string_view> allowed;
};
struct TextMap : Field<StringMap> {};
// Header fields of HTTP requests. Their values may be credentials, so they are never shown.
struct HeaderMap : Field<StringMap> {};

using Value = std::variant<Boolean, Integer, Number, Text, Path, Url, TextList, TextMap, HeaderMap>;

struct Setting {
  std::string_view path;  // the JSON keys from the outside in, at most two, joined by dots
  Value value;
  std::string_view description;  // one sentence

  std::string_view group() const {  // empty for a top-level key
    return key().size() == path.size() ? std::string_view() : path.substr(0, path.find('.'));
  }
  std::string_view key() const { return path.substr(path.find('.') + 1); }
};

/// Returns all settings. Settings of one group (the part before the dot) are adjacent.
const std::vector<Setting>& Settings();

/// Returns the setting with that path, or nullptr.
const Setting* FindSetting(std::string_view path);

/// Makes all paths in `options` absolute, because the host may change its working folder, and each
/// process of a fork opens the files later. Leaves them unchanged if there is no working folder.
void MakePathsAbsolute(Options* options);

/// Returns whether there are settings in that group.
bool IsGroup(std::string_view name);

/// Returns the setting's environment variable, such as TRACEKIN_EXPORTER_ENDPOINT for
/// exporter.endpoint.
std::string EnvironmentName(const Setting& setting);

/// Returns the allowed values as a phrase to put after "expected ", such as "a whole number from 1
/// to 60000".
std::string Allowed(const Value& value);

/// Makes a visitor of Value from lambdas.
template <typename... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <typename... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace tracekin::configuration

#endif  // TRACEKIN_CONFIGURATION_TABLE_H
