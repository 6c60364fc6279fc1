// SPDX-License-Identifier: Apache-2.0
// What the threads of one round of the API's fuzzer share: tracers of every kind, a collector that
// answers badly, and the spans, contexts, Scopes and messages that the threads leave for each
// other.
//
// Thread-safety: any method from any thread, but for End(). lock() is for a fork: it holds every
// lock of the fuzzer's own, so that the child can go on.
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

/// A Scope and the span that it borrows.
struct HeldScope {
  explicit HeldScope(std::shared_ptr<opentracing::Span> borrowed)
      : span(std::move(borrowed)), scope(*span) {}
  const std::shared_ptr<opentracing::Span> span;
  const Scope scope;
};

class World {
 public:
  struct Limits {
    unsigned forks = 0;  // that the round may make
    bool ust = false;    // some tracers record LTTng events, too
  };

  /// With one tracer that exports to memory.
  explicit World(const Limits& limits);

  /// Checks that every tracer accounts for each span, and that none stays for longer than it is
  /// used. REQUIRES: the round's threads have ended.
  void End();

  /// A tracer of any kind; null if it cannot be made, as where a module is missing.
  std::shared_ptr<Tracer> MakeTracer(Choices* choices);

  /// Like MakeTracer, from the plugin. Null where the fuzzer is built without it.
  std::shared_ptr<opentracing::Tracer> MakePluginTracer(Choices* choices);

  /// What holds of a tracer's counters at any time.
  static void CheckCounters(const Tracer& tracer);

  /// Whether there may be one fork more, which is counted.
  bool TakeFork() { return forks_++ < limits_.forks; }
  void TakeAllForks() { forks_ = limits_.forks; }
  bool forking() const { return limits_.forks != 0; }
  std::uint64_t forks() const { return std::min<std::uint64_t>(forks_, limits_.forks); }

  /// Closes the tracers whose counters are kept, and checks them; `open` spans may be left.
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
  std::vector<std::weak_ptr<void>> alive_;     // guarded by mutex_; one a tracer
};

}  // namespace tracekin

#endif  // TRACEKIN_FUZZ_API_WORLD_H
