// SPDX-License-Identifier: Apache-2.0
// radosd SEGMENT CEPH-CONF POOL: stores each object in a Ceph pool.
//
// BLOCKSTORE_EXTRA_EVENTS=N in the environment adds N events to each of its spans, to measure the
// cost of many events: BlkKin had 113 per IO, most of them inside Ceph.
#include <rados/librados.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "peer.h"

namespace blockstore {

class Radosd final : public Peer {
 public:
  Radosd(const char* segment, const char* conf, const char* pool) : Peer(segment, kStore) {
    if (rados_create(&cluster_, nullptr) != 0 || rados_conf_read_file(cluster_, conf) != 0 ||
        rados_connect(cluster_) != 0 || rados_ioctx_create(cluster_, pool, &pool_) != 0) {
      std::fprintf(stderr, "radosd: no pool %s at %s\n", pool, conf);
      std::exit(1);
    }
    const char* const extra = std::getenv("BLOCKSTORE_EXTRA_EVENTS");
    if (extra != nullptr) extra_events_ = std::atoi(extra);
  }
  ~Radosd() override {
    rados_aio_flush(pool_);
    rados_ioctx_destroy(pool_);
    rados_shutdown(cluster_);
  }

 private:
  struct Work {
    Radosd* radosd;
    Slot* slot;
    Trace trace;
  };

  void Serve(Slot* slot) override {
    const Request& request = slot->request;
    const bool is_write = request.op == Op::kWrite;
    auto work = std::make_unique<Work>(
        Work{this, slot, Accept(is_write ? "object write" : "object read", *slot)});
    const std::string object(segment().At(request.target), request.targetlen);
    work->trace.Tag("object", object.c_str());
    char* const data = segment().At(request.data);
    rados_completion_t completion;
    rados_aio_create_completion2(work.get(), Completed, &completion);
    const int result =
        is_write
            ? rados_aio_write(pool_, object.c_str(), completion, data, request.size, request.offset)
            : rados_aio_read(pool_, object.c_str(), completion, data, request.size, request.offset);
    if (result == 0) {
      work.release();
    } else {
      work->trace.End(false);
      Respond(slot, false);
    }
    rados_aio_release(completion);
  }

  // Runs on one of librados's threads. Bytes that were never written read as zeros.
  static void Completed(rados_completion_t completion, void* argument) {
    const std::unique_ptr<Work> work(static_cast<Work*>(argument));
    const Request& request = work->slot->request;
    int result = rados_aio_get_return_value(completion);
    if (request.op == Op::kRead) {
      if (result == -ENOENT) result = 0;
      if (result >= 0) {
        const auto read = static_cast<std::size_t>(result);
        std::memset(work->radosd->segment().At(request.data) + read, 0, request.size - read);
      }
    }
    for (int i = 0; i < work->radosd->extra_events_; ++i) work->trace.Event("osd event");
    work->trace.End(result >= 0);
    work->radosd->Respond(work->slot, result >= 0);
  }

  rados_t cluster_;
  rados_ioctx_t pool_;
  int extra_events_ = 0;
};

}  // namespace blockstore

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: %s SEGMENT CEPH-CONF POOL\n", argv[0]);
    return 2;
  }
  blockstore::RunPeer<blockstore::Radosd>("radosd", argv[1], argv[2], argv[3]);
}
