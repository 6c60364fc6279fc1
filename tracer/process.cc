#include "tracer/process.h"

#include <pthread.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <new>
#include <vector>

#include "exporter/curl.h"
#include "tracer/thread_state.h"
#include "tracer/tracer_impl.h"

namespace tracekin {

namespace {

struct Registry {
  std::mutex mutex;
  std::vector<TracerImpl*> tracers;
};

// Never destroyed, for a host may fork while its static objects are; not allocated, for this is called
// where nothing may throw.
Registry& TheRegistry() {
  alignas(Registry) static unsigned char memory[sizeof(Registry)];
  static Registry* const registry = new (memory) Registry;
  return *registry;
}

void BeforeFork() {
  TheRegistry().mutex.lock();
  StopCurlForFork();
}

void AfterForkInParent() {
  ResumeCurlAfterForkInParent();
  TheRegistry().mutex.unlock();
}

void AfterForkInChild() {
  RenewThreadStateAfterFork();
  ResumeCurlAfterForkInChild();  // before there are threads again
  for (TracerImpl* tracer : TheRegistry().tracers) tracer->AfterForkInChild();
  TheRegistry().mutex.unlock();
}

void AtExit() {
  const std::lock_guard<std::mutex> lock(TheRegistry().mutex);
  for (TracerImpl* tracer : TheRegistry().tracers) tracer->Close();
}

}  // namespace

void RegisterTracer(TracerImpl* tracer) {
  static const int registered = [] {
    std::atexit(AtExit);
    return pthread_atfork(BeforeFork, AfterForkInParent, AfterForkInChild);
  }();
  static_cast<void>(registered);
  Registry& registry = TheRegistry();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  registry.tracers.push_back(tracer);
}

TracerImpl* UnregisterTracer(bool (*condition)(const TracerImpl& tracer)) noexcept {
  Registry& registry = TheRegistry();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  const auto found =
      std::find_if(registry.tracers.begin(), registry.tracers.end(),
                   [condition](const TracerImpl* tracer) { return condition(*tracer); });
  if (found == registry.tracers.end()) return nullptr;
  TracerImpl* const tracer = *found;
  registry.tracers.erase(found);
  return tracer;
}

}  // namespace tracekin
