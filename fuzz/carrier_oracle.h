// SPDX-License-Identifier: Apache-2.0
// A second reader and writer of text carriers, written from docs/wire-formats.md alone, to which
// the one in propagation/ is compared. It shares no code with that one and is not made to be fast:
// each rule of the document is a few lines here.
//
// Functions of their arguments: any thread may call them.
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

/// Reads `headers` as `formats`, in their order. `asked`: the carrier answers LookupKey, exactly
/// and with the first of equal keys; else it is iterated. `context` is changed only if the result
/// is kContext.
Result Read(const std::vector<std::string>& formats, const Pairs& headers, bool asked,
            Context* context);

/// What each of `formats`, in their order, writes of `context`.
Pairs Write(const std::vector<std::string>& formats, const Context& context);

}  // namespace tracekin::oracle

#endif  // TRACEKIN_FUZZ_CARRIER_ORACLE_H
