// SPDX-License-Identifier: Apache-2.0
#include "ctf/stream_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "ctf/error.h"
#include "ctf/hosts.h"

namespace tracekin::ctf {

namespace {

constexpr std::size_t kMostNotes = 20;  // limit for the reports of damage per stream

}  // namespace

StreamReader::StreamReader(std::vector<Part> parts, std::uint16_t host, const StreamLimits& limits)
    : parts_(std::move(parts)), limits_(limits) {
  event_.host = host;
  values_.number = event_.number;
}

bool StreamReader::Next() {
  for (;;) {
    if (at_ == limit_ && Offset() >= content_) {
      if (next_part_ == parts_.size()) return false;
      if (NextPacket()) return true;
      continue;
    }
    switch (Decode()) {
      case Step::kTold:
        return true;
      case Step::kPassedOver:
        break;
      case Step::kNeedsBytes:
        if (!Refill()) Damage("an event does not fit into its packet");
        break;
      case Step::kDamage:
        Damage(values_.damage);
    }
  }
}

std::uint64_t StreamReader::Offset() const {
  return buffer_.empty() ? content_ : window_ + static_cast<std::uint64_t>(at_ - buffer_.data());
}

// ---- Packets.

// Advances to the next packet. Returns whether its beginning must be reported as an event, because
// events or packets before it were lost.
std::uint64_t StreamReader::bytes() const {
  std::uint64_t sum = 0;
  for (const Part& part : parts_) sum += part.packet.bytes;
  return sum;
}

bool StreamReader::NextPacket() {
  const std::size_t part = next_part_++;
  const Packet& packet = parts_[part].packet;
  if (part > 0) bytes_read_ += parts_[part - 1].packet.bytes;
  OpenPart();
  packet_ = packet.offset;
  content_ = packet.content;
  window_ = packet.events;
  at_ = limit_ = buffer_.data();
  clock_ = packet.begin;
  event_.cpu = packet.cpu;
  return TellDiscarded(part == 0 ? nullptr : &parts_[part - 1].packet);
}

void StreamReader::OpenPart() {
  const Part& part = parts_[next_part_ - 1];
  if (open_ != part.file) file_.reset();
  open_ = part.file;
  stream_ = &part.file->layout->streams.at(part.packet.stream);
  if (buffer_.empty()) buffer_.resize(limits_.window_bytes + EventHeader::kReach);
  CountFor(*part.file);
}

void StreamReader::CountFor(const TraceFile& file) {
  const auto is_it = [&](const EventCounts& counts) {
    return counts.trace == file.trace && counts.stream == stream_;
  };
  auto found = std::find_if(counts_.rbegin(), counts_.rend(), is_it);
  if (found == counts_.rend()) {
    counts_.push_back({file.trace, stream_, std::vector<std::uint64_t>(stream_->events.size())});
    found = counts_.rbegin();
  }
  by_id_ = &found->by_id;
}

// Reports the loss of events and packets before the open packet. LTTng samples its counter at the
// end of each packet and discards events only while no packet is open. The increase of the counter
// therefore belongs to the gap between the packets. The counters are subject to races, so a single
// difference may be negative. Only sums are meaningful.
bool StreamReader::TellDiscarded(const Packet* before) {
  const Packet& packet = parts_[next_part_ - 1].packet;
  std::int64_t discarded = 0;
  std::uint64_t lost = 0;
  if (before == nullptr) {
    notes_.discarded_before = packet.discarded;
  } else {
    discarded = static_cast<std::int64_t>(packet.discarded - before->discarded);
    if (open_->layout->has_sequence) lost = packet.sequence - before->sequence - 1;
    if (lost > INT64_MAX) lost = 0;  // the sequence numbers do not increase
  }
  AddDiscarded(discarded, &notes_.discarded);
  notes_.lost_packets += lost;
  const bool begins_late = before == nullptr && packet.discarded != 0;
  if ((discarded == 0 && lost == 0 && !begins_late) || packet.begin < last_) return false;
  last_ = packet.begin;
  SetDiscarded(packet.begin,
               before == nullptr ? analysis::kAbsent : static_cast<std::int64_t>(before->end),
               discarded, open_->layout->kernel, &event_);
  return true;
}

// ---- Bytes.

// Reads more bytes, beginning with the current event. Returns false if the packet does not have any
// more bytes.
bool StreamReader::Refill() {
  const std::uint64_t from = Offset();
  const auto have = static_cast<std::size_t>(limit_ - at_);
  const std::uint64_t left = content_ - from;
  if (have >= left) return false;
  std::size_t room = buffer_.size() - EventHeader::kReach;
  if (have == room) {
    buffer_.resize(2 * room + EventHeader::kReach);
    room *= 2;
  }
  window_ = from;
  at_ = limit_ = buffer_.data();
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(left, room));
  const std::size_t read = ReadFile(from, size);
  limit_ = at_ + read;
  if (read < size) content_ = from + read;
  return true;
}

// Reads `size` bytes into the buffer and returns how many were read. Returns fewer and adds a note
// if the file has become shorter or cannot be read.
std::size_t StreamReader::ReadFile(std::uint64_t offset, std::size_t size) {
  std::size_t read = 0;
  try {
    if (file_ == nullptr) file_ = std::make_unique<InputFile>(open_->path);
    read = file_->Read(offset, buffer_.data(), size);
    if (read < size) Note("the file has become shorter");
  } catch (const ReadError& error) {
    if (notes_.damage.size() < kMostNotes) notes_.damage.emplace_back(error.what());
  }
  if (!limits_.keeps_file_open) file_.reset();
  return read;
}

void StreamReader::Note(const std::string& what) {
  if (notes_.damage.size() == kMostNotes) return;
  notes_.damage.push_back(open_->path + " at byte " + std::to_string(Offset()) + ": " + what);
}

// Adds a note and skips the rest of the packet.
void StreamReader::Damage(const std::string& what) {
  Note(what + "; the rest of the packet is left out");
  values_.damage = nullptr;
  content_ = 0;
  at_ = limit_;
}

// ---- Events.

inline StreamReader::Step StreamReader::Decode() {
  const EventHeader& header = stream_->event_header;
  const auto left = static_cast<std::size_t>(limit_ - at_);
  if (left < header.compact.bytes) return Step::kNeedsBytes;
  const EventHeader::Form* form = &header.compact;
  std::uint64_t id = form->id.Load(at_);
  if (id == header.extended_id) {
    form = &header.extended;
    if (left < form->bytes) return Step::kNeedsBytes;
    id = form->id.Load(at_);
  }
  const std::uint64_t before = clock_;
  clock_ = Advance(clock_, form->time.Load(at_), form->time.mask);
  if (id >= stream_->events.size() || !stream_->events[id].known) {
    values_.damage = "an event that the metadata does not have";
    return Step::kDamage;
  }
  const Step step = DecodeFields(stream_->events[id], at_ + form->bytes);
  if (step == Step::kNeedsBytes) {
    clock_ = before;
  } else if (step != Step::kDamage) {
    ++(*by_id_)[id];
  }
  return step;
}

inline StreamReader::Step StreamReader::DecodeFields(const EventLayout& layout,
                                                     const std::uint8_t* at) {
  // Offsets are relative to the packet's beginning, which may no longer be in the window.
  const std::uintptr_t origin = reinterpret_cast<std::uintptr_t>(buffer_.data()) -
                                static_cast<std::uintptr_t>(window_ - packet_);
  const bool known = layout.meaning.kind != analysis::Kind::kOther;
  if (known) Prepare(layout);
  values_.text = &event_.process;
  const Program& context = known ? stream_->context : stream_->context_unwanted;
  if (!context.code.empty()) at = Run(context, at, limit_, origin, &values_);
  if (at != nullptr && !layout.context.code.empty()) {
    at = Run(layout.context, at, limit_, origin, &values_);
  }
  values_.text = event_.text;
  if (at != nullptr) at = Run(layout.fields, at, limit_, origin, &values_);
  if (at == nullptr) return values_.damage == nullptr ? Step::kNeedsBytes : Step::kDamage;
  at_ = at;
  if (clock_ < last_) {
    ++notes_.left_out;
    return Step::kPassedOver;
  }
  last_ = clock_;
  return known ? Tell(layout) : Step::kPassedOver;
}

// Resets the values that an event may lack, so that it does not keep those of the previous event.
inline void StreamReader::Prepare(const EventLayout& layout) {
  if (layout.may_lack_numbers) {
    std::memcpy(event_.number, layout.numbers.data(), sizeof event_.number);
  }
  for (const int slot : layout.texts) event_.text[slot] = {};
  if (open_->layout->kernel) return;
  values_.scratch[kTidSlot] = values_.scratch[kPidSlot] = -1;
  values_.scratch[kPidNamespaceSlot] = 0;
  event_.process = {};
}

inline StreamReader::Step StreamReader::Tell(const EventLayout& layout) {
  event_.kind = layout.meaning.kind;
  event_.cycles = clock_;
  if (!open_->layout->kernel) {
    event_.tid = static_cast<std::int32_t>(values_.scratch[kTidSlot]);
    event_.pid = static_cast<std::int32_t>(values_.scratch[kPidSlot]);
    event_.pid_namespace = static_cast<std::uint32_t>(values_.scratch[kPidNamespaceSlot]);
  }
  for (const auto& [slot, word] : layout.meaning.words) event_.text[slot] = word;
  if (layout.meaning.value_is_number) {
    number_text_ = std::to_string(values_.scratch[kValueSlot]);
    event_.text[analysis::Blkin::kValue] = number_text_;
  }
  return Step::kTold;
}

}  // namespace tracekin::ctf
