// SPDX-License-Identifier: Apache-2.0
// W3C's baggage in a header, and the same items in Jaeger's headers.
#include "fuzz/headers.h"

namespace {

using namespace tracekin;
using namespace tracekin::propagation;

// Returns whether `part` is `whole` or `whole` without some items.
bool IsPart(const propagation::Baggage& part, const propagation::Baggage& whole) {
  auto at = whole.begin();
  for (const auto& item : part) {
    at = std::find(at, whole.end(), item);
    if (at == whole.end()) return false;
    ++at;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const Entries headers = TakeHeaders(&input);
  CheckAskedAsIterated({"baggage"}, headers);
  const Extracted extracted = CheckedExtract({"baggage"}, headers);
  CHECK(extracted.found == !extracted.baggage().empty() && !extracted.error);
  const Entries written = CheckedInject("baggage", extracted.context);
  CHECK(written.size() <= 1);
  const std::string header = written.empty() ? "" : written[0].second;
  CHECK(header.size() <= propagation::kMaxBaggageBytes);
  const propagation::Baggage again = CheckedExtract({"baggage"}, written).baggage();
  CHECK(IsPart(again, extracted.baggage()));
  // Encoding makes at most three bytes of each byte, and an item needs two more.
  std::size_t most = 0;
  for (const auto& [key, value] : extracted.baggage()) most += key.size() + 3 * value.size() + 2;
  CHECK(most > propagation::kMaxBaggageBytes || again == extracted.baggage());
  return 0;
}
