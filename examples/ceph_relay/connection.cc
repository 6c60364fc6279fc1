// SPDX-License-Identifier: Apache-2.0
#include "connection.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

Connection::Connection(int client, int osd, int stop, MessengerStream* requests,
                       MessengerStream* replies, bool digest)
    : stop_(stop),
      digest_(digest),
      from_client_{client, osd, requests},
      from_osd_{osd, client, replies} {}

bool Connection::Read(Direction* direction) {
  char bytes[64 * 1024];
  const ssize_t size = recv(direction->from, bytes, sizeof bytes, MSG_DONTWAIT);
  if (size < 0) return errno == EAGAIN || errno == EINTR;
  const std::string_view arrived(bytes, static_cast<std::size_t>(size));
  if (size > 0) {
    direction->stream->Take(arrived, &direction->waiting);
  } else {
    direction->stream->End(&direction->waiting);
    direction->ended = true;
  }
  if (digest_) {
    direction->digests.in.Add(arrived);
    direction->digests.out.Add(direction->waiting);
  }
  return true;
}

bool Connection::Write(Direction* direction) {
  const ssize_t size =
      send(direction->to, direction->waiting.data() + direction->sent,
           direction->waiting.size() - direction->sent, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (size < 0) return errno == EAGAIN || errno == EINTR;
  direction->sent += static_cast<std::size_t>(size);
  if (direction->sent == direction->waiting.size()) {
    direction->waiting.clear();
    direction->sent = 0;
  }
  return true;
}

short Connection::Wanted(const Direction& reading, const Direction& writing) const {
  return static_cast<short>((reading.wants_to_read() ? POLLIN : 0) |
                            (writing.wants_to_write() ? POLLOUT : 0));
}

void Connection::Run() {
  for (;;) {
    for (Direction* direction : {&from_client_, &from_osd_}) {
      // Usually the other socket accepts the received bytes immediately.
      if (direction->wants_to_write() && !Write(direction)) return;
      if (direction->ended && !direction->wants_to_write() && !direction->closed) {
        shutdown(direction->to, SHUT_WR);
        direction->closed = true;
      }
    }
    if (from_client_.closed && from_osd_.closed) return;

    pollfd files[] = {{from_client_.from, Wanted(from_client_, from_osd_), 0},
                      {from_osd_.from, Wanted(from_osd_, from_client_), 0},
                      {stop_, POLLIN, 0}};
    for (pollfd& file : files) {
      if (file.events == 0)
        file.fd = -1;  // otherwise poll() would report a closed peer again and again
    }
    if (poll(files, 3, -1) < 0 && errno != EINTR) return;
    if (files[2].revents != 0) return;
    if (files[0].revents != 0 && from_client_.wants_to_read() && !Read(&from_client_)) return;
    if (files[1].revents != 0 && from_osd_.wants_to_read() && !Read(&from_osd_)) return;
  }
}
