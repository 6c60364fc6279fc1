// SPDX-License-Identifier: Apache-2.0
// Formats the events of traces as lines of text, and compares the results of two readers.
#ifndef TRACEKIN_TESTS_SUPPORT_EVENT_TEXT_H
#define TRACEKIN_TESTS_SUPPORT_EVENT_TEXT_H

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/event.h"
#include "ctf/source.h"

namespace tracekin::testing {

/// Returns one line with the whole event: its time, kind, host and CPU, the thread that recorded
/// it, its numbers and its texts. Writes "-" for an absent number.
std::string EventText(const analysis::Event& event);

/// The result of reading a trace.
struct Reading {
  std::vector<std::string> events;  // lines, in order
  ctf::Found found;
};

/// Reads the traces in `folders`. Throws the same as ctf::Open and Source::Read.
Reading ReadTraces(const std::vector<std::string>& folders, ctf::Way way);

/// Returns the first difference between the two readings, or "" if they agree. Compares only data
/// that both readers report in the same way. Does not compare damaged data, because the readers
/// omit different events.
std::string Difference(const Reading& one, const Reading& other);

}  // namespace tracekin::testing

#endif  // TRACEKIN_TESTS_SUPPORT_EVENT_TEXT_H
