// SPDX-License-Identifier: Apache-2.0
// Compares what propagation/ reads from a carrier and writes to it with the second implementation
// in carrier_oracle.h.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <map>
#include <memory>

#include "fuzz/carrier_input.h"
#include "fuzz/carrier_oracle.h"
#include "fuzz/check.h"
#include "tests/propagation/carriers.h"

extern "C" [[gnu::weak]] std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size,
                                                      std::size_t max_size);

namespace {

using namespace tracekin;
using namespace tracekin::propagation;

const std::vector<std::string> kWritten = {"b3", "b3multi", "tracecontext", "baggage", "jaeger"};

const propagation::Propagation& Reader(const std::vector<std::string>& formats) {
  static auto* const readers =
      new std::map<std::vector<std::string>, std::unique_ptr<propagation::Propagation>>;
  std::unique_ptr<propagation::Propagation>& reader = (*readers)[formats];
  if (reader == nullptr) {
    std::string error;
    reader = propagation::Propagation::Make(kWritten, formats, &error);
  }
  return *reader;
}

// Counts the results, and prints the counts when the program ends.
struct Tally {
  std::size_t results[3] = {};

  ~Tally() {
    std::printf("carriers: %zu without a context, %zu contexts, %zu errors\n", results[0],
                results[1], results[2]);
  }
} tally;

oracle::Result ResultOf(const opentracing::expected<bool>& found) {
  if (found) return *found ? oracle::Result::kContext : oracle::Result::kNothing;
  CHECK(found.error() == opentracing::span_context_corrupted_error);
  return oracle::Result::kCorrupted;
}

propagation::Context AsContext(const oracle::Context& context) {
  propagation::Context same =
      MakeContext(context.trace_high, context.trace_low, context.span, context.parent,
                  static_cast<propagation::Decision>(context.state));
  same.random_trace_id = context.random;
  return WithExtras(same, context.baggage, context.tracestate);
}

// The document does not specify the order in which a format's keys are written.
Entries Sorted(Entries entries) {
  std::sort(entries.begin(), entries.end());
  return entries;
}

// Aborts, and shows both values, if `value` differs from `expected`.
template <class Value, class Show>
void CheckSame(const Value& value, const Value& expected, Show show) {
  if (value == expected) return;
  std::cerr << "is:      ";
  show(value);
  std::cerr << "must be: ";
  show(expected);
  CHECK(!"the oracle says otherwise");
}

void CheckOne(const CarrierInput& input) {
  TestCarrier carrier(input.headers);
  carrier.supports_lookup = input.asked;
  const propagation::Propagation& propagation = Reader(input.formats);
  propagation::Context context;
  const oracle::Result result = ResultOf(propagation.Extract(carrier, &context));
  oracle::Context expected;
  const oracle::Result expected_result =
      oracle::Read(input.formats, input.headers, input.asked, &expected);
  CheckSame(result, expected_result, [](oracle::Result shown) {
    std::cerr << "result " << static_cast<int>(shown) << '\n';
  });
  CheckSame(context, AsContext(expected),
            [](const propagation::Context& shown) { std::cerr << shown << '\n'; });

  TestCarrier written;
  CHECK(propagation.Inject(context, written));
  CheckSame(Sorted(written.entries), Sorted(oracle::Write(kWritten, expected)),
            [](const Entries& shown) {
              for (const auto& [key, value] : shown) std::cerr << key << ": " << value << '\n';
            });
  ++tally.results[static_cast<int>(result)];
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  CheckOne(ParseCarrierInput(data, size));
  return 0;
}

// Returns headers like those of peers, which changes of single bytes hardly ever produce. Every
// other input is still libFuzzer's own.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  if (LLVMFuzzerMutate != nullptr && seed % 2 != 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::string input = PrintCarrierInput(MakeCarrierInput(seed));
  const std::size_t fits = std::min(input.size(), max_size);
  std::memcpy(data, input.data(), fits);
  return fits;
}
