// SPDX-License-Identifier: Apache-2.0
// The interface to the exporter modules, which use libraries that most hosts should not need:
// libthrift and librdkafka. The modules are separate shared objects, libtracekin_thrift.so and
// libtracekin_kafka.so, which are loaded when the configuration needs them.
//
// The two sides exchange C++ classes (Encoder, Transport, SpanRecord, ExporterOptions) and
// exceptions, so both must come from the same build. A module of another version is rejected.
//
// Thread-safety: any function may be called from any thread at any time.
#ifndef TRACEKIN_EXPORTER_MODULE_H
#define TRACEKIN_EXPORTER_MODULE_H

#include <memory>
#include <string>
#include <string_view>

#include "exporter/encoding/encoder.h"
#include "exporter/transport/resolver.h"
#include "tracekin/options.h"
#include "tracekin/transport.h"
#include "tracekin/version.h"

/// The interface number changes whenever a part of this interface does, even within a version of
/// tracekin.
#define TRACEKIN_EXPORTER_MODULE_VERSION TRACEKIN_VERSION ", module interface 3"

namespace tracekin::exporter {

/// A module's functions. A function is null if the module does not provide it. The functions may
/// throw. REQUIRES: `type` and `format` of the options are set.
struct ExporterModule {
  const char* version;  // the first member in all versions
  std::unique_ptr<Encoder> (*make_encoder)(const ExporterOptions& options);
  // `resolver` is null if there is no name to resolve. librdkafka resolves names itself.
  std::unique_ptr<Transport> (*make_transport)(const ExporterOptions& options,
                                               std::shared_ptr<Resolver> resolver);
  void (*check)(const ExporterOptions& options);  // throws std::runtime_error, naming the key
};

/// Loads libtracekin_`name`.so, which stays loaded. Throws std::runtime_error if that fails. The
/// message names `setting`, the part of the configuration that needs the module.
const ExporterModule& LoadExporterModule(std::string_view name, std::string_view setting);

}  // namespace tracekin::exporter

/// The only symbol that a module exports.
extern "C" __attribute__((visibility("default"))) const tracekin::exporter::ExporterModule*
tracekin_exporter_module() noexcept;

#endif  // TRACEKIN_EXPORTER_MODULE_H
