// SPDX-License-Identifier: Apache-2.0
#include "propagation/trace_context.h"

#include <utility>

#include "base/ascii.h"
#include "base/hex.h"
#include "propagation/text_lookup.h"
#include "propagation/tracestate.h"

namespace tracekin::propagation {

namespace {

// Offsets of the fields of version 00: version "-" trace-id "-" parent-id "-" trace-flags.
constexpr std::size_t kTraceIdAt = 3;
constexpr std::size_t kSpanIdAt = 36;
constexpr std::size_t kFlagsAt = 53;
constexpr std::size_t kBytes = 55;

constexpr std::uint64_t kSampled = 0x01;
constexpr std::uint64_t kRandomTraceId = 0x02;

bool Parse(std::string_view header, Context* read) {
  std::uint64_t version = 0;
  std::uint64_t flags = 0;
  if (header.size() < kBytes || header[kTraceIdAt - 1] != '-' || header[kSpanIdAt - 1] != '-' ||
      header[kFlagsAt - 1] != '-' || !DecodeHex(header.substr(0, 2), &version) ||
      !DecodeTraceId(header.substr(kTraceIdAt, 32), &read->trace_id_high, &read->trace_id_low) ||
      !DecodeSpanId(header.substr(kSpanIdAt, 16), &read->span_id) ||
      !DecodeHex(header.substr(kFlagsAt, 2), &flags) || version == 0xFF) {
    return false;
  }
  // Later versions may append fields, which this parser ignores.
  if (header.size() > kBytes && (version == 0 || header[kBytes] != '-')) return false;
  read->decision = (flags & kSampled) != 0 ? Decision::kAccept : Decision::kDeny;
  read->random_trace_id = (flags & kRandomTraceId) != 0;
  return true;
}

}  // namespace

opentracing::expected<void> TraceContext::Inject(const Context& context,
                                                 const opentracing::TextMapWriter& carrier) const {
  if (!context.has_ids()) return {};
  char header[kBytes] = {'0', '0', '-'};
  char* end = EncodeHex(context.trace_id_high, header + kTraceIdAt);
  end = EncodeHex(context.trace_id_low, end);
  *end++ = '-';
  end = EncodeHex(context.span_id, end);
  *end++ = '-';
  *end++ = '0';
  // The format cannot express that no decision has been made. The sampled flag is then 0, the
  // default that section "Sampled flag" of the specification gives for deferred decisions.
  *end = static_cast<char>('0' + (context.sampled() ? kSampled : 0) +
                           (context.random_trace_id ? kRandomTraceId : 0));
  auto done = carrier.Set(View(Name(Key::kTraceparent)), {header, kBytes});
  if (!done || !context.extras || context.extras->tracestate.empty()) return done;
  return carrier.Set(View(Name(Key::kTracestate)), context.extras->tracestate);
}

Extraction TraceContext::Extract(TextLookup* carrier, Context* context,
                                 std::string* tracestate) const {
  const auto traceparent = carrier->Find(Key::kTraceparent);
  if (!traceparent) return Extraction::kNothing;
  Context read;
  if (carrier->Repeated(Key::kTraceparent) || !Parse(TrimOws(*traceparent), &read)) {
    return Extraction::kCorrupted;
  }
  *context = std::move(read);
  tracestate->clear();
  if (const auto list = carrier->Find(Key::kTracestate)) ParseTracestate(*list, tracestate);
  return Extraction::kFound;
}

}  // namespace tracekin::propagation
