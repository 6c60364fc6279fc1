// SPDX-License-Identifier: Apache-2.0
// Finds the LTTng-UST provider at run time.
//
// Thread-safety: any thread may call these at any time.
#ifndef TRACEKIN_UST_LOADER_H
#define TRACEKIN_UST_LOADER_H

#include <atomic>
#include <string>

#include "ust/recorder.h"

namespace tracekin {

namespace internal {
extern std::atomic<const tracekin_ust_recorder*> ust_recorder;
}

/// The recorder that every tracer uses: a dormant one (nothing is ever enabled) until
/// LoadUstProvider() has succeeded. Never null. Reading it costs one load.
inline const tracekin_ust_recorder* UstRecorder() noexcept {
  return internal::ust_recorder.load(std::memory_order_acquire);
}

/// Whether some session listens to the event whose state word, of the recorder's, this is.
inline bool UstEnabled(const int* state) noexcept {
  return __builtin_expect(__atomic_load_n(state, __ATOMIC_RELAXED), 0) != 0;
}

/// Loads libtracekin_ust.so, unless that was done: the copy that is in the process already, else
/// the one in the folder of the object that holds this code, else by the dynamic loader's search
/// path. It stays loaded for the life of the process, for LTTng keeps pointers into it. Not for a
/// request's path: LTTng connects to its session daemon meanwhile, and waits for it for up to 3 s
/// (LTTNG_UST_REGISTER_TIMEOUT, lttng-ust(3)).
///
/// Returns false, with the dynamic loader's words in `error`, when the provider or liblttng-ust is
/// not there; no span event is recorded then and nothing else changes. Another call tries again.
bool LoadUstProvider(std::string* error);

}  // namespace tracekin

#endif  // TRACEKIN_UST_LOADER_H
