// SPDX-License-Identifier: Apache-2.0
#include "propagation/b3_single.h"

#include <utility>

#include "base/ascii.h"
#include "base/hex.h"
#include "propagation/text_lookup.h"

namespace tracekin::propagation {

namespace {

constexpr std::size_t kMostBytes = Traits(Key::kB3).max_bytes;

char StateOf(Decision decision) {
  if (decision == Decision::kDebug) return 'd';
  return decision == Decision::kAccept ? '1' : '0';
}

bool ReadState(std::string_view text, Context* read) {
  if (text == "1") {
    read->decision = Decision::kAccept;
  } else if (text == "0") {
    read->decision = Decision::kDeny;
  } else if (text == "d") {
    read->decision = Decision::kDebug;
  } else {
    return false;
  }
  return true;
}

bool ReadParent(std::string_view text, Context* read) {
  return text.size() == 16 && DecodeHex(text, &read->parent_span_id);
}

bool Parse(std::string_view header, Context* read) {
  if (header.size() > kMostBytes) return false;
  std::array<std::string_view, 4> fields;
  const std::size_t count = Split(header, '-', &fields);
  if (count == 1) return ReadState(header, read);

  const bool trace_id_fits = fields[0].size() == 16 || fields[0].size() == 32;
  if (!trace_id_fits || !DecodeTraceId(fields[0], &read->trace_id_high, &read->trace_id_low) ||
      fields[1].size() != 16 || !DecodeSpanId(fields[1], &read->span_id)) {
    return false;
  }
  switch (count) {
    case 2:
      return true;
    case 3:  // the third field is the parent if no decision has been made
      return ReadState(fields[2], read) || ReadParent(fields[2], read);
    case 4:
      return ReadState(fields[2], read) && ReadParent(fields[3], read);
    default:
      return false;
  }
}

}  // namespace

opentracing::expected<void> B3Single::Inject(const Context& context,
                                             const opentracing::TextMapWriter& carrier) const {
  char header[kMostBytes];
  char* end = header;
  if (context.has_ids()) {
    end = EncodeTraceId(context.trace_id_high, context.trace_id_low, end);
    *end++ = '-';
    end = EncodeHex(context.span_id, end);
  }
  if (context.has_decision()) {
    if (end != header) *end++ = '-';
    *end++ = StateOf(context.decision);
  }
  if (context.has_ids() && context.parent_span_id != 0) {
    *end++ = '-';
    end = EncodeHex(context.parent_span_id, end);
  }
  if (end == header) return {};
  return carrier.Set(View(Name(Key::kB3)), {header, static_cast<std::size_t>(end - header)});
}

Extraction B3Single::Extract(TextLookup* carrier, Context* context,
                             std::string* /*tracestate*/) const {
  const auto header = carrier->Find(Key::kB3);
  if (!header) return Extraction::kNothing;
  Context read;
  if (!Parse(*header, &read)) return Extraction::kCorrupted;
  *context = std::move(read);
  return Extraction::kFound;
}

}  // namespace tracekin::propagation
