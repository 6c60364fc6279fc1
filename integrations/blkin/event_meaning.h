// SPDX-License-Identifier: Apache-2.0
// Maps the text of an event to its meaning for the span: Zipkin's core annotations
// (zipkinCore.thrift), and the words that programs with BlkKin use to end a span. Pure functions.
#ifndef TRACEKIN_INTEGRATIONS_BLKIN_EVENT_MEANING_H
#define TRACEKIN_INTEGRATIONS_BLKIN_EVENT_MEANING_H

#include <string_view>

#include "tracekin/span_record.h"

namespace tracekin::blkin {

struct EventMeaning {
  SpanKind kind = SpanKind::kLocal;  // the side that records such events; kLocal: unknown
  bool start = false;
  bool end = false;
};

inline EventMeaning MeaningOf(std::string_view event) noexcept {
  if (event == "cs") return {SpanKind::kClient, true, false};
  if (event == "cr") return {SpanKind::kClient, false, true};
  if (event == "sr") return {SpanKind::kServer, true, false};
  if (event == "ss") return {SpanKind::kServer, false, true};
  const bool end = event == "end" || event == "Span ended" || event == "message destructed";
  return {SpanKind::kLocal, false, end};
}

}  // namespace tracekin::blkin

#endif  // TRACEKIN_INTEGRATIONS_BLKIN_EVENT_MEANING_H
