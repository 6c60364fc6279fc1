// SPDX-License-Identifier: Apache-2.0
// Reads LTTng traces: the events of the kernel and of programs, merged in the order of their clock.
//
// There are two ways. Our own reader is many times faster, and takes what it understands entirely;
// all else is read with libbabeltrace2. Both give the same events in the same order.
// Source::found() says which was taken, and why.
//
// Events are ordered by the raw values of their clock and never by calendar time, because the
// kernel's tracer and the programs' each measure for themselves how far the clock is from calendar
// time, and differ by microseconds. Traces whose clocks have one UUID are of one host. Hosts are
// not comparable: the events of each are in order, and between hosts the raw values decide.
//
// Thread-safety: a Source is for one thread at a time; several Sources do not disturb each other.
#ifndef TRACEKIN_CTF_SOURCE_H
#define TRACEKIN_CTF_SOURCE_H

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analysis/event.h"

namespace tracekin::ctf {

enum class Way {
  kAny,         // our own if it understands all traces, else libbabeltrace2
  kOwn,         // our own or an error
  kBabeltrace2  // libbabeltrace2
};

/// What is known of one trace, which is one folder with metadata.
struct Trace {
  std::string folder;
  bool kernel = false;                          // else of programs
  std::uint16_t host = 0;                       // as Event::host: an index of Found::hosts
  std::string hostname;                         // of the machine, empty if the trace does not say
  analysis::Clock clock;                        // as this trace has measured it
  std::map<std::string, std::uint64_t> events;  // how many of each name there are
};

/// What is known of one clock, and so of one run of one machine's kernel.
struct Host {
  std::string clock_uuid;  // empty if the trace has none; then the trace is a host of its own
  std::string hostname;
  // For printing: the kernel's if the kernel was traced, else the first trace's.
  analysis::Clock clock;
};

/// Events that are missing. LTTng's counters race, so a single difference may be negative; these
/// are sums.
struct Missing {
  // Between packets, because buffers were full.
  std::int64_t discarded = 0;
  // Before the first packets. Where only that is known, 1 for each stream.
  std::uint64_t discarded_before = 0;
  // Overwritten, as in a flight recorder.
  std::uint64_t lost_packets = 0;
};

struct Found {
  Way way = Way::kOwn;  // never kAny
  std::string why;      // why it is not our own reader; else empty
  std::vector<Host> hosts;
  std::vector<Trace> traces;
  Missing kernel;
  Missing programs;
  std::vector<std::string> damage;  // what could not be read and was left out: file, offset, reason
};

class Source {
 public:
  using Visitor = std::function<void(const analysis::Event&)>;

  virtual ~Source() = default;

  /// Calls `visit` with each event that the analysis knows, in order. The event and its text are
  /// valid during the call. Exceptions of `visit` end the reading and come out of Read. Throws
  /// ReadError if libbabeltrace2 fails. May be called once.
  virtual void Read(const Visitor& visit) = 0;

  /// What is known: hosts, traces and their clocks from the beginning, all else when Read() has
  /// returned.
  virtual const Found& found() const = 0;
};

/// Opens all traces in `folders` and below: a recording, a session, a snapshot, a chunk or an
/// archive of chunks. Throws ReadError: a folder cannot be read, or has no trace; with kOwn,
/// NotUnderstood as well.
std::unique_ptr<Source> Open(const std::vector<std::string>& folders, Way way = Way::kAny);

}  // namespace tracekin::ctf

#endif  // TRACEKIN_CTF_SOURCE_H
