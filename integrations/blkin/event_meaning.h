// SPDX-License-Identifier: Apache-2.0
// What an event's text says of its span: Zipkin's core annotations (zipkinCore.thrift), and the
// words with which programs that use BlkKin end a span. Pure functions.
#ifndef TRACEKIN_INTEGRATIONS_BLKIN_EVENT_MEANING_H
#define TRACEKIN_INTEGRATIONS_BLKIN_EVENT_MEANING_H

#include <string_view>

#include "tracekin/span_record.h"

namespace tracekin::blkin {

struct EventMeaning {
  SpanKind kind = SpanKind::kLocal;  // whose side's event it is; kLocal: it does not say
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
