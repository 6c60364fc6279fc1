// SPDX-License-Identifier: Apache-2.0
// The events of traces as lines of text, and what two ways of reading them have in common.
#ifndef TRACEKIN_TESTS_SUPPORT_EVENT_TEXT_H
#define TRACEKIN_TESTS_SUPPORT_EVENT_TEXT_H

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/event.h"
#include "ctf/source.h"

namespace tracekin::testing {

/// One line with all that the event has: its time, kind, host and CPU, who recorded it, numbers and
/// texts. A number that is absent is "-".
std::string EventText(const analysis::Event& event);

/// What a trace was read as.
struct Reading {
  std::vector<std::string> events;  // lines, in order
  ctf::Found found;
};

/// Throws what ctf::Open and Source::Read throw.
Reading ReadTraces(const std::vector<std::string>& folders, ctf::Way way);

/// Where the two readings differ in what both ways tell alike; empty if they do not. What is
/// damaged is not compared, because each way leaves other events out.
std::string Difference(const Reading& one, const Reading& other);

}  // namespace tracekin::testing

#endif  // TRACEKIN_TESTS_SUPPORT_EVENT_TEXT_H
