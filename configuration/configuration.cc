#include "tracekin/configuration.h"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <type_traits>
#include <utility>
#include <vector>

#include "configuration/check.h"
#include "configuration/json.h"
#include "configuration/table.h"
#include "configuration/url.h"

namespace tracekin {
namespace {

#ifdef TRACEKIN_HAVE_KAFKA
constexpr bool kHaveKafka = true;
#else
constexpr bool kHaveKafka = false;
#endif

using JsonWriter = rapidjson::Writer<rapidjson::StringBuffer>;

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

/// Writes a setting, unless it is a text that nobody has set: "" is no value that each of them takes.
template <typename T>
void WriteMember(std::string_view key, const T& value, const T& fallback, JsonWriter* writer) {
  if constexpr (std::is_same_v<T, std::string>) {
    if (value.empty() && fallback.empty()) return;
  }
  WriteKey(key, writer);
  Write(value, writer);
}

std::string KafkaFault(const ExporterOptions& exporter) {
  if (!kHaveKafka) {
    return "exporter.type: \"kafka\" is not in this build of tracekin, for librdkafka was not "
           "there";
  }
  for (const auto& [value, key] : {std::pair(&exporter.kafka_brokers, "exporter.kafka_brokers"),
                                   std::pair(&exporter.kafka_topic, "exporter.kafka_topic")}) {
    if (value->empty()) return std::string(key) + ": not set, but exporter.type is \"kafka\"";
  }
  return {};
}

/// What the exporter lacks; empty if nothing.
std::string ExporterFault(const ExporterOptions& exporter) {
  if (exporter.make_transport) return {};
  if (exporter.type == "zipkin" && exporter.endpoint.empty()) {
    return "exporter.endpoint: not set, but exporter.type is \"zipkin\"";
  }
  if (exporter.type == "kafka") return KafkaFault(exporter);
  if (ExporterType(exporter) == "file" && exporter.path.empty()) {
    return "exporter.path: not set, but spans go to a file; name it, or set exporter.endpoint to a "
           "collector's URL";
  }
  if (!exporter.client_key.empty() && exporter.client_certificate.empty()) {
    return "exporter.client_key: set, but exporter.client_certificate is not";
  }
  const std::vector<std::string_view> credentials = Credentials(exporter);
  if (credentials.size() < 2) return {};
  return std::string(credentials[1]) + ": set, but so is " + std::string(credentials[0]) +
         "; a request has one of them";
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
    *error =
        "service_name: not set; name the service there or in the variable TRACEKIN_SERVICE_NAME";
    return false;
  }
  const std::string fault = ExporterFault(options.exporter);
  if (!fault.empty()) *error = fault;
  return fault.empty();
}

std::string PrintConfiguration(const Options& options) {
  const Options defaults;
  rapidjson::StringBuffer buffer;
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
