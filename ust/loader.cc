// SPDX-License-Identifier: Apache-2.0
#include "ust/loader.h"

#include <dlfcn.h>

#include <cstdint>

#include "base/open_module.h"

namespace tracekin::ust {
namespace {

constexpr int kNeverEnabled = 0;

// The recorder that is used without a provider. It records nothing. The functions exist for callers
// that do not check whether an event is enabled.
constexpr tracekin_ust_recorder kDormant = {
    TRACEKIN_UST_ABI,
    &kNeverEnabled,
    &kNeverEnabled,
    {&kNeverEnabled, &kNeverEnabled, &kNeverEnabled, &kNeverEnabled},
    &kNeverEnabled,
    &kNeverEnabled,
    &kNeverEnabled,
    &kNeverEnabled,
    &kNeverEnabled,
    &kNeverEnabled,
    &kNeverEnabled,
    &kNeverEnabled,
    &kNeverEnabled,
    [](const tracekin_ust_span*) {},
    [](const tracekin_ust_span*) {},
    [](tracekin_ust_level, const tracekin_ust_ids*, const char*) {},
    [](const tracekin_ust_ids*) {},
    [](const tracekin_ust_ids*) {},
    [](const tracekin_ust_stats*) {},
    [](const tracekin_ust_span*) {},
    [](const tracekin_ust_span*) {},
    [](const tracekin_ust_zipkin*, const char*) {},
    [](const tracekin_ust_zipkin*, const char*, const char*) {},
    [](const tracekin_ust_zipkin*, const char*, const char*) {},
    [](const tracekin_ust_zipkin*, const char*, std::int64_t) {},
};

// Uses the provider of another copy of tracekin in the process (for example in a plugin), if there
// is one. Two providers would register the same events and the same fork hooks twice.
void* OpenProvider() {
  if (void* loaded = dlopen(TRACEKIN_UST_SONAME, kModuleMode | RTLD_NOLOAD)) return loaded;
  return OpenModule(TRACEKIN_UST_SONAME);
}

}  // namespace

namespace internal {
std::atomic<const tracekin_ust_recorder*> recorder{&kDormant};
}

// Takes no lock, because dlopen() has its own and returns the same provider to a second caller.
bool LoadProvider(std::string* error) {
  if (Recorder() != &kDormant) return true;

  void* provider = OpenProvider();
  void* symbol = provider != nullptr ? dlsym(provider, "tracekin_ust_provider") : nullptr;
  if (symbol == nullptr) {
    const char* reason = dlerror();
    *error = reason != nullptr ? reason : TRACEKIN_UST_SONAME ": tracekin_ust_provider is null";
    return false;
  }
  const auto* recorder = reinterpret_cast<decltype(&tracekin_ust_provider)>(symbol)();
  if (recorder->abi != TRACEKIN_UST_ABI) {
    *error = TRACEKIN_UST_SONAME ": its tracer interface has version " +
             std::to_string(recorder->abi) + ", but the tracer requires version " +
             std::to_string(TRACEKIN_UST_ABI);
    return false;
  }
  internal::recorder.store(recorder, std::memory_order_release);
  return true;
}

}  // namespace tracekin::ust
