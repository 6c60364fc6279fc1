// SPDX-License-Identifier: Apache-2.0
// One direction of a connection in Ceph's messenger protocol, version 1, as it passes by.
//
// What comes in goes out, in order and unchanged, but for fronts that the Observer changes; their
// lengths and checksums are mended. Nothing but a front of at most kMaxHeldFront bytes, if the Observer
// wants it, and a few dozen bytes of framing is ever held back. From the first thing on that is not
// understood, everything passes as it is.
//
// Sources: Ceph 16, src/include/msgr.h and src/msg/async/ProtocolV1.cc; the Linux kernel,
// include/linux/ceph/msgr.h. Thread-safety: none; both directions of a connection are one thread's.
#ifndef TRACEKIN_EXAMPLES_CEPH_RELAY_MESSENGER_H
#define TRACEKIN_EXAMPLES_CEPH_RELAY_MESSENGER_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

constexpr std::size_t kMaxHeldFront = 64 * 1024;

/// What a message's header says.
struct MessageHeader {
  std::uint64_t tid = 0;  // the same in a request and its reply
  std::uint16_t type = 0;
  std::uint16_t version = 0;
  std::uint32_t front_size = 0;
  std::uint32_t data_size = 0;
};

class Observer {
 public:
  virtual ~Observer() = default;

  /// Whether Front() and Passed() are to be called for this message.
  virtual bool Wants(const MessageHeader& header) = 0;
  /// The front has arrived, and may be changed. Null if it is too large to be held.
  virtual void Front(const MessageHeader& header, std::string* front) = 0;
  /// The last byte of the message goes on.
  virtual void Passed(const MessageHeader& header) = 0;
  /// There will be no more calls.
  virtual void NotUnderstood() = 0;
};

/// What the two directions must know of each other until the connection is open.
struct Handshake {
  enum Answer { kNone, kAgain, kOpen, kOpenWithSequence } answer = kNone;
  bool signs = false;  // the client authenticates with cephx, and so signs its messages
};

class MessengerStream {
 public:
  enum Side { kClient, kServer };

  /// Of what `side` sends. Borrows the others.
  MessengerStream(Side side, Handshake* handshake, Observer* observer);

  /// Appends to `out` what goes on once `bytes` have arrived.
  void Take(std::string_view bytes, std::string* out);
  /// Nothing more will arrive: appends what was held back.
  void End(std::string* out);

 private:
  using Step = void (MessengerStream::*)(const std::string& unit, std::string* out);

  // After `streamed` bytes that pass as they come, `step` gets the next `size` bytes.
  void Next(Step step, std::size_t size, std::uint64_t streamed = 0);

  void Banner(const std::string& unit, std::string* out);
  void Connect(const std::string& unit, std::string* out);
  void ConnectOrFrames(const std::string& unit, std::string* out);
  void Reply(const std::string& unit, std::string* out);
  void Tag(const std::string& unit, std::string* out);
  void Header(const std::string& unit, std::string* out);
  void Front(const std::string& unit, std::string* out);
  void Footer(const std::string& unit, std::string* out);
  void GiveUp(const std::string& unit, std::string* out);

  const Side side_;
  Handshake* const handshake_;
  Observer* const observer_;

  Step step_;
  std::size_t wanted_;
  std::uint64_t streamed_ = 0;
  std::string held_;             // less than wanted_ bytes of a unit
  std::size_t banner_size_ = 0;  // that has passed
  bool understood_ = true;

  // Of the message that is passing.
  std::string raw_header_;  // not passed on yet
  MessageHeader header_;
  std::uint64_t middle_and_data_ = 0;
  std::uint32_t crc_before_ = 0;  // of its front
  std::uint32_t crc_after_ = 0;
};

/// Ceph's check sum: CRC-32C that begins with `before` and is not inverted.
std::uint32_t CephCrc32c(std::uint32_t before, std::string_view bytes);

#endif  // TRACEKIN_EXAMPLES_CEPH_RELAY_MESSENGER_H
