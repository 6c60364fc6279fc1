// SPDX-License-Identifier: Apache-2.0
// What is measured: the pieces of work that tracers are compared by.
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

/// A tracer with these options, or from this JSON; ends the program if they are wrong.
std::shared_ptr<Tracer> MustMakeTracer(const Options& options);
std::shared_ptr<Tracer> MustMakeTracer(const char* json);

/// HTTP headers as a vector of pairs of strings: the carrier that the facts of other tracers were measured
/// with. It looks keys up by comparing them.
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

/// The five B3 headers of a request, by Set.
void SetB3(const HeadersCarrier& carrier, bool sampled = true);

/// The same five, by LookupKey.
void LookUpB3(const HeadersCarrier& carrier);

/// The context in those headers. `other` is who extracts it if `tracer` has no contexts, as the no-op tracer:
/// for the reference costs the API something too.
std::unique_ptr<opentracing::SpanContext> RemoteParent(const opentracing::Tracer& tracer,
                                                       bool sampled,
                                                       const opentracing::Tracer& other);

/// A child with three tags and a log, as most of a server's spans are.
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
