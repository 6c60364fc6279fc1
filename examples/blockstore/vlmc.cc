// SPDX-License-Identifier: Apache-2.0
// vlmc SEGMENT: serves the volume. Asks the mapper which objects hold a request's range, and the
// store for each of these objects.
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "extents.h"
#include "peer.h"

namespace blockstore {

class Vlmc final : public Peer {
 public:
  explicit Vlmc(const char* segment) : Peer(segment, kVlmc) {}

 private:
  // A request to the volume, kept until its last object is done.
  struct Work {
    Slot* slot;
    Trace trace;
    std::uint32_t left;
    bool ok = true;
  };

  static bool IsWrite(const Slot* slot) { return slot->request.op == Op::kWrite; }

  void Serve(Slot* slot) override {
    auto work = std::make_shared<Work>(
        Work{slot, Accept(IsWrite(slot) ? "volume write" : "volume read", *slot), 1});
    const Request& request = slot->request;
    Message map{kMapper, IsWrite(slot) ? Op::kMapWrite : Op::kMapRead, request.offset,
                request.size};
    Call(map, work->trace, [this, work](Slot* answer, bool ok) {
      work->trace.Event("receive");
      if (ok) {
        Split(work, *reinterpret_cast<const Extents*>(answer->data));
      } else {
        work->ok = false;
      }
      Done(work.get());
    });
  }

  void Split(const std::shared_ptr<Work>& work, const Extents& extents) {
    const Request& request = work->slot->request;
    work->trace.Tag("objects", extents.count);
    std::uint64_t place = request.data;
    for (std::uint32_t i = 0; i < extents.count; ++i) {
      const Extent& extent = extents.extents[i];
      if (extent.exists != 0) {
        ++work->left;
        Message object{kStore, request.op, extent.offset, extent.size, extent.object};
        object.data = place;
        Call(object, work->trace, [this, work](Slot*, bool ok) {
          work->trace.Event("receive");
          if (!ok) work->ok = false;
          Done(work.get());
        });
      } else {
        std::memset(segment().At(place), 0, extent.size);
      }
      place += extent.size;
    }
  }

  void Done(Work* work) {
    if (--work->left != 0) return;
    work->trace.End(work->ok);
    Respond(work->slot, work->ok);
  }
};

}  // namespace blockstore

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s SEGMENT\n", argv[0]);
    return 2;
  }
  blockstore::RunPeer<blockstore::Vlmc>("vlmc", argv[1]);
}
