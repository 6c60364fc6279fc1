// SPDX-License-Identifier: Apache-2.0
// Reads clocks without system calls and as rarely as possible.
//
// A span's times come from the steady clock. Its wall-clock start is derived by an offset that each
// thread measures again once per second, because reading a second clock for each span would cost 21
// ns. After a step of the wall clock, a thread's new spans follow within that second.
#ifndef TRACEKIN_BASE_CLOCK_H
#define TRACEKIN_BASE_CLOCK_H

#include <time.h>

#include <chrono>
#include <cstdint>
#include <limits>

#include "base/thread_state.h"

namespace tracekin {

/// Returns the ns of CLOCK_MONOTONIC, which is std::chrono::steady_clock here.
inline std::int64_t SteadyNow() noexcept {
  return std::chrono::steady_clock::now().time_since_epoch().count();
}

/// Returns the same clock at the last timer tick, up to a few ms earlier. Costs 3 ns instead of 21.
inline std::int64_t CoarseSteadyNow() noexcept {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

inline std::int64_t SystemNow() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

constexpr std::int64_t Nanoseconds(std::chrono::nanoseconds duration) { return duration.count(); }

/// Returns later - earlier for any values that an application may pass. Clamps the result on
/// overflow.
inline std::int64_t Difference(std::int64_t later, std::int64_t earlier) noexcept {
  std::int64_t difference;
  if (!__builtin_sub_overflow(later, earlier, &difference)) return difference;
  return earlier < 0 ? std::numeric_limits<std::int64_t>::max()
                     : std::numeric_limits<std::int64_t>::min();
}

/// Returns the offset from a steady time near `steady_now` to ns since the Unix epoch.
inline std::int64_t WallOffset(ThreadState& state, std::int64_t steady_now) noexcept {
  constexpr std::int64_t kMaxAge = 1'000'000'000;
  if (__builtin_expect(steady_now - state.wall_offset_at > kMaxAge || state.wall_offset == 0, 0)) {
    state.wall_offset_at = SteadyNow();
    state.wall_offset = SystemNow() - state.wall_offset_at;
  }
  return state.wall_offset;
}

}  // namespace tracekin

#endif  // TRACEKIN_BASE_CLOCK_H
