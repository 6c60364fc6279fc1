// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/works.h"

#include <cstdio>
#include <cstdlib>

namespace tracekin {

namespace {

using opentracing::expected;
using opentracing::string_view;

// The ids have 64 bits because dd-opentracing does not support longer ones.
constexpr std::pair<const char*, const char*> kB3[] = {{"x-b3-traceid", "48485a3953bb6124"},
                                                       {"x-b3-spanid", "0020000000000001"},
                                                       {"x-b3-parentspanid", "0000000000000000"},
                                                       {"x-b3-sampled", "1"},
                                                       {"x-b3-flags", "0"}};

std::shared_ptr<Tracer> OrEnd(std::shared_ptr<Tracer> tracer, const std::string& error) {
  if (tracer != nullptr) return tracer;
  std::fprintf(stderr, "%s\n", error.c_str());
  std::exit(1);
}

}  // namespace

std::shared_ptr<Tracer> MustMakeTracer(const Options& options) {
  std::string error;
  auto tracer = MakeTracer(options, &error);
  return OrEnd(std::move(tracer), error);
}

std::shared_ptr<Tracer> MustMakeTracer(const char* json) {
  std::string error;
  auto tracer = MakeTracerFromJson(json, &error);
  return OrEnd(std::move(tracer), error);
}

expected<void> HeadersCarrier::Set(string_view key, string_view value) const {
  headers_.emplace_back(key, value);
  return {};
}

expected<string_view> HeadersCarrier::LookupKey(string_view key) const {
  for (const auto& header : headers_) {
    if (header.first == key) return string_view{header.second};
  }
  return opentracing::make_unexpected(opentracing::key_not_found_error);
}

expected<void> HeadersCarrier::ForeachKey(
    std::function<expected<void>(string_view, string_view)> visit) const {
  for (const auto& header : headers_) {
    if (auto result = visit(header.first, header.second); !result) return result;
  }
  return {};
}

void SetB3(const HeadersCarrier& carrier, bool sampled) {
  for (const auto& [key, value] : kB3) {
    const bool decision = string_view(key) == "x-b3-sampled";
    if (!carrier.Set(key, decision && !sampled ? "0" : value)) std::abort();
  }
}

void LookUpB3(const HeadersCarrier& carrier) {
  for (const auto& [key, value] : kB3) {
    if (!carrier.LookupKey(key)) std::abort();
  }
}

std::unique_ptr<opentracing::SpanContext> RemoteParent(const opentracing::Tracer& tracer,
                                                       bool sampled,
                                                       const opentracing::Tracer& other) {
  const HeadersCarrier carrier;
  SetB3(carrier, sampled);
  auto parent = tracer.Extract(carrier.reader());
  if (parent && *parent == nullptr) parent = other.Extract(carrier.reader());
  if (!parent || *parent == nullptr) std::abort();
  return std::move(*parent);
}

}  // namespace tracekin
