// SPDX-License-Identifier: Apache-2.0
// One input of the carrier fuzzer, and how a random one is made.
//
// Functions of their arguments: any thread may call them.
#ifndef TRACEKIN_FUZZ_CARRIER_INPUT_H
#define TRACEKIN_FUZZ_CARRIER_INPUT_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tracekin {

/// As text: "asked" or "iterated", the formats with commas between them, and a line "key: value"
/// for each header.
struct CarrierInput {
  bool asked = false;  // the carrier answers LookupKey
  std::vector<std::string> formats;
  std::vector<std::pair<std::string, std::string>> headers;
};

/// Takes any bytes. Formats that do not exist, or stand there twice, are left out.
CarrierInput ParseCarrierInput(const std::uint8_t* data, std::size_t size);

std::string PrintCarrierInput(const CarrierInput& input);

/// Headers that a peer could send: valid ones of some formats, of which some are then changed by a
/// little. About six in ten of the results hold a context. The same seed makes the same input.
CarrierInput MakeCarrierInput(std::uint64_t seed);

}  // namespace tracekin

#endif  // TRACEKIN_FUZZ_CARRIER_INPUT_H
