// SPDX-License-Identifier: Apache-2.0
// The block device: an nbdkit plugin. Each read and write of a client begins a trace here and is
// sent to vlmc.
//
//   nbdkit -f ./blockstore.so segment=NAME size=1G
#define NBDKIT_API_VERSION 2
#include <nbdkit-plugin.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "peer.h"

namespace blockstore {

// A peer that only sends.
class Device final : public Peer {
 public:
  explicit Device(const std::string& segment) : Peer(segment, kNbd), thread_([this] { Run(); }) {}
  ~Device() override {
    Stop();
    thread_.join();
  }

  /// Blocks until the whole transfer is done.
  bool Transfer(Op op, char* buffer, std::uint64_t size, std::uint64_t offset) {
    Trace trace = Trace::Begin(op == Op::kWrite ? "write" : "read");
    trace.Tag("offset", offset);
    trace.Tag("size", size);
    Transfers transfers{(size + kMaxData - 1) / kMaxData};
    for (std::uint64_t at = 0; at < size; at += kMaxData) {
      Message message{kVlmc, op, offset + at, std::min(size - at, std::uint64_t{kMaxData})};
      char* const part = buffer + at;
      if (op == Op::kWrite) message.copied = part;
      Call(message, trace, [&transfers, &trace, op, part](Slot* answer, bool ok) {
        trace.Event("receive");
        if (ok && op == Op::kRead) std::memcpy(part, answer->data, answer->request.size);
        const std::lock_guard lock(transfers.mutex);
        if (!ok) transfers.ok = false;
        if (--transfers.left == 0) transfers.done.notify_one();
      });
    }
    std::unique_lock lock(transfers.mutex);
    transfers.done.wait(lock, [&] { return transfers.left == 0; });
    trace.End(transfers.ok);
    return transfers.ok;
  }

 private:
  struct Transfers {
    std::uint64_t left;
    bool ok = true;
    std::mutex mutex = {};
    std::condition_variable done = {};
  };

  void Serve(Slot* slot) override { Respond(slot, false); }

  std::thread thread_;
};

namespace {

std::string segment = "/blockstore";
std::int64_t device_size = 1 << 30;
std::unique_ptr<Device> device;

int Config(const char* key, const char* value) {
  if (std::strcmp(key, "segment") == 0) {
    segment = value;
  } else if (std::strcmp(key, "size") == 0) {
    device_size = nbdkit_parse_size(value);
    if (device_size < 0) return -1;
  } else {
    nbdkit_error("unknown parameter %s", key);
    return -1;
  }
  return 0;
}

// nbdkit has forked, so threads may be started from here on.
int AfterFork() {
  Trace::Open("nbd");
  device = std::make_unique<Device>(segment);
  return 0;
}

void Cleanup() {
  device.reset();
  Trace::Close();
}

int Transferred(bool ok) {
  if (ok) return 0;
  nbdkit_set_error(EIO);
  return -1;
}

int Read(void*, void* buffer, std::uint32_t count, std::uint64_t offset, std::uint32_t) {
  return Transferred(device->Transfer(Op::kRead, static_cast<char*>(buffer), count, offset));
}

int Write(void*, const void* buffer, std::uint32_t count, std::uint64_t offset, std::uint32_t) {
  char* const bytes = static_cast<char*>(const_cast<void*>(buffer));
  return Transferred(device->Transfer(Op::kWrite, bytes, count, offset));
}

nbdkit_plugin MakePlugin() {
  nbdkit_plugin plugin{};
  plugin.name = "blockstore";
  plugin.longname = "tracekin's blockstore";
  plugin.description = "a block device whose requests go through four traced processes";
  plugin.config = Config;
  plugin.config_help = "segment=NAME  shared memory of the peers\nsize=SIZE     of the device";
  plugin.after_fork = AfterFork;
  plugin.cleanup = Cleanup;
  plugin.open = [](int) -> void* { return NBDKIT_HANDLE_NOT_NEEDED; };
  plugin.get_size = [](void*) -> std::int64_t { return device_size; };
  plugin.can_multi_conn = [](void*) { return 1; };
  plugin.pread = Read;
  plugin.pwrite = Write;
  return plugin;
}

nbdkit_plugin plugin = MakePlugin();

}  // namespace
}  // namespace blockstore

#define THREAD_MODEL NBDKIT_THREAD_MODEL_PARALLEL
using blockstore::plugin;
NBDKIT_REGISTER_PLUGIN(plugin)
