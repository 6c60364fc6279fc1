// SPDX-License-Identifier: Apache-2.0
// One direction of a connection in Ceph's messenger protocol, version 1.
//
// All input is passed on in order and unchanged, except fronts that the Observer changes; their
// lengths and checksums are corrected. The stream holds back at most a few dozen bytes of framing
// and, if the Observer wants it, a front of at most kMaxHeldFront bytes. After the first input that
// it does not understand, it passes everything unchanged.
//
// Sources: Ceph 16, src/include/msgr.h and src/msg/async/ProtocolV1.cc; the Linux kernel,
// include/linux/ceph/msgr.h. Thread-safety: none; one thread serves both directions of a
// connection.
#ifndef TRACEKIN_EXAMPLES_CEPH_RELAY_MESSENGER_H
#define TRACEKIN_EXAMPLES_CEPH_RELAY_MESSENGER_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

constexpr std::size_t kMaxHeldFront = 64 * 1024;

/// The fields of a message's header.
struct MessageHeader {
  std::uint64_t tid = 0;  // transaction id, the same in a request and its reply
  std::uint16_t type = 0;
  std::uint16_t version = 0;
  std::uint32_t front_size = 0;
  std::uint32_t data_size = 0;
};

class Observer {
 public:
  virtual ~Observer() = default;

  /// Returns whether to call Front() and Passed() for this message.
  virtual bool Wants(const MessageHeader& header) = 0;
  /// Called when the front has arrived; may change it. `front` is null if it is too large to be
  /// held.
  virtual void Front(const MessageHeader& header, std::string* front) = 0;
  /// Called when the last byte of the message is passed on.
  virtual void Passed(const MessageHeader& header) = 0;
  /// Called when the stream stops parsing; there are no more calls.
  virtual void NotUnderstood() = 0;
};

/// State that the two directions share until the connection is open.
struct Handshake {
  enum Answer { kNone, kAgain, kOpen, kOpenWithSequence } answer = kNone;
  bool signs = false;  // the client authenticates with cephx and therefore signs its messages
};

class MessengerStream {
 public:
  enum Side { kClient, kServer };

  /// Parses what `side` sends. Borrows the other arguments.
  MessengerStream(Side side, Handshake* handshake, Observer* observer);

  /// Appends to `out` the bytes that can be passed on once `bytes` have arrived.
  void Take(std::string_view bytes, std::string* out);
  /// Ends the input: appends the bytes that were held back.
  void End(std::string* out);

 private:
  using Step = void (MessengerStream::*)(const std::string& unit, std::string* out);

  // Passes `streamed` bytes on, then calls `step` with the next `size` bytes.
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
  std::size_t banner_size_ = 0;  // number of bytes of the banner that have passed
  bool understood_ = true;

  // The message that is passing.
  std::string raw_header_;  // a header that was not passed on yet
  MessageHeader header_;
  std::uint64_t middle_and_data_ = 0;
  std::uint32_t crc_before_ = 0;  // checksum of its front as it arrived
  std::uint32_t crc_after_ = 0;
};

/// Returns Ceph's checksum: CRC-32C, starting from `before`, without the final inversion.
std::uint32_t CephCrc32c(std::uint32_t before, std::string_view bytes);

#endif  // TRACEKIN_EXAMPLES_CEPH_RELAY_MESSENGER_H
