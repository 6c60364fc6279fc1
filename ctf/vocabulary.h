// SPDX-License-Identifier: Apache-2.0
// Maps the events of a trace to the kinds of the analysis, and lists the fields that it needs. The
// names are those of lttng-modules 2.13, docs/ust-events.md and docs/blkin.md.
//
// Thread-safety: the functions are pure. Any thread may call them.
#ifndef TRACEKIN_CTF_VOCABULARY_H
#define TRACEKIN_CTF_VOCABULARY_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analysis/event.h"
#include "ctf/program.h"

namespace tracekin::ctf {

/// The slots of the scratch that identify the thread that recorded an event, and the slot for the
/// integers of BlkKin.
enum ScratchSlot : std::uint8_t { kTidSlot, kPidSlot, kPidNamespaceSlot, kValueSlot };
static_assert(kValueSlot < kFirstTemporary);

/// Describes how an event is passed to the analysis. Numbers are stored in Event::number, and texts
/// in Event::text.
struct Meaning {
  analysis::Kind kind = analysis::Kind::kOther;
  std::vector<Wanted> wanted;
  int numbers = 0;  // counts of the kind's numbers and texts, which are absent by default
  int texts = 0;
  std::vector<std::pair<int, std::int64_t>> constants;
  std::vector<std::pair<int, std::string>> words;  // texts that follow from the event's name
  bool value_is_number = false;  // Blkin::kValue is the number in the scratch as decimal text
};

/// Returns the meaning of an event of the kernel or of a program. The kind of events that the
/// analysis does not know is kOther.
Meaning MeaningOf(const std::string& name, bool kernel);

/// Returns the wanted fields in the context of programs' events. The only text is the name of the
/// process.
std::vector<Wanted> ProcessContext();

}  // namespace tracekin::ctf

#endif  // TRACEKIN_CTF_VOCABULARY_H
