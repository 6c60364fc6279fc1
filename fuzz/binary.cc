// SPDX-License-Identifier: Apache-2.0
// Fuzzes contexts in stream carriers. A context that was read and written must be read as the same
// context again.
#include "propagation/binary.h"

#include <sstream>
#include <string>

#include "fuzz/check.h"
#include "fuzz/input.h"
#include "propagation/tracestate.h"
#include "tests/propagation/carriers.h"

namespace {

using namespace tracekin;
using namespace tracekin::propagation;

void CheckLimits(const propagation::Context& context) {
  if (!context.extras) return;
  std::string tracestate;
  CHECK(propagation::ParseTracestate(context.extras->tracestate, &tracestate));
  CHECK(tracestate == context.extras->tracestate);
  propagation::Baggage baggage;
  for (const auto& [key, value] : context.extras->baggage) {
    CHECK(propagation::AddBaggageItem(key, value, &baggage));
  }
}

void CheckRoundTrip(const propagation::Context& context) {
  std::stringstream stream;
  CHECK(propagation::InjectBinary(context, stream));
  stream << "more";
  propagation::Context again;
  const auto found = propagation::ExtractBinary(stream, &again);
  CHECK(found && *found);
  CHECK(again == context);
  std::string more;
  CHECK(stream >> more && more == "more");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream stream(std::string(Input(data, size).rest()));
  for (;;) {
    propagation::Context context;
    const auto found = propagation::ExtractBinary(stream, &context);
    if (!found || !*found) {
      CHECK(context == propagation::Context{});
      CHECK(found || found.error() == opentracing::span_context_corrupted_error ||
            found.error() == std::errc::io_error);
      return 0;
    }
    CheckLimits(context);
    CheckRoundTrip(context);
  }
}
