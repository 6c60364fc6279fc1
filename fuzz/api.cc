// SPDX-License-Identifier: Apache-2.0
// The whole public API: tracers, spans, contexts, carriers, Scopes and BlkKin's API, on several
// threads.
//
// The first byte says how many threads there are; they share out the rest, which decides what each
// of them does (fuzz/api/choices.h). api_random.cc takes random decisions instead, and forks.
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
