// SPDX-License-Identifier: Apache-2.0
// Which events of a trace mean what to the analysis, and which of their fields it wants: names are
// those of lttng-modules 2.13, docs/ust-events.md and docs/blkin.md.
//
// Thread-safety: pure functions.
#ifndef TRACEKIN_CTF_VOCABULARY_H
#define TRACEKIN_CTF_VOCABULARY_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analysis/event.h"
#include "ctf/program.h"

namespace tracekin::ctf {

/// What of the scratch says who recorded an event, and where BlkKin's integers are left.
enum ScratchSlot : std::uint8_t { kTidSlot, kPidSlot, kPidNamespaceSlot, kValueSlot };
static_assert(kValueSlot < kFirstTemporary);

/// How an event is told to the analysis. Numbers go to Event::number, texts to Event::text.
struct Meaning {
  analysis::Kind kind = analysis::Kind::kOther;
  std::vector<Wanted> wanted;
  int numbers = 0;  // how many numbers and texts the kind has; absent where nothing else is said
  int texts = 0;
  std::vector<std::pair<int, std::int64_t>> constants;
  std::vector<std::pair<int, std::string>> words;  // texts that the event's name decides
  bool value_is_number = false;  // the text Blkin::kValue is the scratch's number in decimal
};

/// For an event of the kernel, or of a program. Events that the analysis does not know are kOther.
Meaning MeaningOf(const std::string& name, bool kernel);

/// The fields of the context of programs' events; the only text is the process's name.
std::vector<Wanted> ProcessContext();

}  // namespace tracekin::ctf

#endif  // TRACEKIN_CTF_VOCABULARY_H
