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

/// Where the two readings differ in what both ways tell alike; empty if they do not. What is
/// damaged is not compared, because each way leaves other events out.
std::string Difference(const Reading& one, const Reading& other);

}  // namespace tracekin::testing

#endif  // TRACEKIN_TESTS_SUPPORT_EVENT_TEXT_H
