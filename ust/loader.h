// SPDX-License-Identifier: Apache-2.0
// Finds the LTTng-UST provider at run time.
//
// Thread-safety: any thread may call these at any time.
#ifndef TRACEKIN_UST_LOADER_H
#define TRACEKIN_UST_LOADER_H

#include <atomic>
#include <string>

#include "base/private_api.h"
#include "ust/recorder.h"

namespace tracekin::ust {

namespace internal {
extern TRACEKIN_PRIVATE_API std::atomic<const tracekin_ust_recorder*> recorder;
}

/// Returns the recorder that every tracer uses. It is never null. Until LoadProvider() has
/// succeeded, it is a dormant recorder whose events are never enabled. Costs one load.
inline const tracekin_ust_recorder* Recorder() noexcept {
  return internal::recorder.load(std::memory_order_acquire);
}

/// Returns whether a session records the event whose state word `state` is. The recorder contains
/// the state words.
inline bool Enabled(const int* state) noexcept {
  return __builtin_expect(__atomic_load_n(state, __ATOMIC_RELAXED), 0) != 0;
}

/// Loads libtracekin_ust.so unless that has been done. Prefers a copy that is already in the
/// process, then the file in the folder of the object that contains this code, and then the dynamic
/// loader's search path. The library stays loaded for the life of the process, because LTTng keeps
/// pointers into it. Too slow for a request's path: LTTng connects to its session daemon and waits
/// for it for up to 3 s (LTTNG_UST_REGISTER_TIMEOUT, lttng-ust(3)).
///
/// Returns false, with the dynamic loader's message in `error`, if the provider or liblttng-ust is
/// missing. Then no span events are recorded, and nothing else changes. A later call tries again.
TRACEKIN_PRIVATE_API bool LoadProvider(std::string* error);

}  // namespace tracekin::ust

#endif  // TRACEKIN_UST_LOADER_H
