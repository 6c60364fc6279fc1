// SPDX-License-Identifier: Apache-2.0
// A plugin whose tracer does nothing, which shows what a host's OpenTracing filter costs with any
// tracer. Its configuration is a list of "name: value" lines that Inject writes unchanged, so the
// host does the same work for as many headers.

#include <opentracing/dynamic_load.h>
#include <opentracing/noop.h>
#include <opentracing/tracer_factory.h>

#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

using opentracing::expected;
using opentracing::SpanContext;
using opentracing::StartSpanOptions;
using opentracing::string_view;
using Headers = std::vector<std::pair<std::string, std::string>>;

class Tracer final : public opentracing::Tracer {
 public:
  explicit Tracer(Headers headers) : headers_(std::move(headers)) {}

  std::unique_ptr<opentracing::Span> StartSpanWithOptions(
      string_view name, const StartSpanOptions& options) const noexcept override {
    return noop_->StartSpanWithOptions(name, options);
  }
  expected<void> Inject(const SpanContext&, std::ostream&) const override { return {}; }
  expected<void> Inject(const SpanContext&,
                        const opentracing::TextMapWriter& writer) const override {
    return Write(writer);
  }
  expected<void> Inject(const SpanContext&,
                        const opentracing::HTTPHeadersWriter& writer) const override {
    return Write(writer);
  }
  expected<std::unique_ptr<SpanContext>> Extract(std::istream& reader) const override {
    return noop_->Extract(reader);
  }
  expected<std::unique_ptr<SpanContext>> Extract(
      const opentracing::TextMapReader& reader) const override {
    return noop_->Extract(reader);
  }
  expected<std::unique_ptr<SpanContext>> Extract(
      const opentracing::HTTPHeadersReader& reader) const override {
    return noop_->Extract(reader);
  }

 private:
  expected<void> Write(const opentracing::TextMapWriter& writer) const {
    for (const auto& [name, value] : headers_) {
      if (auto result = writer.Set(name, value); !result) return result;
    }
    return {};
  }

  const Headers headers_;
  const std::shared_ptr<opentracing::Tracer> noop_ = opentracing::MakeNoopTracer();
};

class TracerFactory final : public opentracing::TracerFactory {
 public:
  expected<std::shared_ptr<opentracing::Tracer>> MakeTracer(
      const char* configuration, std::string& error) const noexcept override {
    Headers headers;
    std::istringstream lines(configuration);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t colon = line.find(": ");
      if (colon == std::string::npos) {
        error = "not a header: " + line;
        return opentracing::make_unexpected(opentracing::invalid_configuration_error);
      }
      headers.emplace_back(line.substr(0, colon), line.substr(colon + 2));
    }
    return std::shared_ptr<opentracing::Tracer>(std::make_shared<Tracer>(std::move(headers)));
  }
};

int MakeTracerFactory(const char*, const char*, const void**, void*, void** factory) {
  *factory = static_cast<opentracing::TracerFactory*>(new TracerFactory);
  return 0;
}

}  // namespace

#pragma GCC visibility push(default)
OPENTRACING_DECLARE_IMPL_FACTORY(MakeTracerFactory)
#pragma GCC visibility pop
