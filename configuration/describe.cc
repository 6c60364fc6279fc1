// SPDX-License-Identifier: Apache-2.0
#include "configuration/describe.h"

#include <cmath>
#include <string_view>

#include "base/strings.h"
#include "configuration/check.h"
#include "configuration/text.h"
#include "configuration/url.h"
#include "exporter/destination.h"

namespace tracekin::configuration {

namespace {

/// Returns `text` as it is shown within a JSON string.
std::string Shown(std::string_view text) {
  const std::string quoted = Quoted(text);
  return EndsWith(quoted, "...") ? quoted : quoted.substr(1, quoted.size() - 2);
}

std::string Place(const ExporterOptions& exporter, const exporter::Destination& destination) {
  if (exporter.make_transport) return "the program's own transport";
  if (!destination.schemes.empty()) {
    const std::string socket =
        exporter.unix_socket.empty() ? "" : " over " + Shown(exporter.unix_socket);
    return Shown(exporter.endpoint) + socket;
  }
  if (!exporter.kafka_brokers.empty()) {
    return "topic " + Shown(exporter.kafka_topic) + " at " + Shown(exporter.kafka_brokers);
  }
  return Shown(exporter.path);
}

}  // namespace

std::string DescribeDestination(const ExporterOptions& exporter) {
  const exporter::Destination& destination = exporter::DestinationOf(exporter);
  if (!destination.sends() && !exporter.make_transport) return "nowhere (exporter.type is none)";
  return std::string(destination.type) + ", as " + std::string(exporter::FormatOf(exporter)->name) +
         " to " + Place(exporter, destination);
}

std::string DescribeSampler(const SamplerOptions& sampler) {
  const std::string_view type = SamplerTypeOf(sampler);
  std::string text(type);
  if (type == "probabilistic")
    text = Decimal(std::round(sampler.rate * 1e8) / 1e6) + " % of traces";
  if (type == "rate_limiting") {
    text = "at most " + Decimal(sampler.per_second) + " traces per second";
  }
  return text + (sampler.parent_based ? "; keeps a parent's decision" : "");
}

}  // namespace tracekin::configuration
