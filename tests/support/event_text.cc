// SPDX-License-Identifier: Apache-2.0
#include "tests/support/event_text.h"

#include <algorithm>
#include <map>

namespace tracekin::testing {

namespace {

using analysis::Kind;

struct Shape {
  int numbers;
  int texts;
};

// Returns how many numbers and texts the struct of a kind has in analysis/event.h.
Shape ShapeOf(Kind kind) {
  switch (kind) {
    case Kind::kOther:
    case Kind::kCount:
    case Kind::kReceptionEntry:
    case Kind::kReceptionExit:
      return {0, 0};
    case Kind::kDiscarded:
    case Kind::kMigrate:
      return {3, 0};
    case Kind::kSwitch:
      return {5, 2};
    case Kind::kWaking:
    case Kind::kWakeup:
    case Kind::kWakeupNew:
      return {3, 1};
    case Kind::kFork:
    case Kind::kProcessState:
      return {6, 1};
    case Kind::kExec:
    case Kind::kExit:
    case Kind::kFree:
    case Kind::kIrqEntry:
    case Kind::kIrqExit:
    case Kind::kVectorEntry:
    case Kind::kVectorExit:
    case Kind::kDiskName:
      return {1, 1};
    case Kind::kSoftirqEntry:
    case Kind::kSoftirqExit:
    case Kind::kSoftirqRaise:
    case Kind::kHrtimerEntry:
    case Kind::kHrtimerExit:
    case Kind::kTimerEntry:
    case Kind::kTimerExit:
      return {1, 0};
    case Kind::kSyscallEntry:
    case Kind::kSyscallExit:
      return {7, 1};
    case Kind::kPageFault:
    case Kind::kSignalGenerate:
    case Kind::kSignalDeliver:
      return {2, 0};
    case Kind::kBlockInsert:
    case Kind::kBlockIssue:
    case Kind::kBlockComplete:
      return {5, 1};
    case Kind::kPacketQueue:
    case Kind::kPacketReceive:
      return {11, 0};
    case Kind::kPidNamespace:
      return {5, 0};
    case Kind::kFileName:
      return {2, 1};
    case Kind::kSpanStart:
    case Kind::kSpanFinish:
    case Kind::kSpanLog:
    case Kind::kScopeEnter:
    case Kind::kScopeExit:
      return {8, 5};
    case Kind::kBlkin:
      return {4, 4};
  }
  return {0, 0};
}

std::string Counts(const std::vector<ctf::Trace>& traces) {
  std::map<std::string, std::uint64_t> sums;
  for (const ctf::Trace& trace : traces) {
    for (const auto& [name, count] : trace.events) {
      sums[(trace.kernel ? "kernel:" : "") + name] += count;
    }
  }
  std::string text;
  for (const auto& [name, count] : sums) text += name + " " + std::to_string(count) + "\n";
  return text;
}

// libbabeltrace2 does not know how many events were discarded before the first packet.
std::string MissingText(const ctf::Missing& missing) {
  return std::to_string(missing.discarded) + " discarded, " +
         (missing.discarded_before > 0 ? "some" : "none") + " before, " +
         std::to_string(missing.lost_packets) + " packets lost";
}

std::string HostsText(const std::vector<ctf::Host>& hosts) {
  std::string text;
  for (const ctf::Host& host : hosts) {
    text += host.clock_uuid + " " + host.hostname + " " + std::to_string(host.clock.frequency) +
            " " + std::to_string(host.clock.offset_ns) + "\n";
  }
  return text;
}

std::string Compare(const std::string& what, const std::string& one, const std::string& other) {
  return one == other ? "" : what + ":\n" + one + "\nand\n" + other + "\n";
}

}  // namespace

std::string EventText(const analysis::Event& event) {
  std::string text = std::to_string(event.cycles) + " kind " +
                     std::to_string(static_cast<int>(event.kind)) + " host " +
                     std::to_string(event.host) + " cpu " + std::to_string(event.cpu) + " tid " +
                     std::to_string(event.tid) + " pid " + std::to_string(event.pid) + " in " +
                     std::to_string(event.pid_namespace) + " <" + std::string(event.process) + ">";
  const Shape shape = ShapeOf(event.kind);
  for (int i = 0; i < shape.numbers; ++i) {
    const std::int64_t number = event.number[i];
    text += " " + (number == analysis::kAbsent ? "-" : std::to_string(number));
  }
  for (int i = 0; i < shape.texts; ++i) text += " <" + std::string(event.text[i]) + ">";
  return text;
}

Reading ReadTraces(const std::vector<std::string>& folders, ctf::Way way) {
  Reading reading;
  const auto source = ctf::Open(folders, way);
  source->Read([&](const analysis::Event& event) { reading.events.push_back(EventText(event)); });
  reading.found = source->found();
  return reading;
}

std::string Difference(const Reading& one, const Reading& other) {
  const auto [left, right] =
      std::mismatch(one.events.begin(), one.events.end(), other.events.begin(), other.events.end());
  const auto shown = [](const Reading& reading, auto at) {
    return at == reading.events.end() ? "the end" : *at;
  };
  std::string text = Compare("event " + std::to_string(left - one.events.begin()), shown(one, left),
                             shown(other, right));
  text += Compare("counts", Counts(one.found.traces), Counts(other.found.traces));
  text += Compare("hosts", HostsText(one.found.hosts), HostsText(other.found.hosts));
  text += Compare("missing of the kernel", MissingText(one.found.kernel),
                  MissingText(other.found.kernel));
  text += Compare("missing of programs", MissingText(one.found.programs),
                  MissingText(other.found.programs));
  return text;
}

}  // namespace tracekin::testing
