// SPDX-License-Identifier: Apache-2.0
// A client's connection and the relay's connection to the OSD for it.
#ifndef TRACEKIN_EXAMPLES_CEPH_RELAY_CONNECTION_H
#define TRACEKIN_EXAMPLES_CEPH_RELAY_CONNECTION_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "messenger.h"

/// The number and a hash (FNV-1a, 64 bits) of the bytes that passed a point. If two are equal, the
/// same bytes passed.
struct Digest {
  std::uint64_t bytes = 0;
  std::uint64_t hash = 0xcbf29ce484222325;

  void Add(std::string_view more) {
    bytes += more.size();
    for (const char c : more) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
};

/// Relays between two connected sockets until both ends have closed, one of them fails, or `stop`
/// becomes readable. Holds less than 256 KiB for each direction, so a slow receiver slows its
/// sender down.
class Connection {
 public:
  /// Borrows the sockets. `digest` specifies whether the bytes of both directions are hashed.
  Connection(int client, int osd, int stop, MessengerStream* requests, MessengerStream* replies,
             bool digest);

  void Run();

  /// Digests of the bytes that arrived from one side and of those that were forwarded.
  struct Digests {
    Digest in, out;
  };
  const Digests& from_client() const { return from_client_.digests; }
  const Digests& from_osd() const { return from_osd_.digests; }

 private:
  struct Direction {
    int from, to;
    MessengerStream* stream;
    std::string waiting{};  // bytes that were not sent yet
    std::size_t sent = 0;   // number of these bytes that were sent
    bool ended = false;     // true if no more bytes will arrive
    bool closed = false;    // true if all bytes have been sent as well
    Digests digests{};

    bool wants_to_read() const { return !ended && waiting.empty(); }
    bool wants_to_write() const { return !waiting.empty(); }
  };

  bool Read(Direction* direction);
  bool Write(Direction* direction);
  short Wanted(const Direction& reading, const Direction& writing) const;

  const int stop_;
  const bool digest_;
  Direction from_client_;
  Direction from_osd_;
};

#endif  // TRACEKIN_EXAMPLES_CEPH_RELAY_CONNECTION_H
