// SPDX-License-Identifier: Apache-2.0
#include "ctf/babeltrace_stream.h"

#include <utility>

#include "ctf/error.h"
#include "ctf/hosts.h"

namespace tracekin::ctf {

namespace {

std::string EnvironmentText(const bt_trace* trace, const char* name) {
  const bt_value* const value = bt_trace_borrow_environment_entry_value_by_name_const(trace, name);
  return value != nullptr && bt_value_is_string(value) ? bt_value_string_get(value) : "";
}

std::string HexUuid(bt_uuid uuid) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (int i = 0; uuid != nullptr && i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += kDigits[uuid[i] >> 4];
    text += kDigits[uuid[i] & 15];
  }
  return text;
}

}  // namespace

BabeltraceStream::BabeltraceStream(IteratorOwner messages, std::size_t trace, bool is_first,
                                   Found* found)
    : messages_(std::move(messages)), trace_(trace), is_first_(is_first), found_(found) {}

BabeltraceStream::~BabeltraceStream() {
  for (; next_ < batch_size_; ++next_) bt_message_put_ref(batch_[next_]);
}

bool BabeltraceStream::Next() {
  while (NextMessage()) {
    if (Take(current_.get())) return true;
  }
  return false;
}

bool BabeltraceStream::NextMessage() {
  current_.reset();
  while (next_ == batch_size_) {
    next_ = batch_size_ = 0;
    // bt_message_iterator_next() requires a pointer to a non-const iterator.
    auto* const messages = const_cast<bt_message_iterator*>(messages_.get());
    const auto status = bt_message_iterator_next(messages, &batch_, &batch_size_);
    if (status == BT_MESSAGE_ITERATOR_NEXT_STATUS_OK) continue;
    batch_size_ = 0;
    if (status == BT_MESSAGE_ITERATOR_NEXT_STATUS_AGAIN) continue;
    if (status != BT_MESSAGE_ITERATOR_NEXT_STATUS_END) {
      found_->damage.push_back(trace().folder + ": babeltrace2: " + TakeBabeltraceError());
    }
    return false;
  }
  current_.reset(batch_[next_++]);
  return true;
}

// Processes a message. Returns whether it is an event for the analysis.
bool BabeltraceStream::Take(const bt_message* message) {
  switch (bt_message_get_type(message)) {
    case BT_MESSAGE_TYPE_EVENT:
      return TakeEvent(message);
    case BT_MESSAGE_TYPE_PACKET_BEGINNING:
      return BeginPacket(message);
    case BT_MESSAGE_TYPE_PACKET_END:
      packet_end_ = bt_clock_snapshot_get_value(
          bt_message_packet_end_borrow_default_clock_snapshot_const(message));
      return false;
    case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
      AddDiscarded(message);
      return false;
    case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
      AddLostPackets(message);
      return false;
    default:
      return false;
  }
}

// ---- The description of the stream.

// The first message is always the beginning of the stream.
void BabeltraceStream::Begin() {
  if (!NextMessage()) return;
  Describe(bt_message_stream_beginning_borrow_stream_const(current_.get()));
}

void BabeltraceStream::Describe(const bt_stream* stream) {
  const bt_stream_class* const stream_class = bt_stream_borrow_class_const(stream);
  const bt_clock_class* const clock =
      bt_stream_class_borrow_default_clock_class_const(stream_class);
  if (clock == nullptr ||
      !bt_stream_class_packets_have_beginning_default_clock_snapshot(stream_class) ||
      !bt_stream_class_packets_have_end_default_clock_snapshot(stream_class)) {
    throw ReadError(trace().folder +
                    ": a stream has no clock, or its packets do not tell the time");
  }
  const bt_trace* const of = bt_stream_borrow_trace_const(stream);
  Trace& known = trace();
  known.kernel = EnvironmentText(of, "domain") == "kernel";
  known.hostname = EnvironmentText(of, "hostname");
  std::int64_t seconds = 0;
  std::uint64_t cycles = 0;
  bt_clock_class_get_offset(clock, &seconds, &cycles);
  known.clock.frequency = bt_clock_class_get_frequency(clock);
  known.clock.offset_ns =
      ClockOffset(seconds, static_cast<std::int64_t>(cycles), known.clock.frequency);
  if (is_first_) AddToHosts(HexUuid(bt_clock_class_get_uuid(clock)), &known, found_);
  event_.host = known.host;
  if (!known.kernel) {
    context_ = BabeltraceFields(
        bt_stream_class_borrow_event_common_context_field_class_const(stream_class),
        ProcessContext());
  }
}

bool BabeltraceStream::BeginPacket(const bt_message* message) {
  const bt_packet* const packet = bt_message_packet_beginning_borrow_packet_const(message);
  const bt_field* const context = bt_packet_borrow_context_field_const(packet);
  const bt_field* const cpu =
      context == nullptr ? nullptr
                         : bt_field_structure_borrow_member_field_by_name_const(context, "cpu_id");
  event_.cpu =
      cpu == nullptr ? 0 : static_cast<std::uint32_t>(bt_field_integer_unsigned_get_value(cpu));
  if (!std::exchange(missing_, false)) return false;
  const std::uint64_t begin = bt_clock_snapshot_get_value(
      bt_message_packet_beginning_borrow_default_clock_snapshot_const(message));
  const bool begins_late = std::exchange(begins_late_, false);
  const std::int64_t since =
      begins_late ? analysis::kAbsent : static_cast<std::int64_t>(packet_end_);
  const std::int64_t discarded = std::exchange(discarded_, 0);
  if (begin < last_) return false;
  last_ = begin;
  SetDiscarded(begin, since, discarded, trace().kernel, &event_);
  return true;
}

// Adds the number of discarded events. Before a stream's first packet, libbabeltrace2 knows only
// that events were discarded, but not how many.
void BabeltraceStream::AddDiscarded(const bt_message* message) {
  Missing& missing = trace().kernel ? found_->kernel : found_->programs;
  std::uint64_t count = 0;
  if (bt_message_discarded_events_get_count(message, &count) ==
      BT_PROPERTY_AVAILABILITY_AVAILABLE) {
    discarded_ = static_cast<std::int64_t>(count);
    ctf::AddDiscarded(discarded_, &missing.discarded);
  } else {
    begins_late_ = true;
    ++missing.discarded_before;
  }
  missing_ = true;
}

// Adds the number of lost packets. If the packets' sequence numbers do not increase, libbabeltrace2
// reports a huge count, which is ignored.
void BabeltraceStream::AddLostPackets(const bt_message* message) {
  Missing& missing = trace().kernel ? found_->kernel : found_->programs;
  std::uint64_t count = 0;
  if (bt_message_discarded_packets_get_count(message, &count) ==
      BT_PROPERTY_AVAILABILITY_AVAILABLE) {
    if (count > INT64_MAX) return;
    missing.lost_packets += count;
  }
  missing_ = true;
}

// ---- Events.

bool BabeltraceStream::TakeEvent(const bt_message* message) {
  const bt_event* const event = bt_message_event_borrow_event_const(message);
  EventClass* const known = ClassOf(event);
  ++known->count;
  const std::uint64_t cycles =
      bt_clock_snapshot_get_value(bt_message_event_borrow_default_clock_snapshot_const(message));
  if (cycles < last_) {
    ++left_out_;
    return false;
  }
  last_ = cycles;
  if (known->meaning.kind == analysis::Kind::kOther) return false;
  event_.cycles = cycles;
  Tell(event, known);
  return true;
}

BabeltraceStream::EventClass* BabeltraceStream::ClassOf(const bt_event* event) {
  const bt_event_class* const of = bt_event_borrow_class_const(event);
  const auto found = classes_.find(of);
  if (found != classes_.end()) return &found->second;
  EventClass known;
  const char* const name = bt_event_class_get_name(of);
  known.name = name == nullptr ? "" : name;
  known.meaning = MeaningOf(known.name, trace().kernel);
  known.fields =
      BabeltraceFields(bt_event_class_borrow_payload_field_class_const(of), known.meaning.wanted);
  return &classes_.emplace(of, std::move(known)).first->second;
}

void BabeltraceStream::Tell(const bt_event* event, EventClass* known) {
  const Meaning& meaning = known->meaning;
  event_.kind = meaning.kind;
  event_.process = {};
  values_.scratch[kTidSlot] = values_.scratch[kPidSlot] = -1;
  values_.scratch[kPidNamespaceSlot] = 0;
  for (int slot = 0; slot < meaning.numbers; ++slot) event_.number[slot] = analysis::kAbsent;
  for (int slot = 0; slot < meaning.texts; ++slot) event_.text[slot] = {};
  for (const auto& [slot, value] : meaning.constants) event_.number[slot] = value;
  values_.number = event_.number;
  values_.text = &event_.process;
  context_.Take(bt_event_borrow_common_context_field_const(event), &values_);
  values_.text = event_.text;
  known->fields.Take(bt_event_borrow_payload_field_const(event), &values_);
  event_.tid = static_cast<std::int32_t>(values_.scratch[kTidSlot]);
  event_.pid = static_cast<std::int32_t>(values_.scratch[kPidSlot]);
  event_.pid_namespace = static_cast<std::uint32_t>(values_.scratch[kPidNamespaceSlot]);
  for (const auto& [slot, word] : meaning.words) event_.text[slot] = word;
  if (meaning.value_is_number) {
    number_text_ = std::to_string(values_.scratch[kValueSlot]);
    event_.text[analysis::Blkin::kValue] = number_text_;
  }
}

void BabeltraceStream::Finish() {
  for (const auto& [of, known] : classes_) trace().events[known.name] += known.count;
  if (left_out_ > 0) found_->damage.push_back(LeftOut(trace(), left_out_));
}

}  // namespace tracekin::ctf
