// SPDX-License-Identifier: Apache-2.0
#include "tracekin/configuration.h"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <type_traits>
#include <utility>
#include <vector>

#include "base/json_memory.h"
#include "configuration/check.h"
#include "configuration/json.h"
#include "configuration/table.h"
#include "configuration/text.h"
#include "configuration/url.h"

namespace tracekin {
namespace {

using Utf8 = rapidjson::UTF8<>;
using JsonBuffer = rapidjson::GenericStringBuffer<Utf8, JsonMemory>;
using JsonWriter = rapidjson::Writer<JsonBuffer, Utf8, Utf8, JsonMemory>;

void WriteKey(std::string_view key, JsonWriter* writer) {
  writer->Key(key.data(), static_cast<rapidjson::SizeType>(key.size()));
}

void Write(bool value, JsonWriter* writer) { writer->Bool(value); }
void Write(std::uint64_t value, JsonWriter* writer) { writer->Uint64(value); }
void Write(double value, JsonWriter* writer) { writer->Double(value); }

void Write(const std::string& value, JsonWriter* writer) {
  const std::string masked = MaskPassword(value);
  writer->String(masked.data(), static_cast<rapidjson::SizeType>(masked.size()));
}

void Write(const StringList& value, JsonWriter* writer) {
  writer->StartArray();
  for (const std::string& item : value) Write(item, writer);
  writer->EndArray();
}

void Write(const StringMap& value, JsonWriter* writer) {
  writer->StartObject();
  for (const auto& [key, text] : value) {
    WriteKey(key, writer);
    Write(text, writer);
  }
  writer->EndObject();
}

StringMap Masked(StringMap map) {
  for (auto& [key, text] : map) text = "***";
  return map;
}

/// Writes a setting, except for a string that is not set, because not every such setting accepts
/// "".
template <typename T>
void WriteMember(std::string_view key, const T& value, const T& fallback, JsonWriter* writer) {
  if constexpr (std::is_same_v<T, std::string>) {
    if (value.empty() && fallback.empty()) return;
  }
  WriteKey(key, writer);
  Write(value, writer);
}

/// Returns why spans cannot be sent to the endpoint in `format`, or "". Only Zipkin's own paths are
/// checked; any other path may accept any format.
std::string ZipkinPathFault(std::string_view endpoint, std::string_view format) {
  const bool thrift = format == "thrift";
  const std::string wrong = thrift ? "/api/v2/spans" : "/api/v1/spans";
  const std::string right = thrift ? "/api/v1/spans" : "/api/v2/spans";
  const std::string_view path = UrlPath(endpoint);
  if (path.size() < wrong.size() || path.substr(path.size() - wrong.size()) != wrong) return {};
  return "exporter.endpoint: Zipkin accepts " + std::string(format) + " at " + right + ", found " +
         Quoted(endpoint) + "; change the path, or set exporter.format to " +
         (thrift ? "\"json\" or \"proto3\"" : "\"thrift\"");
}

/// Returns which of format and endpoint does not match the exporter's type, or "".
std::string CombinationFault(const ExporterOptions& exporter) {
  const std::string_view type = ExporterType(exporter);
  const std::string_view format = ExporterFormat(exporter);
  const std::string for_type = " for exporter.type \"" + std::string(type) + '"';
  if (type == "file" && format != "json") {
    return "exporter.format: expected \"json\"" + for_type +
           ", which writes lines of JSON, found " + Quoted(format);
  }
  if (type != "file" && HasScheme(exporter.endpoint, "scribe") != (type == "scribe")) {
    return "exporter.endpoint: expected " +
           std::string(type == "scribe" ? "a scribe://" : "an http:// or https://") + " URL" +
           for_type + ", found " + Quoted(exporter.endpoint);
  }
  return type == "zipkin" ? ZipkinPathFault(exporter.endpoint, format) : std::string();
}

/// Returns which setting for Kafka is missing, or "".
std::string KafkaFault(const ExporterOptions& exporter) {
  for (const auto& [value, key] : {std::pair(&exporter.kafka_brokers, "exporter.kafka_brokers"),
                                   std::pair(&exporter.kafka_topic, "exporter.kafka_topic")}) {
    if (value->empty()) return std::string(key) + ": not set, but exporter.type is \"kafka\"";
  }
  return {};
}

/// Returns what is missing or wrong in the exporter's settings, or "". A program's own transport
/// has no requirements.
std::string ExporterFault(const ExporterOptions& exporter) {
  const std::string_view type = ExporterType(exporter);
  if (type == "scribe" && exporter.scribe_category.empty()) {
    return "exporter.scribe_category: not set, but spans are sent to Scribe";
  }
  if (type == "scribe" && ExporterFormat(exporter) != "thrift") {
    return "exporter.format: expected \"thrift\" for exporter.type \"scribe\", which sends "
           "Thrift, found " +
           Quoted(exporter.format);
  }
  if (exporter.make_transport || type == "none") return {};
  if (type == "kafka") return KafkaFault(exporter);
  if (type != "file" && exporter.endpoint.empty()) {
    return "exporter.endpoint: not set, but exporter.type is " + Quoted(type);
  }
  if (type == "file" && exporter.path.empty()) {
    return "exporter.path: not set, but spans are written to a file; set it, or set "
           "exporter.endpoint to a collector's URL";
  }
  if (!exporter.client_key.empty() && exporter.client_certificate.empty()) {
    return "exporter.client_key: set, but exporter.client_certificate is not";
  }
  const std::vector<std::string_view> credentials = Credentials(exporter);
  if (credentials.size() > 1) {
    return std::string(credentials[1]) + ": conflicts with " + std::string(credentials[0]) +
           "; set only one of them";
  }
  return CombinationFault(exporter);
}

}  // namespace

bool ParseConfiguration(std::string_view json, Options* options, std::string* error) {
  return ReadConfiguration(json, options, error) == ConfigurationStatus::kOk;
}

bool ValidateOptions(const Options& options, std::string* error) {
  for (const Setting& setting : Settings()) {
    if (!CheckSetting(setting, options, setting.path, error)) return false;
  }
  if (options.service_name.empty()) {
    *error = "service_name: not set; set it, or the environment variable TRACEKIN_SERVICE_NAME";
    return false;
  }
  const std::string fault = ExporterFault(options.exporter);
  if (!fault.empty()) *error = fault;
  return fault.empty();
}

std::string PrintConfiguration(const Options& options) {
  const Options defaults;
  JsonBuffer buffer;
  JsonWriter writer(buffer);
  writer.StartObject();
  std::string_view group;
  for (const Setting& setting : Settings()) {
    if (setting.group() != group) {
      if (!group.empty()) writer.EndObject();
      group = setting.group();
      WriteKey(group, &writer);
      writer.StartObject();
    }
    std::visit(Overloaded{[&](const auto& value) {
                            WriteMember(setting.key(), value.In(options), value.In(defaults),
                                        &writer);
                          },
                          [&](const HeaderMap& value) {
                            WriteMember(setting.key(), Masked(value.In(options)),
                                        value.In(defaults), &writer);
                          }},
               setting.value);
  }
  writer.EndObject();
  writer.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace tracekin
