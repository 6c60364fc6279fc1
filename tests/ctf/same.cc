// SPDX-License-Identifier: Apache-2.0
// Reads real traces with both readers and compares the results, event by event and in order.
//
// usage: ctf_same FOLDER...
//
// Compares each folder separately. The exit status is 1 if the results for a folder differ, or if
// it is damaged or does not contain an event.
#include <exception>
#include <iostream>

#include "tests/support/event_text.h"

int main(int argc, char** argv) {
  using tracekin::ctf::Way;
  bool same = argc > 1;
  for (int i = 1; i < argc; ++i) {
    try {
      const auto own = tracekin::testing::ReadTraces({argv[i]}, Way::kOwn);
      const auto other = tracekin::testing::ReadTraces({argv[i]}, Way::kBabeltrace2);
      std::string wrong = tracekin::testing::Difference(own, other);
      for (const std::string& damage : own.found.damage) wrong += damage + "\n";
      for (const std::string& damage : other.found.damage) wrong += damage + "\n";
      if (own.events.empty()) wrong += "no event\n";
      std::cout << argv[i] << ": " << own.events.size() << " events, "
                << (wrong.empty() ? "the same by both ways" : "and they differ") << "\n"
                << wrong;
      same = same && wrong.empty();
    } catch (const std::exception& error) {
      std::cout << argv[i] << ": " << error.what() << "\n";
      same = false;
    }
  }
  return same ? 0 : 1;
}
