// SPDX-License-Identifier: Apache-2.0
// Reads the header of each event, which contains the event's id and the low bits of its time.
//
// Supports three layouts. LTTng has a compact one (5 bits of id and 27 bits of time in 32 bits) and
// a large one (16 and 32 bits). Both have an extended form with a 32-bit id and a 64-bit time. The
// third layout, which babeltrace2 writes, is a plain id and a plain time.
//
// Thread-safety: plain data.
#ifndef TRACEKIN_CTF_EVENT_HEADER_H
#define TRACEKIN_CTF_EVENT_HEADER_H

#include <cstdint>
#include <cstring>

#include "ctf/type.h"

namespace tracekin::ctf {

struct EventHeader {
  // An unsigned integer within the 64 bits after a byte boundary.
  struct Field {
    std::uint32_t byte = 0;
    std::uint8_t shift = 0;
    std::uint64_t mask = 0;  // has as many ones as the integer has bits

    std::uint64_t Load(const std::uint8_t* header) const {
      std::uint64_t word;
      std::memcpy(&word, header + byte, sizeof word);
      return word >> shift & mask;
    }
  };
  struct Form {
    Field id;
    Field time;
    std::uint32_t bytes = 0;
  };
  /// Load() may read this many bytes from the beginning of the header, regardless of its size.
  static constexpr std::uint32_t kReach = 40;

  Form compact;                       // the id is below `extended_id`
  Form extended;                      // the id at its beginning is `extended_id`
  std::uint64_t extended_id = ~0ULL;  // no id if there is no extended form
};

/// Returns the layout of the struct `type`. Throws NotUnderstood if it is not one of those above.
EventHeader LayOutHeader(const Type& type);

/// Returns the first time at or after `before` whose low bits are `low` (section 8). `mask` has as
/// many ones as there are low bits.
inline std::uint64_t Advance(std::uint64_t before, std::uint64_t low, std::uint64_t mask) {
  std::uint64_t time = (before & ~mask) | low;
  if (time < before) time += mask + 1;  // adds 0 if `low` has 64 bits
  return time;
}

}  // namespace tracekin::ctf

#endif  // TRACEKIN_CTF_EVENT_HEADER_H
