// SPDX-License-Identifier: Apache-2.0
#include "ctf/layout.h"

#include <algorithm>

#include "ctf/error.h"

namespace tracekin::ctf {

namespace {

constexpr std::uint64_t kMostEvents = 1U << 17U;  // per trace, including gaps between ids

using Number = PacketNumber;
using As = Wanted::As;

// Returns whether the type contains a timestamp.
bool HasClock(const Type& type) {
  return !type.clock.empty() || (type.element != nullptr && HasClock(*type.element)) ||
         std::any_of(type.fields.begin(), type.fields.end(),
                     [](const Type::Field& field) { return HasClock(*field.type); });
}

// Throws NotUnderstood if the type contains a timestamp. A timestamp in an unexpected place would
// change the time of the events that follow it.
void CheckNoClock(const TypePointer& type) {
  if (type != nullptr && HasClock(*type)) throw NotUnderstood("a timestamp in an odd place");
}

// Checks that all timestamps use the clock `name`.
void CheckClock(const Type& type, const std::string& name) {
  if (!type.clock.empty() && type.clock != name) throw NotUnderstood("a clock that is not there");
  if (type.element != nullptr) CheckClock(*type.element, name);
  for (const Type::Field& field : type.fields) CheckClock(*field.type, name);
}

// Checks that the names of the packet's fields do not begin with an underscore, except for the name
// of the CPU's field.
void CheckNames(const TypePointer& type, const std::vector<Wanted>& wanted) {
  for (const Type::Field& field : type->fields) {
    for (const Wanted& each : wanted) {
      if (field.name == "_" + each.path && each.slot != Number::kCpu) {
        throw NotUnderstood("a packet's " + field.name);
      }
    }
  }
}

void CheckPacketContext(const TypePointer& type) {
  if (type == nullptr) throw NotUnderstood("packets have no context");
  for (const Type::Field& field : type->fields) {
    const bool is_time = field.name == "timestamp_begin" || field.name == "timestamp_end";
    if (!is_time) CheckNoClock(field.type);
    if (is_time && (field.type->clock.empty() || field.type->bits != 64)) {
      throw NotUnderstood("the time of packets has another form");
    }
  }
}

// Checks that every packet has the fields of `wanted`. Those in `optional` may be missing, but only
// from all packets.
void CheckAlways(const Program& program, const std::vector<Wanted>& wanted,
                 const std::vector<int>& optional) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const bool may_lack =
        std::find(optional.begin(), optional.end(), wanted[i].slot) != optional.end();
    if (!program.always[i] && (program.ever[i] || !may_lack)) {
      throw NotUnderstood("packets lack " + wanted[i].path);
    }
  }
}

std::vector<Wanted> PacketHeaderFields() {
  return {{"magic", As::kNumber, false, Number::kMagic},
          {"uuid", As::kHighBytes, false, Number::kUuidHigh},
          {"uuid", As::kLowBytes, false, Number::kUuidLow},
          {"stream_id", As::kNumber, false, Number::kStream},
          {"stream_instance_id", As::kNumber, false, Number::kInstance}};
}

std::vector<Wanted> PacketContextFields() {
  return {{"timestamp_begin", As::kNumber, false, Number::kBegin},
          {"timestamp_end", As::kNumber, false, Number::kEnd},
          {"content_size", As::kNumber, false, Number::kContentBits},
          {"packet_size", As::kNumber, false, Number::kPacketBits},
          {"packet_seq_num", As::kNumber, false, Number::kSequence},
          {"events_discarded", As::kNumber, false, Number::kDiscarded},
          {"cpu_id", As::kNumber, false, Number::kCpu}};
}

EventLayout LayOutEvent(const EventClass& event, bool kernel) {
  CheckNoClock(event.context);
  CheckNoClock(event.fields);
  EventLayout layout;
  layout.known = true;
  layout.name = event.name;
  layout.meaning = MeaningOf(event.name, kernel);
  const std::vector<Wanted>& wanted = layout.meaning.wanted;
  layout.context = Compile(event.context, {});
  layout.fields = Compile(event.fields, wanted);

  std::vector<bool> number_always(analysis::Event::kNumbers);
  std::vector<bool> text_always(analysis::Event::kTexts);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i].scratch || !layout.fields.always[i]) continue;
    (wanted[i].as == As::kText ? text_always : number_always)[wanted[i].slot] = true;
  }
  const auto numbers_end = number_always.begin() + layout.meaning.numbers;
  layout.may_lack_numbers = std::find(number_always.begin(), numbers_end, false) != numbers_end;
  layout.numbers.fill(analysis::kAbsent);
  for (const auto& [slot, value] : layout.meaning.constants) layout.numbers[slot] = value;
  for (const auto& [slot, word] : layout.meaning.words) text_always[slot] = true;
  for (int slot = 0; slot < layout.meaning.texts; ++slot) {
    if (!text_always[slot]) layout.texts.push_back(slot);
  }
  return layout;
}

StreamLayout LayOutStream(const StreamClass& stream, bool kernel, bool* has_sequence) {
  CheckPacketContext(stream.packet_context);
  CheckNoClock(stream.event_context);
  if (stream.event_header == nullptr) throw NotUnderstood("events have no header");
  StreamLayout layout;
  const std::vector<Wanted> wanted = PacketContextFields();
  CheckNames(stream.packet_context, wanted);
  layout.packet_context = Compile(stream.packet_context, wanted);
  CheckAlways(layout.packet_context, wanted, {Number::kSequence, Number::kDiscarded, Number::kCpu});
  *has_sequence = *has_sequence && layout.packet_context.always[4];
  layout.event_header = LayOutHeader(*stream.event_header);
  layout.context = Compile(stream.event_context, kernel ? std::vector<Wanted>{} : ProcessContext());
  layout.context_unwanted = Compile(stream.event_context, {});
  if (!stream.events.empty()) layout.events.resize(stream.events.rbegin()->first + 1);
  for (const auto& [id, event] : stream.events) layout.events[id] = LayOutEvent(event, kernel);
  return layout;
}

}  // namespace

TraceLayout LayOut(const Metadata& metadata) {
  if (metadata.clocks.size() != 1) throw NotUnderstood("the trace has no clock, or several");
  if (metadata.packet_header == nullptr) throw NotUnderstood("packets have no header");
  CheckNoClock(metadata.packet_header);

  TraceLayout layout;
  const auto domain = metadata.environment.find("domain");
  layout.kernel = domain != metadata.environment.end() && domain->second == "kernel";
  const auto hostname = metadata.environment.find("hostname");
  if (hostname != metadata.environment.end()) layout.hostname = hostname->second;
  layout.uuid = metadata.uuid;
  layout.clock = metadata.clocks.begin()->second;

  const std::vector<Wanted> wanted = PacketHeaderFields();
  CheckNames(metadata.packet_header, wanted);
  layout.packet_header = Compile(metadata.packet_header, wanted);
  const std::vector<bool>& has = layout.packet_header.always;
  CheckAlways(layout.packet_header, wanted,
              {Number::kMagic, Number::kUuidHigh, Number::kUuidLow, Number::kInstance});
  layout.has_magic = has[0];
  layout.has_uuid = has[2];
  layout.has_instance = has[4];
  layout.has_sequence = true;
  std::uint64_t events = 0;
  for (const auto& [id, stream] : metadata.streams) {
    if (!stream.events.empty()) events += stream.events.rbegin()->first + 1;
    if (events > kMostEvents) throw NotUnderstood("too many events");
    layout.streams[id] = LayOutStream(stream, layout.kernel, &layout.has_sequence);
    CheckClock(*stream.packet_context, layout.clock.name);
    CheckClock(*stream.event_header, layout.clock.name);
  }
  return layout;
}

}  // namespace tracekin::ctf
