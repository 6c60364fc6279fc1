// SPDX-License-Identifier: Apache-2.0
#include "propagation/b3_multi.h"

#include <utility>

#include "base/ascii.h"
#include "base/hex.h"
#include "propagation/text_lookup.h"

namespace tracekin::propagation {

namespace {

opentracing::expected<void> InjectIds(const Context& context,
                                      const opentracing::TextMapWriter& carrier) {
  // Encodes all digits before the calls. Carriers read them back in larger pieces, which is slow
  // for bytes that were just written.
  char trace_id[32];
  char span_id[16];
  char parent_id[16];
  const char* trace_id_end = EncodeTraceId(context.trace_id_high, context.trace_id_low, trace_id);
  EncodeHex(context.span_id, span_id);
  EncodeHex(context.parent_span_id, parent_id);

  auto done = carrier.Set(View(Name(Key::kB3TraceId)),
                          {trace_id, static_cast<std::size_t>(trace_id_end - trace_id)});
  if (!done) return done;
  done = carrier.Set(View(Name(Key::kB3SpanId)), {span_id, sizeof span_id});
  if (!done || context.parent_span_id == 0) return done;
  return carrier.Set(View(Name(Key::kB3ParentSpanId)), {parent_id, sizeof parent_id});
}

bool ReadIds(std::string_view trace_id, TextLookup* carrier, Context* read) {
  if (!DecodeTraceId(trace_id, &read->trace_id_high, &read->trace_id_low)) return false;
  const auto span_id = carrier->Find(Key::kB3SpanId);
  if (!span_id || !DecodeSpanId(*span_id, &read->span_id)) return false;
  const auto parent_id = carrier->Find(Key::kB3ParentSpanId);
  return !parent_id || DecodeHex(*parent_id, &read->parent_span_id);
}

bool ReadDecision(TextLookup* carrier, Context* read) {
  if (const auto sampled = carrier->Find(Key::kB3Sampled)) {
    if (*sampled == "1" || EqualsIgnoringCase(*sampled, "true")) {
      read->decision = Decision::kAccept;
    } else if (*sampled == "0" || EqualsIgnoringCase(*sampled, "false")) {
      read->decision = Decision::kDeny;
    } else {
      return false;
    }
  }
  const auto flags = carrier->Find(Key::kB3Flags);
  if (flags && *flags == "1") read->decision = Decision::kDebug;
  return true;
}

}  // namespace

opentracing::expected<void> B3Multi::Inject(const Context& context,
                                            const opentracing::TextMapWriter& carrier) const {
  if (context.has_ids()) {
    auto done = InjectIds(context, carrier);
    if (!done) return done;
  }
  if (context.has_decision()) {
    auto done = carrier.Set(View(Name(Key::kB3Sampled)), {context.sampled() ? "1" : "0", 1});
    if (!done) return done;
  }
  return carrier.Set(View(Name(Key::kB3Flags)),
                     {context.decision == Decision::kDebug ? "1" : "0", 1});
}

// Flattened because calls are a large part of an extraction's cost; see docs/performance.md.
[[gnu::flatten]] Extraction B3Multi::Extract(TextLookup* carrier, Context* context,
                                             std::string* /*tracestate*/) const {
  Context read;
  const auto trace_id = carrier->Find(Key::kB3TraceId);
  if (trace_id && !ReadIds(*trace_id, carrier, &read)) return Extraction::kCorrupted;
  if (!ReadDecision(carrier, &read)) return Extraction::kCorrupted;
  // Without a trace id, the other ids are meaningless, but a decision is valid.
  if (!trace_id && !read.has_decision()) return Extraction::kNothing;
  *context = std::move(read);
  return Extraction::kFound;
}

}  // namespace tracekin::propagation
