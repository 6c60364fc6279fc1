// SPDX-License-Identifier: Apache-2.0
// What both ways of reading say alike about clocks, hosts and what is missing.
//
// Thread-safety: the functions only access their arguments.
#ifndef TRACEKIN_CTF_HOSTS_H
#define TRACEKIN_CTF_HOSTS_H

#include <cstdint>
#include <string>

#include "ctf/source.h"

namespace tracekin::ctf {

/// Returns the time of cycle 0 of a clock with these offsets (section 8), in ns since the Unix
/// epoch.
std::int64_t ClockOffset(std::int64_t seconds, std::int64_t cycles, std::uint64_t frequency);

/// Sets the host of `trace`: the host whose clock has this UUID, or a new host.
void AddToHosts(const std::string& clock_uuid, Trace* trace, Found* found);

/// Adds to a sum of discarded events. It wraps, because damaged packets may count anything.
void AddDiscarded(std::int64_t count, std::int64_t* sum);

/// Makes `event` say that events were discarded between two clock values, on the CPU that it names
/// already. `begin` may be absent. The number is absent if `count` is 0: it is not known, or whole
/// packets were overwritten.
void SetDiscarded(std::uint64_t cycles, std::int64_t begin, std::int64_t count, bool kernel,
                  analysis::Event* event);

/// The note about `count` events that step back in time.
std::string LeftOut(const Trace& trace, std::uint64_t count);

}  // namespace tracekin::ctf

#endif  // TRACEKIN_CTF_HOSTS_H
