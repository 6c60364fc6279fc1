// SPDX-License-Identifier: Apache-2.0
// filed SEGMENT FOLDER: stores each object as a file.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "peer.h"

namespace blockstore {

class Filed final : public Peer {
 public:
  Filed(const char* segment, const char* folder) : Peer(segment, kStore) {
    folder_ = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder_ < 0) {
      std::perror(folder);
      std::exit(1);
    }
  }
  ~Filed() override { close(folder_); }

 private:
  void Serve(Slot* slot) override {
    const Request& request = slot->request;
    const bool is_write = request.op == Op::kWrite;
    Trace trace = Accept(is_write ? "object write" : "object read", *slot);
    const std::string object(segment().At(request.target), request.targetlen);
    trace.Tag("object", object.c_str());
    char* const data = segment().At(request.data);
    const auto offset = static_cast<off_t>(request.offset);
    const int file = openat(folder_, object.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    bool ok = file >= 0;
    if (ok && is_write) {
      ok = pwrite(file, data, request.size, offset) == static_cast<ssize_t>(request.size);
    } else if (ok) {
      const ssize_t read = pread(file, data, request.size, offset);
      ok = read >= 0;
      if (ok) std::memset(data + read, 0, request.size - static_cast<std::size_t>(read));
    }
    if (file >= 0) close(file);
    trace.End(ok);
    Respond(slot, ok);
  }

  int folder_;
};

}  // namespace blockstore

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s SEGMENT FOLDER\n", argv[0]);
    return 2;
  }
  blockstore::RunPeer<blockstore::Filed>("filed", argv[1], argv[2]);
}
