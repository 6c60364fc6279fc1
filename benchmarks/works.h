// SPDX-License-Identifier: Apache-2.0
// The operations by which the tracers are compared.
#ifndef TRACEKIN_BENCHMARKS_WORKS_H
#define TRACEKIN_BENCHMARKS_WORKS_H

#include <opentracing/propagation.h>
#include <opentracing/tracer.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tracekin/tracer.h"

namespace tracekin {

/// Makes a tracer from options or from JSON; exits the program if they are not valid.
std::shared_ptr<Tracer> MustMakeTracer(const Options& options);
std::shared_ptr<Tracer> MustMakeTracer(const char* json);

/// HTTP headers as a vector of pairs of strings, with linear lookup. Other tracers were measured
/// with the same carrier.
class HeadersCarrier final : public opentracing::HTTPHeadersReader,
                             public opentracing::HTTPHeadersWriter {
 public:
  opentracing::expected<void> Set(opentracing::string_view key,
                                  opentracing::string_view value) const override;
  opentracing::expected<opentracing::string_view> LookupKey(
      opentracing::string_view key) const override;
  opentracing::expected<void> ForeachKey(
      std::function<opentracing::expected<void>(opentracing::string_view, opentracing::string_view)>
          visit) const override;
  void Clear() const { headers_.clear(); }

  const HTTPHeadersReader& reader() const { return *this; }
  const HTTPHeadersWriter& writer() const { return *this; }

 private:
  mutable std::vector<std::pair<std::string, std::string>> headers_;
};

/// Writes the five B3 headers of a request with Set.
void SetB3(const HeadersCarrier& carrier, bool sampled = true);

/// Reads the same five headers with LookupKey.
void LookUpB3(const HeadersCarrier& carrier);

/// Extracts the context of those headers. If `tracer` does not support contexts, like the no-op
/// tracer, `other` extracts it, so that the API's cost of a reference is included.
std::unique_ptr<opentracing::SpanContext> RemoteParent(const opentracing::Tracer& tracer,
                                                       bool sampled,
                                                       const opentracing::Tracer& other);

/// Makes a child span with three tags and a log, like most spans of a server.
inline void ChildSpan(const opentracing::Tracer& tracer, const opentracing::SpanContext& parent) {
  auto span = tracer.StartSpan("operation", {opentracing::ChildOf(&parent)});
  span->SetTag("http.method", "GET");
  span->SetTag("http.status_code", 200);
  span->SetTag("cache.hit", true);
  span->Log({{"event", "looked up"}});
  span->Finish();
}

}  // namespace tracekin

#endif  // TRACEKIN_BENCHMARKS_WORKS_H
