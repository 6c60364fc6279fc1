// SPDX-License-Identifier: Apache-2.0
// A tracer for tests that receives the records of BlkKin's API during its lifetime.
#ifndef TRACEKIN_TESTS_INTEGRATIONS_BLKIN_BLKIN_TRACER_H
#define TRACEKIN_TESTS_INTEGRATIONS_BLKIN_BLKIN_TRACER_H

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/recording_tracer.h"
#include "tracekin/blkin.h"

namespace tracekin::testing {

class BlkinTracer : public RecordingTracer {
 public:
  explicit BlkinTracer(Options options = {}, const BlkinLimits& limits = {})
      : RecordingTracer(std::move(options)) {
    SetBlkinTracer(shared(), limits);
  }
  ~BlkinTracer() { SetBlkinTracer(nullptr); }

  /// Returns the spans that were reported so far, complete or not.
  std::vector<RecordedSpan> Reported() { return Spans(); }

  /// Returns all spans that were recorded.
  std::vector<RecordedSpan> All() {
    EXPECT_TRUE(FlushBlkin(kPatience));
    return Spans();
  }
};

inline std::vector<std::string> Events(const RecordedSpan& span) {
  std::vector<std::string> events;
  for (const auto& log : span.logs) events.push_back(log.second);
  return events;
}

}  // namespace tracekin::testing

#endif  // TRACEKIN_TESTS_INTEGRATIONS_BLKIN_BLKIN_TRACER_H
