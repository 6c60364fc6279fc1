// SPDX-License-Identifier: Apache-2.0
// What an exporter does with libraries that most hosts should not need: libthrift and librdkafka. It
// lies in shared objects of its own, libtracekin_thrift.so and libtracekin_kafka.so, which are loaded
// when the configuration asks for them.
//
// The two sides exchange C++ classes (Encoder, Transport, SpanRecord, ExporterOptions) and
// exceptions, so both must come from one build: a module is refused unless its version is ours.
//
// Thread-safety: any thread may call these at any time.
#ifndef TRACEKIN_EXPORTER_MODULE_H
#define TRACEKIN_EXPORTER_MODULE_H

#include <memory>
#include <string>
#include <string_view>

#include "exporter/encoding/encoder.h"
#include "exporter/transport/resolver.h"
#include "tracekin/options.h"
#include "tracekin/transport.h"

/// The number changes whenever something that crosses the seam does, within a version too.
#define TRACEKIN_EXPORTER_MODULE_VERSION TRACEKIN_VERSION ", module interface 2"

namespace tracekin {

/// A function is null if the module has no such thing. They throw what they must; `type` and
/// `format` of the options are set.
struct ExporterModule {
  const char* version;  // the first member whatever the version
  std::unique_ptr<Encoder> (*make_encoder)(const ExporterOptions& options);
  // `resolver` is null where there is no name to resolve; librdkafka resolves by itself.
  std::unique_ptr<Transport> (*make_transport)(const ExporterOptions& options,
                                               std::shared_ptr<Resolver> resolver);
  void (*check)(const ExporterOptions& options);  // throws std::runtime_error that names the key
};

/// Loads libtracekin_`name`.so, which stays loaded. Throws std::runtime_error if that fails;
/// `setting` is what in the configuration needs it.
const ExporterModule& LoadExporterModule(std::string_view name, std::string_view setting);

}  // namespace tracekin

/// A module's one symbol.
extern "C" __attribute__((visibility("default"))) const tracekin::ExporterModule*
tracekin_exporter_module() noexcept;

#endif  // TRACEKIN_EXPORTER_MODULE_H
