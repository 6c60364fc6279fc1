// SPDX-License-Identifier: Apache-2.0
// Calls of BlkKin's C API as its author published it.
#include "tracekin/blkin/original/zipkin_c.h"

#include <string>

#include "fuzz/api/walk.h"
#include "fuzz/check.h"
#include "tracekin/blkin.h"
#include "tracekin/blkin/original/blkin-front.h"

namespace tracekin {

namespace {

const char* AnyEvent(Choices* choices) {
  static constexpr const char* kEvents[] = {"cs", "cr", "sr",         "ss", "end",
                                            "x",  "",   "Span ended", "\n"};
  return choices->Of(kEvents);
}

// Returns a new trace, a child of some context, or a child of any ids.
blkin_trace AnyTrace(Walk& walk, blkin_endpoint* endpoint) {
  blkin_trace trace{};
  blkin_trace_info info{walk.choices.Number<std::int64_t>(), walk.choices.Number<std::int64_t>(),
                        walk.choices.Number<std::int64_t>()};
  switch (walk.choices.Below(4)) {
    case 0:
      blkin_init_new_trace(&trace, "root", endpoint);
      break;
    case 1: {
      const auto [owner, context] = walk.AnyContext();
      if (context != nullptr) info = ToBlkin(*context);
      blkin_init_child_info(&trace, &info, endpoint, "child");
      break;
    }
    case 2: {
      blkin_trace parent{};
      blkin_init_new_trace(&parent, "root", endpoint);
      blkin_init_child(&trace, &parent, walk.choices.TakeBool() ? endpoint : nullptr, "child");
      break;
    }
    default:
      trace.name = walk.choices.TakeBool() ? "adopted" : nullptr;
      trace.trace_endpoint = endpoint;
      blkin_set_trace_info(&trace, &info);
  }
  return trace;
}

void Record(Walk& walk) {
  const std::string text = walk.choices.Text();
  blkin_endpoint endpoint{};
  blkin_init_endpoint(&endpoint, walk.choices.TakeBool() ? "10.0.0.1" : text.c_str(),
                      walk.choices.Number<int>(), "service");
  blkin_trace trace = AnyTrace(walk, &endpoint);
  for (unsigned i = walk.choices.Below(6); i != 0; --i) {
    blkin_annotation annotation{};
    if (walk.choices.TakeBool()) {
      blkin_init_timestamp_annotation(&annotation, AnyEvent(&walk.choices), &endpoint);
    } else {
      blkin_init_string_annotation(&annotation, "key", text.c_str(), nullptr);
    }
    blkin_record(&trace, &annotation);
  }
  blkin_trace_info info{};
  blkin_get_trace_info(&trace, &info);
  walk.Keep(FromBlkin(info));
}

void Pack(Walk& walk) {
  blkin_trace_info info{walk.choices.Number<std::int64_t>(), 2, 3};
  blkin_trace_info_packed packed{};
  blkin_trace_info again{};
  blkin_pack_trace_info(&info, &packed);
  blkin_unpack_trace_info(&packed, &again);
  CHECK(again.trace_id == info.trace_id && again.span_id == 2 && again.parent_span_id == 3);
}

void Init(Walk&) { CHECK(blkin_init() == 0); }

void SetTracer(Walk& walk) {
  BlkinLimits limits;
  if (walk.choices.TakeBool()) limits.max_spans = 32;
  if (walk.choices.TakeBool()) limits.idle_timeout = std::chrono::milliseconds(1);
  SetBlkinTracer(walk.AnyTracekinTracer(), limits);
}

void Flush(Walk& walk) { FlushBlkin(std::chrono::milliseconds(walk.choices.Below(8))); }

}  // namespace

const std::vector<Walk::Call>& BlkinOriginalCalls() {
  static const std::vector<Walk::Call> calls = {
      {"BlkKin's original records", 40, Record},
      {"blkin_pack_trace_info", 5, Pack},
      {"blkin_init", 2, Init},
      {"SetBlkinTracer", 2, SetTracer},
      {"FlushBlkin", 1, Flush},
  };
  return calls;
}

}  // namespace tracekin
