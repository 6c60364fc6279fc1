// SPDX-License-Identifier: Apache-2.0
// mapper SEGMENT MAP-FILE OBJECT-SIZE: maps each block of the volume to an object.
//
// The first write to a block allocates its object. The map file has one line for each object, which
// is on disk before the write continues. A mapper that is killed and restarted therefore knows
// every object that was acknowledged.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <unordered_set>

#include "extents.h"
#include "peer.h"

namespace blockstore {

class Mapper final : public Peer {
 public:
  Mapper(const char* segment, const char* map, std::uint64_t object_size)
      : Peer(segment, kMapper), object_size_(object_size) {
    std::ifstream known(map);
    for (std::string line; std::getline(known, line) && !known.eof();) {  // skips a torn last line
      allocated_.insert(std::strtoull(line.c_str(), nullptr, 16));
    }
    map_ = open(map, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (map_ < 0) {
      std::perror(map);
      std::exit(1);
    }
  }
  ~Mapper() override { close(map_); }

 private:
  void Serve(Slot* slot) override {
    Trace trace = Accept("map", *slot);
    const Request& request = slot->request;
    auto* const answer = reinterpret_cast<Extents*>(slot->data);
    answer->count = 0;
    bool ok = true;
    const std::uint64_t end = request.offset + request.size;
    for (std::uint64_t at = request.offset; at < end && ok;) {
      const std::uint64_t index = at / object_size_;
      const std::uint64_t next = std::min(end, (index + 1) * object_size_);
      if (request.op == Op::kMapWrite) ok = Allocate(index, trace);
      Extent& extent = answer->extents[answer->count++];
      std::snprintf(extent.object, sizeof extent.object, "block.%012" PRIx64, index);
      extent.offset = at % object_size_;
      extent.size = next - at;
      extent.exists = allocated_.count(index) != 0;
      at = next;
    }
    trace.Event("mapped");
    trace.End(ok);
    Respond(slot, ok);
  }

  bool Allocate(std::uint64_t index, const Trace& trace) {
    if (allocated_.count(index) != 0) return true;
    // A line of a killed mapper may lack its newline, so this line begins with one. Empty lines do
    // no harm.
    char line[32];
    const int size = std::snprintf(line, sizeof line, "\n%" PRIx64 "\n", index);
    if (write(map_, line, static_cast<std::size_t>(size)) != size || fdatasync(map_) != 0) {
      return false;
    }
    allocated_.insert(index);
    trace.Event("allocated");
    return true;
  }

  const std::uint64_t object_size_;
  std::unordered_set<std::uint64_t> allocated_;
  int map_;
};

}  // namespace blockstore

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: %s SEGMENT MAP-FILE OBJECT-SIZE\n", argv[0]);
    return 2;
  }
  blockstore::RunPeer<blockstore::Mapper>("mapper", argv[1], argv[2],
                                          std::strtoull(argv[3], nullptr, 10));
}
