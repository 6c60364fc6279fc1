// SPDX-License-Identifier: Apache-2.0
#include "ust/loader.h"

#include <dlfcn.h>

#include "base/open_module.h"

namespace tracekin {
namespace {

constexpr int kNeverEnabled = 0;

// What is recorded without a provider: nothing. The functions are there for callers that do not
// look first.
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

// A second copy of tracekin in the process (a plugin beside the library) must use the first one's
// provider: two of them would register the same events, and the same fork hooks, twice.
void* OpenProvider() {
  if (void* loaded = dlopen(TRACEKIN_UST_SONAME, kModuleMode | RTLD_NOLOAD)) return loaded;
  return OpenModule(TRACEKIN_UST_SONAME);
}

}  // namespace

namespace internal {
std::atomic<const tracekin_ust_recorder*> ust_recorder{&kDormant};
}

// Takes no lock: dlopen() has its own, and whoever comes second gets the same provider.
bool LoadUstProvider(std::string* error) {
  if (UstRecorder() != &kDormant) return true;

  void* provider = OpenProvider();
  void* symbol = provider != nullptr ? dlsym(provider, "tracekin_ust_provider") : nullptr;
  if (symbol == nullptr) {
    const char* reason = dlerror();
    *error = reason != nullptr ? reason : TRACEKIN_UST_SONAME ": tracekin_ust_provider is null";
    return false;
  }
  const auto* recorder = reinterpret_cast<decltype(&tracekin_ust_provider)>(symbol)();
  if (recorder->abi != TRACEKIN_UST_ABI) {
    *error = TRACEKIN_UST_SONAME ": has version " + std::to_string(recorder->abi) +
             " of the interface to the tracer, not " + std::to_string(TRACEKIN_UST_ABI);
    return false;
  }
  internal::ust_recorder.store(recorder, std::memory_order_release);
  return true;
}

}  // namespace tracekin
