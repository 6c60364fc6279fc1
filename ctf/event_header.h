// SPDX-License-Identifier: Apache-2.0
// What stands before each event: which event it is, and the low bits of its time.
//
// Three layouts are known: LTTng's compact (5 bits of id and 27 of time in 32) and large ones (16
// and 32 bits), each with an extended form of a 32-bit id and a 64-bit time; and a plain id and
// time, as babeltrace2 writes them.
//
// Thread-safety: plain data.
#ifndef TRACEKIN_CTF_EVENT_HEADER_H
#define TRACEKIN_CTF_EVENT_HEADER_H

#include <cstdint>
#include <cstring>

#include "ctf/type.h"

namespace tracekin::ctf {

struct EventHeader {
  // An unsigned integer within 64 bits that begin at a byte.
  struct Field {
    std::uint32_t byte = 0;
    std::uint8_t shift = 0;
    std::uint64_t mask = 0;  // as many ones as the integer has bits

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
  /// Load() reads so many bytes behind the header's first, whatever the header's size.
  static constexpr std::uint32_t kReach = 40;

  Form compact;                       // the id is below `extended_id`
  Form extended;                      // the id at its beginning is `extended_id`
  std::uint64_t extended_id = ~0ULL;  // no id if there is no extended form
};

/// The layout of `type`, a struct. Throws NotUnderstood for others than those above.
EventHeader LayOutHeader(const Type& type);

/// The time after `before` whose low bits are `low` (section 8). `mask` has so many ones as there
/// are bits.
inline std::uint64_t Advance(std::uint64_t before, std::uint64_t low, std::uint64_t mask) {
  std::uint64_t time = (before & ~mask) | low;
  if (time < before) time += mask + 1;  // adds 0 if all 64 bits are there
  return time;
}

}  // namespace tracekin::ctf

#endif  // TRACEKIN_CTF_EVENT_HEADER_H
