// SPDX-License-Identifier: Apache-2.0
#include "report/describe.h"

#include <arpa/inet.h>
#include <endian.h>

#include <cstdio>
#include <cstring>
#include <string_view>

#include "base/terminal.h"
#include "report/format.h"

namespace tracekin::report {

namespace {

using analysis::Cause;
using analysis::Context;
using analysis::Engine;
using analysis::IsThread;
using analysis::kAbsent;
using analysis::kNoWait;
using analysis::Part;
using analysis::State;
using analysis::Wait;

const Wait* WaitOf(const Engine& engine, const Part& part) {
  return part.wait == kNoWait ? nullptr : &engine.timelines().waits[part.wait];
}

// Returns the name of a system call, or "" if LTTng does not know it either.
std::string CallName(const Engine& engine, std::uint32_t name) {
  const std::string_view call = engine.timelines().names[name];
  return call == "unknown" ? "" : ForTerminal(call);
}

std::string CallOf(const Engine& engine, const Part& part) {
  const Wait* const wait = WaitOf(engine, part);
  return wait == nullptr ? "" : CallName(engine, wait->syscall);
}

// Returns the system call of the part as text such as " in read", or "" if there is none.
std::string InCall(const Engine& engine, const Part& part) {
  const std::string call = CallOf(engine, part);
  return call.empty() ? "" : " in " + call;
}

std::string NameOfInterrupt(const Engine& engine, Context context, std::uint16_t what) {
  const auto name = [&] { return ForTerminal(engine.timelines().names[what]); };
  switch (context) {
    case Context::kIrq:
      return "irq " + name();
    case Context::kVector:
      return "vector " + name();
    case Context::kSoftirq:
      return std::string("softirq ") + analysis::SoftirqName(what);
    case Context::kHrtimer:
    case Context::kTimer:
      return "timer";
    default:
      return "interrupt";
  }
}

// Whether a phrase describes one part, or all parts of a kind.
enum class Scope { kPart, kKind };

// Returns the thread that was waited for, and the span for which it worked.
std::string By(const Engine& engine, const Part& part, Scope scope) {
  if (!IsThread(part.by)) return "?";
  const bool one = scope == Scope::kPart;
  std::string text =
      one ? ThreadName(engine, part.by)
          : ForTerminal(engine.timelines().names[engine.timelines().threads[part.by].name]);
  if (part.by_span != analysis::kNoSpan) {
    text += " (" + SpanName(engine, part.by_span);
    text += one ? ' ' + ShortSpanId(engine, part.by_span) + ')' : ")";
  }
  return text;
}

std::string Hex(std::int64_t number) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(number));
  return text;
}

std::string DescribeRunning(const Engine& engine, const Part& part) {
  if (part.state != State::kSystem) return "ran";
  const std::string call = CallName(engine, part.what);
  return "ran in the kernel: " + (call.empty() ? "a system call" : call);
}

std::string DescribeReady(const Engine& engine, const Part& part, Scope scope) {
  std::string text = part.cause == Cause::kPreempted ? "preempted" : "ready";
  if (IsThread(part.by)) {
    text += (part.cause == Cause::kPreempted ? " by " : " behind ") + By(engine, part, scope);
    if (engine.timelines().threads[part.by].priority < 0) text += " of real time";
  }
  if (part.idle) text += ", although a processor was idle";
  return text;
}

std::string DescribeLock(const Engine& engine, const Part& part, Scope scope) {
  const Wait* const wait = WaitOf(engine, part);
  std::string text = "waited for a futex";
  if (wait != nullptr && wait->object != kAbsent)
    text = "waited for the futex " + Hex(wait->object);
  return text + " of " + By(engine, part, scope);
}

std::string DescribeThread(const Engine& engine, const Part& part, Scope scope) {
  if (part.wait != kNoWait) return "waited for " + By(engine, part, scope) + InCall(engine, part);
  if (engine.timelines().threads[part.thread].maker == part.by) {
    return "not yet started by " + By(engine, part, scope);
  }
  return By(engine, part, scope) + " ran";
}

// Returns whether the sender's port is one that Linux gives to clients by default.
bool IsTemporary(const Engine& engine, const Part& part) {
  constexpr std::int64_t kFirst = 32768;
  return engine.timelines().packets[WaitOf(engine, part)->packet].port >= kFirst;
}

std::string DescribeNetwork(const Engine& engine, const Part& part, Scope scope) {
  std::string text = "waited for the network" + InCall(engine, part);
  const std::string peer = PeerName(engine, part);
  if (!peer.empty() && (scope == Scope::kPart || !IsTemporary(engine, part))) text += ", " + peer;
  const Wait* const wait = WaitOf(engine, part);
  const std::uint32_t sent =
      wait == nullptr ? 0 : engine.timelines().packets[wait->packet].transmissions;
  if (sent > 1 && scope == Scope::kPart) text += " (sent " + std::to_string(sent) + " times)";
  if (IsThread(part.by)) text += ": " + By(engine, part, scope);
  return text;
}

std::string DescribeTimer(const Engine& engine, const Part& part) {
  const std::string call = CallOf(engine, part);
  if (call == "nanosleep" || call == "clock_nanosleep") return "slept: " + call;
  return "waited for a timer" + InCall(engine, part);
}

std::string DescribeDisk(const Engine& engine, const Part& part) {
  const std::string name = DiskName(engine, part);
  return name.empty() ? "waited for a disk" : "waited for the disk " + name;
}

std::string DescribeUnknown(const Engine& engine, const Part& part) {
  std::string text = "unknown" + InCall(engine, part) + ": " + Phrase(part.reason);
  const Wait* const wait = WaitOf(engine, part);
  if (part.reason != analysis::Reason::kUnknownWaker || wait == nullptr) return text;
  if (wait->context == Context::kTask) return text;
  return text + ", in " + NameOfInterrupt(engine, wait->context, wait->what);
}

std::string DescribeFault(const Engine& engine, const Part& part, Scope scope) {
  std::string text = "page fault";
  const Wait* const wait = WaitOf(engine, part);
  if (wait != nullptr && wait->request != 0) text += ", from the disk " + DiskName(engine, part);
  if (IsThread(part.by)) text += ": " + By(engine, part, scope);
  return text;
}

}  // namespace

std::string DiskName(const Engine& engine, const Part& part) {
  const Wait* const wait = WaitOf(engine, part);
  if (wait == nullptr || wait->request == 0 || !IsThread(part.thread)) return "";
  const std::uint32_t device = engine.timelines().requests[wait->request].device;
  const auto& disks = engine.timelines().hosts[engine.timelines().threads[part.thread].host].disks;
  const auto known = disks.find(device);
  if (known != disks.end()) return ForTerminal(engine.timelines().names[known->second]);
  constexpr unsigned kMinorBits = 20;
  return std::to_string(device >> kMinorBits) + ':' +
         std::to_string(device & ((1u << kMinorBits) - 1));
}

std::string PeerName(const Engine& engine, const Part& part) {
  const Wait* const wait = WaitOf(engine, part);
  if (wait == nullptr || wait->packet == 0) return "";
  const analysis::PacketSource& packet = engine.timelines().packets[wait->packet];
  char text[INET6_ADDRSTRLEN] = "";
  if (packet.address_high == 0 && packet.address_low >> 32 == 0) {
    const in_addr address = {htonl(static_cast<std::uint32_t>(packet.address_low))};
    inet_ntop(AF_INET, &address, text, sizeof text);
    return std::string(text) + ':' + std::to_string(packet.port);
  }
  const std::uint64_t halves[] = {htobe64(static_cast<std::uint64_t>(packet.address_high)),
                                  htobe64(static_cast<std::uint64_t>(packet.address_low))};
  in6_addr address;
  std::memcpy(&address, halves, sizeof address);
  inet_ntop(AF_INET6, &address, text, sizeof text);
  return '[' + std::string(text) + "]:" + std::to_string(packet.port);
}

std::string InterruptName(const Engine& engine, const Part& part) {
  return NameOfInterrupt(engine, part.context, part.what);
}

namespace {

std::string Phrased(const Engine& engine, const Part& part, Scope scope) {
  const std::string queued = part.queued ? "queued: " : "";
  switch (part.cause) {
    case Cause::kRunning:
      return DescribeRunning(engine, part);
    case Cause::kInterrupted:
      return queued + "interrupted by " + InterruptName(engine, part);
    case Cause::kPreempted:
    case Cause::kReady:
      return queued + DescribeReady(engine, part, scope);
    case Cause::kLock:
      return queued + DescribeLock(engine, part, scope);
    case Cause::kThread:
      return queued + DescribeThread(engine, part, scope);
    case Cause::kChild:
      return queued + "waited for the child " + By(engine, part, scope);
    case Cause::kDisk:
      return queued + DescribeDisk(engine, part) + InCall(engine, part);
    case Cause::kNetwork:
      return queued + DescribeNetwork(engine, part, scope);
    case Cause::kTimer:
      return queued + DescribeTimer(engine, part);
    case Cause::kFault:
      return queued + DescribeFault(engine, part, scope);
    case Cause::kInput:
      return queued + "waited for input" + InCall(engine, part);
    default:
      return queued + DescribeUnknown(engine, part);
  }
}

}  // namespace

std::string Describe(const Engine& engine, const Part& part) {
  return Phrased(engine, part, Scope::kPart);
}

std::string DescribeKind(const Engine& engine, const Part& part) {
  return Phrased(engine, part, Scope::kKind);
}

}  // namespace tracekin::report
