// SPDX-License-Identifier: Apache-2.0
#include "tools/record/watch.h"

#include <algorithm>

#include "base/terminal.h"

namespace tracekin::record {

namespace {

constexpr std::chrono::milliseconds kLongestInterval{2000};
constexpr std::size_t kMostWatched = 1000;
constexpr std::size_t kMostTold = 5;

// Keeps what was seen earlier, because the memory of a process is gone before its end is noticed.
// Updates it if a process loads the tracer late.
void Merge(const tools::Process& now, tools::Process* seen) {
  if (seen->traced() && !now.traced()) return;
  if (seen->provider && !now.provider) return;
  *seen = now;
}

}  // namespace

void Watch::Look(pid_t command) {
  commanded_ = commanded_ || command != 0;
  if (emits_) return;
  interval_ = std::min(2 * interval_, kLongestInterval);
  std::vector<tools::Process> found;
  if (command != 0) found = tools::LookAtTree(command);
  for (const pid_t pid : pids_) {
    if (const auto process = tools::LookAt(pid)) found.push_back(*process);
  }
  for (const tools::Process& process : found) {
    emits_ = emits_ || process.provider;
    if (seen_.size() < kMostWatched)
      Merge(process, &seen_.emplace(process.pid, process).first->second);
  }
}

std::string Watch::WhyNoSpans() const {
  std::vector<tools::Process> told;
  if (!commanded_ && pids_.empty()) told = tools::TracedProcesses();
  for (const auto& [pid, process] : seen_) {
    if (process.traced()) told.push_back(process);
  }
  if (told.empty() && !seen_.empty()) told.push_back(seen_.begin()->second);
  std::string text = "No spans were recorded";
  if (told.empty()) {
    text += commanded_ ? ": the command ended before it could be examined.\n"
                       : ": no program that has tracekin is running.\n";
  } else {
    text += ":\n";
  }
  for (std::size_t i = 0; i < told.size() && i < kMostTold; ++i) {
    const std::string reason = tools::WhyNoEvents(told[i]);
    text += "  " + ForTerminal(told[i].name) + " (" + std::to_string(told[i].pid) + ") " +
            (reason.empty() ? "emits events, but had no spans in that time" : reason) + '\n';
  }
  if (told.size() > kMostTold) {
    text += "  and " + std::to_string(told.size() - kMostTold) + " more processes\n";
  }
  return text + "`tracekin doctor` looks for the reason.\n";
}

}  // namespace tracekin::record
