// SPDX-License-Identifier: Apache-2.0
// How serious a log entry is, by what the application put into it: a field `level` or `severity` with one of
// the usual names, or the `event=error` of OpenTracing's conventions ("Log fields table").
//
// Thread-safety: functions of their arguments.
#ifndef TRACEKIN_TRACER_SEVERITY_H
#define TRACEKIN_TRACER_SEVERITY_H

#include <opentracing/value.h>

#include <algorithm>
#include <string_view>

#include "ust/recorder.h"

namespace tracekin {

/// What one field says; DEBUG if nothing. Names match in any case.
tracekin_ust_level SeverityOf(std::string_view key, const opentracing::Value& value) noexcept;

/// The most serious thing that a field says. `Fields` is a sequence of pairs of a string and a Value.
template <class Fields>
tracekin_ust_level SeverityOf(const Fields& fields) noexcept {
  tracekin_ust_level most = TRACEKIN_UST_DEBUG;
  for (const auto& field : fields) {
    most = std::max(most, SeverityOf({field.first.data(), field.first.size()}, field.second));
  }
  return most;
}

}  // namespace tracekin

#endif  // TRACEKIN_TRACER_SEVERITY_H
