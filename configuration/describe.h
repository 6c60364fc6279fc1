// SPDX-License-Identifier: Apache-2.0
// Describes options in words, for the operator.
//
// Thread-safety: pure functions. They throw only std::bad_alloc.
#ifndef TRACEKIN_CONFIGURATION_DESCRIBE_H
#define TRACEKIN_CONFIGURATION_DESCRIBE_H

#include <string>

#include "tracekin/options.h"

namespace tracekin::configuration {

// Each function requires valid options. The text is printable and does not contain credentials.

/// Returns where spans go, such as "zipkin, as json to http://127.0.0.1:9411/api/v2/spans".
std::string DescribeDestination(const ExporterOptions& exporter);

/// Returns which traces are sampled, such as "1 % of traces; keeps a parent's decision".
std::string DescribeSampler(const SamplerOptions& sampler);

}  // namespace tracekin::configuration

#endif  // TRACEKIN_CONFIGURATION_DESCRIBE_H
