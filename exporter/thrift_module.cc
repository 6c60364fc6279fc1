// SPDX-License-Identifier: Apache-2.0
// libtracekin_thrift.so: sends spans as Thrift, over HTTP and to Scribe.
#include <memory>
#include <utility>

#include "exporter/encoding/scribe_encoder.h"
#include "exporter/encoding/zipkin_thrift_encoder.h"
#include "exporter/module.h"
#include "exporter/transport/scribe_transport.h"

namespace tracekin::exporter {
namespace {

std::unique_ptr<Encoder> MakeEncoder(const ExporterOptions& options) {
  if (options.type == "scribe") return std::make_unique<ScribeEncoder>(options.scribe_category);
  return std::make_unique<ZipkinThriftEncoder>();
}

std::unique_ptr<Transport> MakeTransport(const ExporterOptions& options,
                                         std::shared_ptr<Resolver> resolver) {
  return std::make_unique<ScribeTransport>(options, std::move(resolver));
}

constexpr ExporterModule kModule = {TRACEKIN_EXPORTER_MODULE_VERSION, MakeEncoder, MakeTransport,
                                    nullptr};

}  // namespace
}  // namespace tracekin::exporter

const tracekin::exporter::ExporterModule* tracekin_exporter_module() noexcept {
  return &tracekin::exporter::kModule;
}
