// SPDX-License-Identifier: Apache-2.0
// Fuzzes the whole public API on several threads: tracers, spans, contexts, carriers, Scopes and
// BlkKin's API.
//
// The first byte specifies the number of threads. They divide the other bytes, which decide what
// each of them does (fuzz/api/choices.h). api_random.cc uses random decisions instead, and forks.
#include <algorithm>
#include <vector>

#include "fuzz/api/round.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tracekin;
  constexpr std::uint64_t kCalls = 10'000;
  Input input(data, size);
  const std::size_t threads = 1 + input.Take<std::uint8_t>() % 3;
  const std::size_t share = input.rest().size() / threads;
  std::vector<Choices> choices;
  for (std::size_t i = 0; i < threads; ++i) {
    const std::string_view bytes = input.TakeBytes(share);
    choices.emplace_back(Input(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
  }
  RunRound(choices, kCalls, {});
  return 0;
}
