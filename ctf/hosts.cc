// SPDX-License-Identifier: Apache-2.0
#include "ctf/hosts.h"

#include <algorithm>

namespace tracekin::ctf {

std::int64_t ClockOffset(std::int64_t seconds, std::int64_t cycles, std::uint64_t frequency) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  // Uses 128 bits so that the product does not overflow. If the metadata's values exceed 64 bits,
  // the result wraps around.
  const __int128 offset =
      static_cast<__int128>(seconds) * kSecond +
      static_cast<__int128>(cycles) * kSecond / static_cast<__int128>(frequency);
  return static_cast<std::int64_t>(offset);
}

void AddToHosts(const std::string& clock_uuid, Trace* trace, Found* found) {
  auto host = std::find_if(found->hosts.begin(), found->hosts.end(), [&](const Host& each) {
    return !clock_uuid.empty() && each.clock_uuid == clock_uuid;
  });
  if (host == found->hosts.end()) {
    found->hosts.push_back({clock_uuid, trace->hostname, trace->clock});
    host = found->hosts.end() - 1;
  }
  if (trace->kernel) host->clock = trace->clock;
  if (host->hostname.empty()) host->hostname = trace->hostname;
  trace->host = static_cast<std::uint16_t>(host - found->hosts.begin());
}

void AddDiscarded(std::int64_t count, std::int64_t* sum) {
  *sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(*sum) +
                                   static_cast<std::uint64_t>(count));
}

void SetDiscarded(std::uint64_t cycles, std::int64_t begin, std::int64_t count, bool kernel,
                  analysis::Event* event) {
  using Number = analysis::Discarded;
  event->kind = analysis::Kind::kDiscarded;
  event->cycles = cycles;
  event->number[Number::kEvents] = count == 0 ? analysis::kAbsent : count;
  event->number[Number::kBegin] = begin;
  event->number[Number::kFromKernel] = kernel ? 1 : 0;
  event->tid = event->pid = -1;
  event->pid_namespace = 0;
  event->process = {};
}

std::string LeftOut(const Trace& trace, std::uint64_t count) {
  return trace.folder + ": " + std::to_string(count) +
         " events of a stream step back in time and are left out";
}

}  // namespace tracekin::ctf
