// SPDX-License-Identifier: Apache-2.0
// Contexts in stream carriers: a context that was read and written must be read as the same context
// again.
#include "propagation/binary.h"

#include <sstream>
#include <string>

#include "fuzz/check.h"
#include "fuzz/input.h"
#include "propagation/tracestate.h"
#include "tests/propagation/carriers.h"

namespace {

using namespace tracekin;

void CheckLimits(const Context& context) {
  if (!context.extras) return;
  std::string tracestate;
  CHECK(ParseTracestate(context.extras->tracestate, &tracestate));
  CHECK(tracestate == context.extras->tracestate);
  Baggage baggage;
  for (const auto& [key, value] : context.extras->baggage) {
    CHECK(AddBaggageItem(key, value, &baggage));
  }
}

void CheckRoundTrip(const Context& context) {
  std::stringstream stream;
  CHECK(InjectBinary(context, stream));
  stream << "more";
  Context again;
  const auto found = ExtractBinary(stream, &again);
  CHECK(found && *found);
  CHECK(again == context);
  std::string more;
  CHECK(stream >> more && more == "more");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream stream(std::string(Input(data, size).rest()));
  for (;;) {
    Context context;
    const auto found = ExtractBinary(stream, &context);
    if (!found || !*found) {
      CHECK(context == Context{});
      CHECK(found || found.error() == opentracing::span_context_corrupted_error ||
            found.error() == std::errc::io_error);
      return 0;
    }
    CheckLimits(context);
    CheckRoundTrip(context);
  }
}
