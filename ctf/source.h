// SPDX-License-Identifier: Apache-2.0
// Reads LTTng traces. Merges the events of the kernel and of programs in the order of their clock.
//
// There are two readers. The project's own reader is many times faster, and reads the traces that
// it understands completely. libbabeltrace2 reads all others. Both return the same events in the
// same order. Source::found() shows which reader was used, and why.
//
// Events are ordered by the raw values of their clock and not by calendar time. The tracers of the
// kernel and of programs measure the offset of the clock from calendar time separately, and their
// results differ by microseconds. Traces whose clocks have the same UUID are from one host. The
// clocks of different hosts cannot be compared, so only the events of each host are in order.
// Between hosts, the raw values determine the order.
//
// Thread-safety: one thread at a time may use a Source. Several Sources are independent.
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
  kAny,         // the project's own reader if it understands all traces, otherwise libbabeltrace2
  kOwn,         // only the project's own reader
  kBabeltrace2  // only libbabeltrace2
};

/// Describes one trace, which is one folder with metadata.
struct Trace {
  std::string folder;
  bool kernel = false;                          // false: a trace of programs
  std::uint16_t host = 0;                       // an index of Found::hosts, like Event::host
  std::string hostname;                         // name of the machine, or "" if unknown
  analysis::Clock clock;                        // the clock as this trace measures it
  std::map<std::string, std::uint64_t> events;  // the number of events by name
};

/// Describes one clock, which stands for one run of a machine's kernel.
struct Host {
  std::string clock_uuid;  // if empty, the trace does not have one and counts as a separate host
  std::string hostname;
  // The clock for printing times: the clock of the kernel's trace if there is one, otherwise of the
  // first trace.
  analysis::Clock clock;
};

/// The numbers of missing events. These are sums. A single difference may be negative, because
/// LTTng's counters are subject to races.
struct Missing {
  // Events that were discarded between packets because the buffers were full.
  std::int64_t discarded = 0;
  // Events that were discarded before the first packets. A stream whose number is unknown counts
  // as 1.
  std::uint64_t discarded_before = 0;
  // Packets that were overwritten, for example in LTTng's snapshot mode.
  std::uint64_t lost_packets = 0;
};

struct Found {
  Way way = Way::kOwn;  // never kAny
  std::string why;      // why the project's own reader was not used; otherwise ""
  std::vector<Host> hosts;
  std::vector<Trace> traces;
  Missing kernel;
  Missing programs;
  std::vector<std::string> damage;  // data that could not be read: file, offset and reason
};

class Source {
 public:
  using Visitor = std::function<void(const analysis::Event&)>;

  virtual ~Source() = default;

  /// Calls `visit` with each event that the analysis knows, in order. The event and its text are
  /// valid during the call. Passes on exceptions of `visit`. Throws ReadError if libbabeltrace2
  /// fails. May be called only once.
  virtual void Read(const Visitor& visit) = 0;

  /// Returns the available information. Hosts, traces and their clocks are known from the
  /// beginning, and the rest after Read() has returned.
  virtual const Found& found() const = 0;

  /// Returns the share of the traces that Read() has read, between 0 and 1, or 0 if it is unknown.
  /// `visit` may call it.
  virtual double Progress() const { return 0; }
};

/// Opens all traces in `folders` and below them. A folder may be a recording, a session, a
/// snapshot, a chunk or an archive of chunks. Throws ReadError if a folder cannot be read or does
/// not contain a trace. With kOwn, also throws NotUnderstood.
std::unique_ptr<Source> Open(const std::vector<std::string>& folders, Way way = Way::kAny);

}  // namespace tracekin::ctf

#endif  // TRACEKIN_CTF_SOURCE_H
