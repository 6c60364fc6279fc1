// SPDX-License-Identifier: Apache-2.0
// Calls of BlkKin's C API in Ceph's dialect.
#include "tracekin/blkin/ceph/zipkin_c.h"

#include <string>

#include "fuzz/api/walk.h"
#include "fuzz/check.h"
#include "tracekin/blkin.h"

namespace tracekin {

namespace {

blkin_trace AnyTrace(Walk& walk, const blkin_endpoint* endpoint) {
  blkin_trace trace{};
  blkin_trace_info info{walk.choices.Number<std::int64_t>(), walk.choices.Number<std::int64_t>(),
                        walk.choices.Number<std::int64_t>()};
  switch (walk.choices.Below(4)) {
    case 0:
      blkin_init_new_trace(&trace, "op", endpoint);
      break;
    case 1: {
      const auto [owner, context] = walk.AnyContext();
      if (context != nullptr) info = ToBlkin(*context);
      blkin_init_child_info(&trace, &info, endpoint, "sub op");
      break;
    }
    case 2:
      blkin_init_trace_info(&info);
      blkin_set_trace_properties(&trace, &info, "op", endpoint);
      break;
    default:
      blkin_set_trace_properties(&trace, &info, "adopted", endpoint);
  }
  return trace;
}

void Annotate(Choices* choices, const blkin_endpoint* endpoint, const blkin_trace& trace) {
  static const char* const kEvents[] = {CLIENT_SEND, CLIENT_RECV,  SERVER_SEND,         SERVER_RECV,
                                        WIRE_SEND,   "Span ended", "message destructed"};
  blkin_annotation annotation{};
  const std::string text = choices->Text();
  switch (choices->Below(3)) {
    case 0:
      blkin_init_timestamp_annotation(&annotation, choices->Of(kEvents), endpoint);
      break;
    case 1:
      blkin_init_integer_annotation(&annotation, "number", choices->Number<std::int64_t>(),
                                    nullptr);
      break;
    default:
      blkin_init_string_annotation(&annotation, text.c_str(), text.c_str(), endpoint);
  }
  blkin_record(&trace, &annotation);
}

void Record(Walk& walk) {
  blkin_endpoint endpoint{};
  blkin_init_endpoint(&endpoint, "0.0.0.0", walk.choices.Number<std::int16_t>(), "osd.1");
  const blkin_trace trace = AnyTrace(walk, &endpoint);
  for (unsigned i = walk.choices.Below(6); i != 0; --i) Annotate(&walk.choices, &endpoint, trace);
  walk.Keep(FromBlkin(trace.info));
}

void Init(Walk&) { CHECK(blkin_init() == 0); }

}  // namespace

const std::vector<Walk::Call>& BlkinCephCalls() {
  static const std::vector<Walk::Call> calls = {
      {"Ceph's BlkKin's records", 40, Record},
      {"Ceph's blkin_init", 2, Init},
  };
  return calls;
}

}  // namespace tracekin
