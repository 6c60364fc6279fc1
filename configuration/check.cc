// SPDX-License-Identifier: Apache-2.0
#include "configuration/check.h"

#include <strings.h>

#include <algorithm>

#include "configuration/header.h"
#include "configuration/text.h"
#include "configuration/url.h"
#include "exporter/destination.h"

namespace tracekin::configuration {
namespace {

template <typename Item, typename Items>
bool Contains(const Items& items, const Item& item) {
  return std::find(items.begin(), items.end(), item) != items.end();
}

// Each function returns the value that is not allowed, for display, or "".

std::string Fault(const Boolean&, const Options&) { return {}; }

std::string Fault(const Integer& value, const Options& options) {
  const std::uint64_t number = value.In(options);
  const bool good = value.allowed.empty() ? number >= value.min && number <= value.max
                                          : Contains(value.allowed, number);
  return good ? std::string() : Decimal(number);
}

std::string Fault(const Number& value, const Options& options) {
  const double number = value.In(options);
  return number >= value.min && number <= value.max ? std::string() : Decimal(number);  // NaN fails
}

std::string Fault(const Text& value, const Options& options) {
  const std::string& text = value.In(options);
  const bool good = text.empty() || value.allowed.empty() || Contains(value.allowed, text);
  return good && IsText(text) ? std::string() : Quoted(text);
}

std::string Fault(const Url& value, const Options& options) {
  const std::string& url = value.In(options);
  if (url.empty() || (IsUrl(url) && IsText(url))) return {};
  return Quoted(url) + (HasStrayAt(url) ? "; write %40 for an @ in the user or password" : "");
}

std::string Fault(const TextList& value, const Options& options) {
  const StringList& list = value.In(options);
  for (auto item = list.begin(); item != list.end(); ++item) {
    if (!Contains(value.allowed, *item)) return Quoted(*item);
    if (std::find(list.begin(), item, *item) != item) return Quoted(*item) + " twice";
  }
  return {};
}

std::string Fault(const TextMap& value, const Options& options) {
  for (const auto& [key, text] : value.In(options)) {
    if (key.empty()) return "an empty key";
    if (!IsText(key)) return "the key " + Quoted(key);
    if (!IsText(text)) return Quoted(text);
  }
  return {};
}

std::string Fault(const HeaderMap& value, const Options& options) {
  for (const auto& [name, text] : value.In(options)) {
    if (!IsHeaderName(name)) return "the invalid name " + Quoted(name);
    if (IsReservedHeader(name)) return "the name " + Quoted(name) + ", which tracekin sets";
    if (!IsHeaderValue(text)) return "an invalid value for " + Quoted(name);
  }
  return {};
}

}  // namespace

std::string Unexpected(std::string_view name, const Setting& setting, std::string_view found) {
  return std::string(name) + ": expected " + Allowed(setting.value) + ", found " +
         std::string(found);
}

bool CheckSetting(const Setting& setting, const Options& options, std::string_view name,
                  std::string* error) {
  const std::string fault =
      std::visit([&options](const auto& value) { return Fault(value, options); }, setting.value);
  if (fault.empty()) return true;
  *error = Unexpected(name, setting, fault);
  return false;
}

std::string_view SamplerTypeOf(const SamplerOptions& sampler) {
  if (!sampler.type.empty()) return sampler.type;
  if (sampler.rate < 1) return "probabilistic";
  return sampler.per_second > 0 ? "rate_limiting" : "always";
}

std::vector<std::string_view> Credentials(const ExporterOptions& exporter) {
  std::vector<std::string_view> found;
  if (HasUserInfo(exporter.endpoint)) found.emplace_back("the user in exporter.endpoint");
  if (!exporter.bearer_file.empty()) found.emplace_back("exporter.bearer_file");
  if (!exporter.basic_file.empty()) found.emplace_back("exporter.basic_file");
  for (const auto& [name, value] : exporter.headers) {
    if (strcasecmp(name.c_str(), "Authorization") != 0) continue;
    found.emplace_back("Authorization in exporter.headers");
  }
  return found;
}

bool SendsCredentialsInClear(const ExporterOptions& exporter) {
  return !exporter.make_transport && !exporter.on_span &&
         exporter::DestinationOf(exporter).HasScheme("https") && exporter.unix_socket.empty() &&
         !Credentials(exporter).empty() && !IsHttps(exporter.endpoint) &&
         !IsLoopback(exporter.endpoint);
}

}  // namespace tracekin::configuration
