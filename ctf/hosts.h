// SPDX-License-Identifier: Apache-2.0
// Functions for clocks, hosts and missing data that both readers share, so that their results
// agree.
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

/// Adds to a sum of discarded events. The sum wraps around on overflow, because damaged packets may
/// contain any count.
void AddDiscarded(std::int64_t count, std::int64_t* sum);

/// Turns `event`, whose CPU is already set, into a report that events were discarded between two
/// clock values. `begin` may be absent. A `count` of 0 means that the number is unknown or that
/// whole packets were overwritten, and is stored as absent.
void SetDiscarded(std::uint64_t cycles, std::int64_t begin, std::int64_t count, bool kernel,
                  analysis::Event* event);

/// Returns the note about `count` events that were omitted because their time decreases.
std::string LeftOut(const Trace& trace, std::uint64_t count);

}  // namespace tracekin::ctf

#endif  // TRACEKIN_CTF_HOSTS_H
