// SPDX-License-Identifier: Apache-2.0
// The mapper's answer: the objects that hold a range of the volume. It is stored in the answer's
// buffer.
#ifndef TRACEKIN_EXAMPLES_BLOCKSTORE_EXTENTS_H
#define TRACEKIN_EXAMPLES_BLOCKSTORE_EXTENTS_H

#include <cstdint>

#include "segment.h"

namespace blockstore {

struct Extent {
  char object[kMaxTarget];  // the object's name, NUL-terminated
  std::uint64_t offset;     // offset in the object
  std::uint64_t size;
  std::uint32_t exists;  // 0 if it was never written and reads as zeros
};

struct Extents {
  std::uint32_t count;
  Extent extents[1000];
};
static_assert(sizeof(Extents) <= kMaxData);

}  // namespace blockstore

#endif  // TRACEKIN_EXAMPLES_BLOCKSTORE_EXTENTS_H
