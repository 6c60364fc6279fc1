// SPDX-License-Identifier: Apache-2.0
// Reads the events of one stream (one CPU's buffer of one trace) in the order of time.
//
// A stream is a list of packets. They may be in several files, such as trace files that LTTng
// rotated, or the chunks of an archive. The bytes are read in windows, so that memory is limited by
// the largest event and not by the packets.
//
// Damaged data is omitted and reported: the rest of a packet after an invalid event, the rest of a
// file that has become shorter, and events whose time decreases.
//
// Thread-safety: one thread at a time.
#ifndef TRACEKIN_CTF_STREAM_READER_H
#define TRACEKIN_CTF_STREAM_READER_H

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/event.h"
#include "ctf/input_file.h"
#include "ctf/layout.h"
#include "ctf/packet.h"

namespace tracekin::ctf {

/// A file of a trace and its layout, which must outlive the readers.
struct TraceFile {
  std::string path;
  const TraceLayout* layout = nullptr;
  std::size_t trace = 0;  // an index that the caller chooses
};

/// The results of reading a stream besides its events.
struct StreamNotes {
  std::int64_t discarded = 0;          // discarded events between the packets; a signed sum
  std::uint64_t discarded_before = 0;  // discarded events before the first packet
  std::uint64_t lost_packets = 0;
  std::vector<std::string> damage;  // one message per place, with its file and offset
  std::uint64_t left_out = 0;       // omitted events whose time decreases
};

/// Counts the events by trace, stream class and event id.
struct EventCounts {
  std::size_t trace = 0;
  const StreamLayout* stream = nullptr;
  std::vector<std::uint64_t> by_id;
};

/// Limits the resources for reading a stream. The files of many streams cannot all be open at the
/// same time.
struct StreamLimits {
  std::size_t window_bytes = 128U << 10U;  // grows if an event is larger
  bool keeps_file_open = true;
};

class StreamReader {
 public:
  struct Part {
    const TraceFile* file;
    Packet packet;
  };

  /// `parts` must be in the order of time. `host` is stored in the events.
  StreamReader(std::vector<Part> parts, std::uint16_t host, const StreamLimits& limits = {});

  /// Advances to the next event that the analysis knows. Returns false at the end.
  bool Next();

  /// Returns the event that Next() found, which is valid until the next call.
  const analysis::Event& event() const { return event_; }
  std::uint64_t cycles() const { return event_.cycles; }

  /// Return the size in bytes of all packets, and of the packets that were read.
  std::uint64_t bytes() const;
  std::uint64_t bytes_read() const { return bytes_read_; }

  const StreamNotes& notes() const { return notes_; }
  const std::vector<EventCounts>& counts() const { return counts_; }

 private:
  enum class Step { kTold, kPassedOver, kNeedsBytes, kDamage };

  bool NextPacket();
  void OpenPart();
  bool TellDiscarded(const Packet* before);
  void CountFor(const TraceFile& file);
  Step Decode();
  Step DecodeFields(const EventLayout& layout, const std::uint8_t* at);
  void Prepare(const EventLayout& layout);
  Step Tell(const EventLayout& layout);
  bool Refill();
  std::size_t ReadFile(std::uint64_t offset, std::size_t size);
  void Note(const std::string& what);
  void Damage(const std::string& what);
  std::uint64_t Offset() const;

  const std::vector<Part> parts_;
  const StreamLimits limits_;
  std::size_t next_part_ = 0;
  std::uint64_t bytes_read_ = 0;  // size of the parts before the open one

  // The open part.
  const TraceFile* open_ = nullptr;
  std::unique_ptr<InputFile> file_;  // the file of the open part, or null
  const StreamLayout* stream_ = nullptr;
  std::vector<std::uint64_t>* by_id_ = nullptr;
  std::uint64_t packet_ = 0;   // file offset of the packet
  std::uint64_t content_ = 0;  // file offset of the end of its events

  // The bytes in memory, which begin at the file offset `window_`.
  std::vector<std::uint8_t> buffer_;
  std::uint64_t window_ = 0;
  const std::uint8_t* at_ = nullptr;
  const std::uint8_t* limit_ = nullptr;

  std::uint64_t clock_ = 0;
  std::uint64_t last_ = 0;  // the time of the last event, including ignored ones
  Values values_;
  analysis::Event event_;
  std::string number_text_;
  StreamNotes notes_;
  std::vector<EventCounts> counts_;
};

}  // namespace tracekin::ctf

#endif  // TRACEKIN_CTF_STREAM_READER_H
