// SPDX-License-Identifier: Apache-2.0
#include "ctf/source.h"

#include "ctf/babeltrace_source.h"
#include "ctf/error.h"
#include "ctf/folders.h"
#include "ctf/own_source.h"

namespace tracekin::ctf {

std::unique_ptr<Source> Open(const std::vector<std::string>& folders, Way way) {
  const std::vector<std::string> traces = FindTraces(folders);
  if (traces.empty()) {
    throw ReadError("there is no trace in " + (folders.empty() ? "no folder" : folders.front()));
  }
  if (way == Way::kBabeltrace2) return OpenBabeltrace2(traces, "it was asked for");
  try {
    return OpenOwn(traces);
  } catch (const NotUnderstood& error) {
    if (way == Way::kOwn) throw;
    return OpenBabeltrace2(traces, error.what());
  }
}

}  // namespace tracekin::ctf
