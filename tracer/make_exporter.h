// SPDX-License-Identifier: Apache-2.0
// What the options name: an exporter with the encoder and the transport that it is to work with.
#ifndef TRACEKIN_TRACER_MAKE_EXPORTER_H
#define TRACEKIN_TRACER_MAKE_EXPORTER_H

#include <memory>

#include "exporter/pipeline/exporter.h"
#include "tracekin/options.h"

namespace tracekin {

/// Relative paths are those from the working folder of now, for files are opened later.
void MakePathsAbsolute(ExporterOptions* options);

/// REQUIRES: valid options, with a logger and absolute paths.
/// Throws std::runtime_error if a module (exporter/module.h) is missing, or refuses the options.
std::shared_ptr<Exporter> MakeExporter(const Options& options);

}  // namespace tracekin

#endif  // TRACEKIN_TRACER_MAKE_EXPORTER_H
