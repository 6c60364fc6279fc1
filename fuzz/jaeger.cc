// SPDX-License-Identifier: Apache-2.0
// Jaeger's headers: the ids, and baggage in one header per item or in one for all.
#include "base/ascii.h"
#include "fuzz/headers.h"

namespace {

using namespace tracekin;
using namespace tracekin::propagation;

// Returns the part of `baggage` that Jaeger's headers can represent: tokens in lower case, each
// once.
propagation::Baggage Writable(const propagation::Baggage& baggage) {
  propagation::Baggage result;
  for (const auto& [key, value] : baggage) {
    if (!key.empty() && kTokenChars.HasAll(key))
      propagation::AddBaggageItem(LowerCase(key), value, &result);
  }
  return result;
}

// Returns whether all items fit, even if each byte of a value is encoded as three.
bool Fits(const propagation::Baggage& baggage) {
  std::size_t most = 0;
  for (const auto& [key, value] : baggage) most += key.size() + 3 * value.size();
  return most <= propagation::kMaxBaggageBytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const Entries headers = TakeHeaders(&input);
  CheckAskedAsIterated({"jaeger"}, headers);
  const Extracted extracted = CheckedExtract({"jaeger"}, headers);
  if (!extracted.found) return 0;
  const Extracted again = CheckedExtract({"jaeger"}, CheckedInject("jaeger", extracted.context));

  propagation::Context expected = extracted.context;
  expected.extras = again.context.extras;
  if (!expected.has_ids())
    expected.decision = propagation::Decision::kDeferred;  // jaeger-debug-id is only read
  CHECK(again.context == expected);
  const propagation::Baggage writable = Writable(extracted.baggage());
  CHECK(!Fits(writable) || again.baggage() == writable);
  return 0;
}
