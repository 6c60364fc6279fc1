// SPDX-License-Identifier: Apache-2.0
// The objects that the threads of one round of the API's fuzzer share: tracers of every kind, a
// collector that answers badly, and the spans, contexts, Scopes and messages that the threads leave
// for each other.
//
// Thread-safety: any thread may call any method except End(). lock() is for a fork: it holds all of
// the fuzzer's locks, so that the child can continue.
#ifndef TRACEKIN_FUZZ_API_WORLD_H
#define TRACEKIN_FUZZ_API_WORLD_H

#include <opentracing/tracer.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/api/choices.h"
#include "fuzz/api/slots.h"
#include "tests/exporter/transport/fault_server.h"
#include "tests/support/temp_folder.h"
#include "tracekin/scope.h"
#include "tracekin/tracer.h"

namespace tracekin {

using Headers = std::vector<std::pair<std::string, std::string>>;

/// A Scope together with the span that it borrows.
struct HeldScope {
  explicit HeldScope(std::shared_ptr<opentracing::Span> borrowed)
      : span(std::move(borrowed)), scope(*span) {}
  const std::shared_ptr<opentracing::Span> span;
  const Scope scope;
};

class World {
 public:
  struct Limits {
    unsigned forks = 0;  // the number of forks that the round may make
    bool ust = false;    // some tracers also record LTTng events
  };

  /// Makes a world with one tracer, which exports to memory.
  explicit World(const Limits& limits);

  /// Checks that every tracer accounts for each span, and that no tracer outlives its last user.
  /// REQUIRES: the round's threads have ended.
  void End();

  /// Returns a tracer of any kind, or null if it cannot be made, for example because a module is
  /// missing.
  std::shared_ptr<Tracer> MakeTracer(Choices* choices);

  /// Like MakeTracer, but from the plugin. Returns null if the fuzzer is built without it.
  std::shared_ptr<opentracing::Tracer> MakePluginTracer(Choices* choices);

  /// Checks the invariants of a tracer's counters, which hold at any time.
  static void CheckCounters(const Tracer& tracer);

  /// Returns whether another fork is allowed, and counts it.
  bool TakeFork() { return forks_++ < limits_.forks; }
  void TakeAllForks() { forks_ = limits_.forks; }
  bool forking() const { return limits_.forks != 0; }
  std::uint64_t forks() const { return std::min<std::uint64_t>(forks_, limits_.forks); }

  /// Closes the tracers that are kept and checks their counters. `open` allows open spans.
  void CloseAll(bool open);

  void lock();
  void unlock();

  Slots<Tracer> tracers{6};
  Slots<opentracing::Tracer> plugin_tracers{2};
  Slots<opentracing::Span> spans{24};
  Slots<opentracing::SpanContext> contexts{16};
  Slots<HeldScope> scopes{8};
  Slots<const Headers> headers{8};
  Slots<const std::string> bytes{8};

 private:
  Options AnyOptions(Choices* choices);
  ExporterOptions AnyExporter(Choices* choices);
  void Answer(FaultServer::Connection& connection);

  const Limits limits_;
  std::atomic<std::uint64_t> forks_{0};
  const testing::TempFolder folder_;
  std::atomic<unsigned> answers_{0};
  FaultServer server_;
  std::atomic<unsigned> files_{0};
  std::mutex mutex_;
  std::vector<std::shared_ptr<Tracer>> kept_;  // guarded by mutex_
  std::vector<std::weak_ptr<void>> alive_;     // guarded by mutex_; one per tracer
};

}  // namespace tracekin

#endif  // TRACEKIN_FUZZ_API_WORLD_H
