// SPDX-License-Identifier: Apache-2.0
// Passes spans to the program's own function (ExporterOptions::on_span) in place of a collector.
//
// Thread-safety: any thread may call the functions. What they return belongs to the sender thread.
#ifndef TRACEKIN_EXPORTER_SPAN_RECEIVER_H
#define TRACEKIN_EXPORTER_SPAN_RECEIVER_H

#include <memory>

#include "exporter/encoding/encoder.h"
#include "tracekin/options.h"
#include "tracekin/transport.h"

namespace tracekin::exporter {

/// Makes an encoder that calls `on_span` for each span and leaves the body empty. `on_span` is not
/// empty.
std::unique_ptr<Encoder> MakeReceivingEncoder(const SpanFunction& on_span);

/// Makes a transport that accepts every body and does nothing with it.
std::unique_ptr<Transport> MakeAcceptingTransport();

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_SPAN_RECEIVER_H
