// SPDX-License-Identifier: Apache-2.0
// Replaces libtracekin_ust.so in tests without LTTng. Its scope_enter is always enabled, and the
// other events are never enabled.
#include "ust/recorder.h"

#ifndef WITHOUT_SYMBOL
static const int kEnabled = 1;
static const int kDisabled = 0;

const tracekin_ust_recorder* tracekin_ust_provider(void) {
  static const struct tracekin_ust_recorder recorder = {
      FAKE_ABI,   &kDisabled, &kDisabled, {&kDisabled, &kDisabled, &kDisabled, &kDisabled},
      &kEnabled,  &kDisabled, &kDisabled, &kDisabled,
      &kDisabled, &kDisabled, &kDisabled, &kDisabled,
      &kDisabled, nullptr,    nullptr,    nullptr,
      nullptr,    nullptr,    nullptr,    nullptr,
      nullptr,    nullptr,    nullptr,    nullptr,
      nullptr};
  return &recorder;
}
#endif
