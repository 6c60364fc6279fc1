// SPDX-License-Identifier: Apache-2.0
#include "tracekin/configuration.h"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cerrno>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/json_memory.h"
#include "base/strings.h"
#include "configuration/check.h"
#include "configuration/json.h"
#include "configuration/table.h"
#include "configuration/text.h"
#include "configuration/url.h"
#include "exporter/destination.h"

namespace tracekin::configuration {
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

/// Returns `names` in quotes as a choice: "json" or "proto3".
std::string Choice(const std::vector<std::string_view>& names) {
  std::vector<std::string> quoted;
  for (const std::string_view name : names) quoted.push_back(Quoted(name));
  return Joined(quoted, " or ");
}

/// Returns the names of those formats of `destination` for which `condition` holds, as a choice.
template <typename Condition>
std::string FormatsWhere(const exporter::Destination& destination, Condition condition) {
  std::vector<std::string_view> names;
  for (const exporter::Format& format : destination.formats) {
    if (condition(format)) names.push_back(format.name);
  }
  return Choice(names);
}

std::string ForType(const exporter::Destination& destination) {
  return " for exporter.type " + Quoted(destination.type);
}

// Each of the following functions returns an error message about the destination, or "".

std::string MissingKey(const ExporterOptions& exporter,
                       const exporter::Rows<exporter::RequiredKey>& required) {
  for (const exporter::RequiredKey& key : required) {
    if (!(exporter.*key.value).empty()) continue;
    return std::string(key.path) + ": not set, but exporter.type is " +
           Quoted(exporter::DestinationOf(exporter).type) +
           (exporter.type.empty() && exporter.endpoint.empty()
                ? ", because exporter.endpoint is not set either"
                : "");
  }
  return {};
}

std::string SchemeFault(const ExporterOptions& exporter, const exporter::Destination& destination) {
  const std::string_view endpoint = exporter.endpoint;
  if (destination.HasScheme(endpoint.substr(0, endpoint.find("://")))) return {};
  return "exporter.endpoint: expected a URL with " + Joined(destination.schemes, ":// or ") +
         "://" + ForType(destination) + ", found " + Quoted(endpoint);
}

/// Checks only paths in the table. Any other path may accept any format.
std::string PathFault(const ExporterOptions& exporter, const exporter::Destination& destination,
                      const exporter::Format& format) {
  const std::string_view path = UrlPath(exporter.endpoint);
  if (format.path.empty() || EndsWith(path, format.path)) return {};
  const std::string others = FormatsWhere(destination, [path](const exporter::Format& other) {
    return !other.path.empty() && EndsWith(path, other.path);
  });
  if (others.empty()) return {};
  return "exporter.endpoint: " + std::string(format.name) + " goes to " + std::string(format.path) +
         ForType(destination) + ", found " + Quoted(exporter.endpoint) +
         "; change the path, or set exporter.format to " + others;
}

std::string CredentialFault(const ExporterOptions& exporter) {
  if (!exporter.client_key.empty() && exporter.client_certificate.empty()) {
    return "exporter.client_key: set, but exporter.client_certificate is not";
  }
  const std::vector<std::string_view> credentials = Credentials(exporter);
  if (credentials.size() < 2) return {};
  return std::string(credentials[1]) + ": conflicts with " + std::string(credentials[0]) +
         "; set only one of them";
}

/// Returns an error message about the endpoint if the destination has one and it is not valid, or
/// "".
std::string EndpointFault(const ExporterOptions& exporter, const exporter::Destination& destination,
                          const exporter::Format& format) {
  if (destination.schemes.empty()) return {};
  for (const std::string& fault : {CredentialFault(exporter), SchemeFault(exporter, destination),
                                   PathFault(exporter, destination, format)}) {
    if (!fault.empty()) return fault;
  }
  return {};
}

/// Returns what is wrong with the sampler, or "".
std::string SamplerFault(const SamplerOptions& sampler) {
  if (sampler.type == "rate_limiting" && sampler.per_second == 0) {
    return "sampler.per_second: not set, but sampler.type is \"rate_limiting\"";
  }
  if (sampler.type.empty() && sampler.rate < 1 && sampler.per_second > 0) {
    return "sampler.type: not set, but both sampler.rate and sampler.per_second are; set it to "
           "\"probabilistic\" or \"rate_limiting\"";
  }
  return {};
}

std::string LogFault(const LogOptions& log) {
  const std::string& target = log.target;
  if (target.empty() || target == "stderr" || target == "syslog" || target[0] == '/') return {};
  return "log.target: expected \"stderr\", \"syslog\" or an absolute path, found " + Quoted(target);
}

/// A program's own function or transport has no requirements.
std::string ExporterFault(const ExporterOptions& exporter) {
  const exporter::Destination& destination = exporter::DestinationOf(exporter);
  if (!destination.sends() || exporter.on_span) return {};
  const exporter::Format* const format = exporter::FormatOf(exporter);
  if (format == nullptr) {
    return "exporter.format: expected " +
           FormatsWhere(destination, [](const exporter::Format&) { return true; }) +
           ForType(destination) + ", found " + Quoted(exporter.format);
  }
  std::string fault = MissingKey(exporter, format->required);
  if (!fault.empty() || exporter.make_transport) return fault;
  fault = MissingKey(exporter, destination.required);
  return fault.empty() ? EndpointFault(exporter, destination, *format) : fault;
}

}  // namespace
}  // namespace tracekin::configuration

namespace tracekin {

bool ParseConfiguration(std::string_view json, Options* options, std::string* error) {
  return configuration::ReadConfiguration(json, options, error) ==
         configuration::ConfigurationStatus::kOk;
}

bool ValidateOptions(const Options& options, std::string* error) {
  for (const configuration::Setting& setting : configuration::Settings()) {
    if (!configuration::CheckSetting(setting, options, setting.path, error)) return false;
  }
  if (options.service_name.empty()) {
    *error = "service_name: not set; set it, or the environment variable TRACEKIN_SERVICE_NAME";
    // nginx removes the environment of its workers, and names them "nginx: worker process".
    if (std::string_view(program_invocation_short_name).substr(0, 5) == "nginx") {
      *error += " (with \"env TRACEKIN_SERVICE_NAME;\" in nginx.conf)";
    }
    return false;
  }
  std::string fault = configuration::SamplerFault(options.sampler);
  if (fault.empty()) fault = configuration::LogFault(options.log);
  if (fault.empty()) fault = configuration::ExporterFault(options.exporter);
  if (!fault.empty()) *error = fault;
  return fault.empty();
}

std::string PrintConfiguration(const Options& options) {
  const Options defaults;
  configuration::JsonBuffer buffer;
  configuration::JsonWriter writer(buffer);
  writer.StartObject();
  std::string_view group;
  for (const configuration::Setting& setting : configuration::Settings()) {
    if (setting.group() != group) {
      if (!group.empty()) writer.EndObject();
      group = setting.group();
      configuration::WriteKey(group, &writer);
      writer.StartObject();
    }
    std::visit(
        configuration::Overloaded{[&](const auto& value) {
                                    configuration::WriteMember(setting.key(), value.In(options),
                                                               value.In(defaults), &writer);
                                  },
                                  [&](const configuration::HeaderMap& value) {
                                    configuration::WriteMember(
                                        setting.key(), configuration::Masked(value.In(options)),
                                        value.In(defaults), &writer);
                                  }},
        setting.value);
  }
  writer.EndObject();
  writer.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace tracekin
