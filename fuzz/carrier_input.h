// SPDX-License-Identifier: Apache-2.0
// An input of the carrier fuzzer, and a generator of random inputs.
//
// These are pure functions: any thread may call them.
#ifndef TRACEKIN_FUZZ_CARRIER_INPUT_H
#define TRACEKIN_FUZZ_CARRIER_INPUT_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tracekin {

/// An input. Its text form is "asked" or "iterated", the formats separated by commas, and a line
/// "key: value" for each header.
struct CarrierInput {
  bool asked = false;  // the carrier supports LookupKey
  std::vector<std::string> formats;
  std::vector<std::pair<std::string, std::string>> headers;
};

/// Parses any bytes. Omits formats that do not exist or are repeated.
CarrierInput ParseCarrierInput(const std::uint8_t* data, std::size_t size);

std::string PrintCarrierInput(const CarrierInput& input);

/// Returns headers that a peer could send: valid headers of some formats, a few of which are then
/// slightly changed. About six in ten of the results contain a context. The same seed returns the
/// same input.
CarrierInput MakeCarrierInput(std::uint64_t seed);

}  // namespace tracekin

#endif  // TRACEKIN_FUZZ_CARRIER_INPUT_H
