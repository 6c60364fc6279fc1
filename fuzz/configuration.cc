// SPDX-License-Identifier: Apache-2.0
// Fuzzes the JSON configuration. In an accepted configuration, each key must be valid, and its
// printed form must be read as the same options.
#include "tracekin/configuration.h"

#include <rapidjson/document.h>

#include <string>

#include "configuration/check.h"
#include "configuration/json.h"
#include "configuration/table.h"
#include "fuzz/check.h"
#include "fuzz/input.h"
#include "fuzz/options.h"

namespace {

using namespace tracekin;

// Returns whether `json` is an object, using a parser that accepts as much as ours.
bool IsObject(std::string_view json) {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag>(
      json.data(), json.size());
  return !document.HasParseError() && document.IsObject() && json.find('\0') == json.npos;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view json = Input(data, size).rest();
  Options options;
  std::string error;
  const configuration::ConfigurationStatus status =
      configuration::ReadConfiguration(json, &options, &error);
  CHECK(IsObject(json) == (status != configuration::ConfigurationStatus::kMalformed));
  if (status != configuration::ConfigurationStatus::kOk) {
    CheckMessage(error);
    CheckSame(options, Options{});
    return 0;
  }
  CheckEachSetting(options);
  CheckRoundTrip(options);
  return 0;
}
