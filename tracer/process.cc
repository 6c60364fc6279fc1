// SPDX-License-Identifier: Apache-2.0
#include "tracer/process.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/library_at_work.h"
#include "base/no_destructor.h"
#include "base/standard_descriptors.h"
#include "base/thread_state.h"
#include "tracer/tracer_impl.h"

namespace tracekin {

namespace {

struct Registered {
  TracerImpl* tracer;
  bool closing;  // AtExit() will wait for its end
};

struct Registry {
  std::mutex mutex;
  std::vector<Registered> tracers;
};

// Never destroyed, because a host may fork while its static objects are destroyed.
Registry& TheRegistry() {
  static NoDestructor<Registry> registry;
  return *registry;
}

void BeforeFork() {
  TheRegistry().mutex.lock();
  StopLibrariesForFork();
}

void AfterForkInParent() {
  ResumeLibrariesAfterForkInParent();
  TheRegistry().mutex.unlock();
}

void AfterForkInChild() {
  RenewThreadStateAfterFork();
  ResumeLibrariesAfterForkInChild();  // this and the next call must run before new threads start
  GiveBackStandardDescriptorsAfterFork();
  for (const Registered& entry : TheRegistry().tracers) entry.tracer->AfterForkInChild();
  TheRegistry().mutex.unlock();
}

// Runs when the library is loaded. If a fork happened while another thread initialised the registry
// for the first time, the child's threads would wait for that thread forever.
__attribute__((constructor)) void RegisterForkHandlers() {
  TheRegistry();
  pthread_atfork(BeforeFork, AfterForkInParent, AfterForkInChild);
}

void CloseAll() {
  const std::lock_guard<std::mutex> lock(TheRegistry().mutex);
  for (Registered& entry : TheRegistry().tracers) {
    entry.tracer->BeginClose();
    entry.closing = true;
  }
}

// Returns the exporter of a tracer that CloseAll() has closed, a different tracer each time, or
// null after the last. Does not allocate, because there may be no memory.
std::shared_ptr<exporter::Exporter> NextToAwait() {
  const std::lock_guard<std::mutex> lock(TheRegistry().mutex);
  for (Registered& entry : TheRegistry().tracers) {
    if (std::exchange(entry.closing, false)) return entry.tracer->exporter();
  }
  return nullptr;
}

void AtExit() {
  CloseAll();
  bool all_ended = true;
  while (const std::shared_ptr<exporter::Exporter> exporter = NextToAwait()) {
    if (!exporter->AwaitEnd()) all_ended = false;
  }
  if (!all_ended) StopLibrariesForExit();
}

// Registers AtExit() at the first call, and again after each library that was initialised. AtExit()
// may therefore run twice.
void RegisterAtExit() {
  static std::atomic<std::int64_t> registered{-1};  // InitialisedLibraries() at that time
  const std::int64_t libraries = InitialisedLibraries();
  if (registered.exchange(libraries) != libraries) std::atexit(AtExit);
}

}  // namespace

void RegisterTracer(TracerImpl* tracer) {
  RegisterAtExit();
  Registry& registry = TheRegistry();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  registry.tracers.push_back({tracer, false});
}

TracerImpl* UnregisterTracer(bool (*condition)(const TracerImpl& tracer)) noexcept {
  Registry& registry = TheRegistry();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  const auto found =
      std::find_if(registry.tracers.begin(), registry.tracers.end(),
                   [condition](const Registered& entry) { return condition(*entry.tracer); });
  if (found == registry.tracers.end()) return nullptr;
  TracerImpl* const tracer = found->tracer;
  registry.tracers.erase(found);
  return tracer;
}

}  // namespace tracekin
