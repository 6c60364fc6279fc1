// SPDX-License-Identifier: Apache-2.0
// Reads the events of one stream with libbabeltrace2. The counterpart of StreamReader.
//
// Thread-safety: one thread at a time.
#ifndef TRACEKIN_CTF_BABELTRACE_STREAM_H
#define TRACEKIN_CTF_BABELTRACE_STREAM_H

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>

#include "analysis/event.h"
#include "ctf/babeltrace.h"
#include "ctf/babeltrace_fields.h"
#include "ctf/source.h"
#include "ctf/vocabulary.h"

namespace tracekin::ctf {

class BabeltraceStream {
 public:
  /// Reads from `messages`. Stores the stream's information about its trace in
  /// `found->traces[trace]` if `is_first` is set, and adds missing and damaged data to `found`.
  /// Both must outlive the stream.
  BabeltraceStream(IteratorOwner messages, std::size_t trace, bool is_first, Found* found);
  ~BabeltraceStream();
  BabeltraceStream(const BabeltraceStream&) = delete;
  BabeltraceStream& operator=(const BabeltraceStream&) = delete;

  /// Reads the stream's information about its trace. Call this once, before Next(). Throws
  /// ReadError if the stream does not have a clock.
  void Begin();

  /// Advances to the next event that the analysis knows. Returns false at the end. An error of
  /// libbabeltrace2 ends the stream and is reported as damage.
  bool Next();

  const analysis::Event& event() const { return event_; }
  std::uint64_t cycles() const { return event_.cycles; }

  /// Adds the counts to `found`. Call this once, at the end.
  void Finish();

 private:
  struct EventClass {
    Meaning meaning;
    BabeltraceFields fields;
    std::string name;
    std::uint64_t count = 0;
  };

  bool NextMessage();
  bool Take(const bt_message* message);
  void Describe(const bt_stream* stream);
  void AddDiscarded(const bt_message* message);
  void AddLostPackets(const bt_message* message);
  bool BeginPacket(const bt_message* message);
  bool TakeEvent(const bt_message* message);
  void Tell(const bt_event* event, EventClass* known);
  EventClass* ClassOf(const bt_event* event);
  Trace& trace() { return found_->traces[trace_]; }

  const IteratorOwner messages_;
  const std::size_t trace_;
  const bool is_first_;
  Found* const found_;

  bt_message_array_const batch_ = nullptr;
  std::uint64_t batch_size_ = 0;
  std::uint64_t next_ = 0;
  MessageOwner current_;  // the message that contains the current event

  // Used between the message about missing data and the beginning of the packet.
  bool missing_ = false;
  bool begins_late_ = false;
  std::int64_t discarded_ = 0;
  std::uint64_t packet_end_ = 0;  // the end of the previous packet

  std::uint64_t last_ = 0;
  std::uint64_t left_out_ = 0;
  std::unordered_map<const bt_event_class*, EventClass> classes_;
  BabeltraceFields context_;
  Values values_;
  analysis::Event event_;
  std::string number_text_;
};

}  // namespace tracekin::ctf

#endif  // TRACEKIN_CTF_BABELTRACE_STREAM_H
