// SPDX-License-Identifier: Apache-2.0
// A second reader and writer of text carriers, with which the one in propagation/ is compared. It
// was written from docs/wire-formats.md alone and shares no code with propagation/. It is not
// optimised: each rule of the document is a few lines here.
//
// These are pure functions: any thread may call them.
#ifndef TRACEKIN_FUZZ_CARRIER_ORACLE_H
#define TRACEKIN_FUZZ_CARRIER_ORACLE_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tracekin::oracle {

using Pairs = std::vector<std::pair<std::string, std::string>>;

enum class State { kDeferred, kDeny, kAccept, kDebug };

struct Context {
  std::uint64_t trace_high = 0;
  std::uint64_t trace_low = 0;
  std::uint64_t span = 0;
  std::uint64_t parent = 0;
  State state = State::kDeferred;
  bool random = false;
  Pairs baggage;
  std::string tracestate;
};

enum class Result { kNothing, kContext, kCorrupted };

/// Reads `headers` in each of `formats`, in their order. If `asked`, the carrier supports
/// LookupKey, which compares exactly and returns the first of equal keys; otherwise it is iterated.
/// `context` is changed only if the result is kContext.
Result Read(const std::vector<std::string>& formats, const Pairs& headers, bool asked,
            Context* context);

/// Returns the headers that each of `formats`, in their order, writes for `context`.
Pairs Write(const std::vector<std::string>& formats, const Context& context);

}  // namespace tracekin::oracle

#endif  // TRACEKIN_FUZZ_CARRIER_ORACLE_H
