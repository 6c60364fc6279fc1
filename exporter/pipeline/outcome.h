// SPDX-License-Identifier: Apache-2.0
// The result of sending one batch.
#ifndef TRACEKIN_EXPORTER_PIPELINE_OUTCOME_H
#define TRACEKIN_EXPORTER_PIPELINE_OUTCOME_H

#include <cstddef>

#include "tracekin/transport.h"

namespace tracekin::exporter {

struct Outcome {
  SendResult result{SendStatus::kFailed};
  bool no_memory = false;       // kFailed because this process lacks memory
  std::size_t without_ids = 0;  // spans omitted because no collector accepts their ids
  std::size_t unencoded = 0;    // spans omitted because there was no memory to encode them
};

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_PIPELINE_OUTCOME_H
