// SPDX-License-Identifier: Apache-2.0
// Reads and merges traces and does nothing with the events; prints how many there were in all.
//
// usage: trace_read own|babeltrace2 FOLDER
#include <exception>
#include <iostream>
#include <string>

#include "ctf/source.h"

int main(int argc, char** argv) {
  using tracekin::ctf::Way;
  const std::string way = argc == 3 ? argv[1] : "";
  if (way != "own" && way != "babeltrace2") {
    std::cerr << "usage: trace_read own|babeltrace2 FOLDER\n";
    return 2;
  }
  try {
    const auto source =
        tracekin::ctf::Open({argv[2]}, way == "own" ? Way::kOwn : Way::kBabeltrace2);
    std::uint64_t told = 0;
    source->Read([&](const tracekin::analysis::Event&) { ++told; });
    std::uint64_t count = 0;
    for (const auto& trace : source->found().traces) {
      for (const auto& [name, events] : trace.events) count += events;
    }
    std::cout << count << " " << told << "\n";
  } catch (const std::exception& error) {
    std::cerr << "trace_read: " << error.what() << "\n";
    return 1;
  }
}
