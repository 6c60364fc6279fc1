// SPDX-License-Identifier: Apache-2.0
#include "propagation/jaeger.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/hex.h"
#include "propagation/percent.h"
#include "propagation/text_lookup.h"
#include "propagation/w3c_baggage.h"

namespace tracekin::propagation {

namespace {

constexpr std::uint64_t kSampled = 0x01;
constexpr std::uint64_t kDebug = 0x02;  // meaningful only together with kSampled

// The unreserved characters of RFC 3986, section 2.3, which no URL encoder changes.
constexpr CharSet kUnreserved = CharSet::Alphanumeric("-._~");

std::string LowerCase(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c |= 0x20;
  }
  return result;
}

bool Parse(std::string_view header, Context* read) {
  std::array<std::string_view, 4> fields;
  std::uint64_t flags = 0;
  if (Split(header, ':', &fields) != fields.size() ||
      !DecodeTraceId<HexCase::kAny>(fields[0], &read->trace_id_high, &read->trace_id_low) ||
      !DecodeSpanId<HexCase::kAny>(fields[1], &read->span_id) ||
      !DecodeHex<HexCase::kAny>(fields[2], &read->parent_span_id) || fields[3].size() > 2 ||
      !DecodeHex<HexCase::kAny>(fields[3], &flags)) {
    return false;
  }
  read->decision = Decision::kDeny;
  if ((flags & kSampled) != 0) {
    read->decision = (flags & kDebug) != 0 ? Decision::kDebug : Decision::kAccept;
  }
  return true;
}

opentracing::expected<void> InjectBaggage(const Baggage& baggage,
                                          const opentracing::TextMapWriter& carrier) {
  for (auto item = baggage.begin(); item != baggage.end(); ++item) {
    if (item->first.empty() || !kTokenChars.HasAll(item->first)) continue;
    const std::string key = LowerCase(item->first);
    // Keys that differ only in case are the same key of the carrier, which must not be set twice.
    const bool written = std::any_of(baggage.begin(), item, [&key](const auto& before) {
      return EqualsIgnoringCase(before.first, key);
    });
    if (written) continue;
    std::string encoded;
    AppendPercentEncoded(item->second, kUnreserved, &encoded);
    auto done = carrier.Set(std::string(kJaegerItemPrefix) + key, encoded);
    if (!done) return done;
  }
  return {};
}

}  // namespace

opentracing::expected<void> Jaeger::Inject(const Context& context,
                                           const opentracing::TextMapWriter& carrier) const {
  if (context.has_ids()) {
    char header[32 + 1 + 16 + 1 + 16 + 1 + 1];
    char* end = EncodeTraceId(context.trace_id_high, context.trace_id_low, header);
    *end++ = ':';
    end = EncodeHex(context.span_id, end);
    *end++ = ':';
    end = EncodeHex(context.parent_span_id, end);
    *end++ = ':';
    *end++ = static_cast<char>('0' + (context.sampled() ? kSampled : 0) +
                               (context.decision == Decision::kDebug ? kDebug : 0));
    auto done = carrier.Set(View(Name(Key::kUberTraceId)),
                            {header, static_cast<std::size_t>(end - header)});
    if (!done) return done;
  }
  return context.extras ? InjectBaggage(context.extras->baggage, carrier)
                        : opentracing::expected<void>{};
}

Extraction Jaeger::Extract(TextLookup* carrier, Context* context,
                           std::string* /*tracestate*/) const {
  Context read;
  if (const auto header = carrier->Find(Key::kUberTraceId)) {
    // Some clients percent-encode the colons.
    const bool encoded = header->find('%') != std::string_view::npos;
    if (!(encoded ? Parse(PercentDecode(*header, Plus::kItself), &read) : Parse(*header, &read))) {
      return Extraction::kCorrupted;
    }
  } else if (carrier->Find(Key::kJaegerDebugId)) {
    read.decision = Decision::kDebug;
  } else {
    return Extraction::kNothing;
  }
  *context = std::move(read);
  return Extraction::kFound;
}

void Jaeger::ExtractBaggage(TextLookup* carrier, Baggage* baggage) const {
  if (const auto list = carrier->Find(Key::kJaegerBaggage)) ParseBaggageList(*list, baggage);
  const bool traced = carrier->Find(Key::kUberTraceId).has_value();
  if (traced) carrier->IterateForJaegerItems();
  if (!carrier->has_jaeger_items()) return;
  carrier->ForEachJaegerItem([baggage](std::string_view key, std::string_view value) {
    AddBaggageItem(LowerCase(key), PercentDecode(value, Plus::kSpace), baggage);
  });
}

}  // namespace tracekin::propagation
