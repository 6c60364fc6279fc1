// SPDX-License-Identifier: Apache-2.0
// W3C's traceparent and tracestate headers.
#include "fuzz/headers.h"
#include "propagation/tracestate.h"

namespace {

using namespace tracekin;
using namespace tracekin::propagation;

void CheckTracestate(const std::string& tracestate) {
  std::string again;
  CHECK(propagation::ParseTracestate(tracestate, &again) && again == tracestate);
  const auto commas = std::count(tracestate.begin(), tracestate.end(), ',');
  const auto members = std::count(tracestate.begin(), tracestate.end(), '=');
  CHECK(members >= (tracestate.empty() ? 0 : commas + 1) && commas < 32);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const Entries headers = TakeHeaders(&input);
  CheckAskedAsIterated({"tracecontext"}, headers);
  const Extracted extracted = CheckedExtract({"tracecontext"}, headers);
  if (!extracted.found) return 0;
  CHECK(extracted.context.has_ids() && extracted.context.has_decision());
  CheckTracestate(extracted.tracestate());
  const Entries written = CheckedInject("tracecontext", extracted.context);
  CHECK(written.size() == (extracted.tracestate().empty() ? 1 : 2));
  CHECK(written[0].second.size() == 55);
  const Extracted again = CheckedExtract({"tracecontext"}, written);
  CHECK(again.found && again.context == extracted.context);
  return 0;
}
