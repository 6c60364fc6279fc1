#include "tracer/make_exporter.h"

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "configuration/check.h"
#include "exporter/file_transport.h"
#include "exporter/http_transport.h"
#ifdef TRACEKIN_HAVE_KAFKA
#include "exporter/kafka_transport.h"
#endif
#include "exporter/zipkin_json_encoder.h"

namespace tracekin {

namespace {

// A relative path is one from the working folder of now, for the host may change that, and the file is
// opened later, by each process of a fork.
std::string AbsolutePath(const std::string& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  return error ? path
               : absolute.string();  // no working folder: the exporter will say what is wrong
}

// The transport opens its files later.
ExporterOptions WithAbsolutePaths(ExporterOptions options) {
  for (std::string* path : {&options.path, &options.bearer_file, &options.basic_file,
                            &options.ca_file, &options.client_certificate, &options.client_key,
                            &options.unix_socket, &options.kafka_config_file}) {
    if (!path->empty()) *path = AbsolutePath(*path);
  }
  return options;
}

Exporter::MakeEncoder ChooseEncoder(const ExporterOptions& options) {
  const auto framing = ExporterType(options) == "file" ? ZipkinJsonEncoder::Framing::kLines
                                                       : ZipkinJsonEncoder::Framing::kArray;
  return [framing] { return std::make_unique<ZipkinJsonEncoder>(framing); };
}

Exporter::MakeTransport ChooseTransport(const ExporterOptions& options) {
  if (options.make_transport) return options.make_transport;
  if (ExporterType(options) == "file") {
    return [options = WithAbsolutePaths(options)] {
      return std::make_unique<FileTransport>(options.path, options.rotate_bytes,
                                             options.rotate_files);
    };
  }
#ifdef TRACEKIN_HAVE_KAFKA
  if (options.type == "kafka") {
    KafkaTransport::Check(WithAbsolutePaths(options));
    return [options = WithAbsolutePaths(options)] {
      return std::make_unique<KafkaTransport>(options);
    };
  }
#endif
  return [options = WithAbsolutePaths(options)] {
    return std::make_unique<HttpTransport>(options, "application/json");
  };
}

}  // namespace

std::shared_ptr<Exporter> MakeExporter(const Options& options) {
  return std::make_shared<Exporter>(options.exporter, options.service_name,
                                    ChooseEncoder(options.exporter),
                                    ChooseTransport(options.exporter), options.logger);
}

}  // namespace tracekin
