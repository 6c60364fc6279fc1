// SPDX-License-Identifier: Apache-2.0
#include "ctf/babeltrace.h"

#include <cstdint>

namespace tracekin::ctf {

std::mutex& BabeltraceMutex() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}

std::string TakeBabeltraceError() {
  const bt_error* const error = bt_current_thread_take_error();
  std::string text;
  const std::uint64_t count = error == nullptr ? 0 : bt_error_get_cause_count(error);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (!text.empty()) text += ": ";
    text += bt_error_cause_get_message(bt_error_borrow_cause_by_index(error, i));
  }
  if (error != nullptr) bt_error_release(error);
  return text.empty() ? "no reason is given" : text;
}

}  // namespace tracekin::ctf
