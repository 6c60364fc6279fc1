// SPDX-License-Identifier: Apache-2.0
// What became of a batch that was given to the sender.
#ifndef TRACEKIN_EXPORTER_PIPELINE_OUTCOME_H
#define TRACEKIN_EXPORTER_PIPELINE_OUTCOME_H

#include <cstddef>

#include "tracekin/transport.h"

namespace tracekin {

struct Outcome {
  SendResult result{SendStatus::kFailed};
  bool no_memory = false;  // kFailed: this process lacked memory; it says nothing of the collector
  std::size_t without_ids = 0;  // spans that were left out because no collector takes their ids
  std::size_t unencoded = 0;  // spans that were left out because there was no memory to encode them
};

}  // namespace tracekin

#endif  // TRACEKIN_EXPORTER_PIPELINE_OUTCOME_H
