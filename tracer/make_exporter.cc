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
#include "exporter/scribe_encoder.h"
#include "exporter/scribe_transport.h"
#include "exporter/zipkin_json_encoder.h"
#include "exporter/zipkin_proto3_encoder.h"
#include "exporter/zipkin_thrift_encoder.h"

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

std::unique_ptr<Encoder> MakeEncoder(const ExporterOptions& options) {
  const std::string_view type = ExporterType(options);
  const std::string_view format = ExporterFormat(options);
  if (type == "scribe") return std::make_unique<ScribeEncoder>(options.scribe_category);
  if (format == "proto3") return std::make_unique<ZipkinProto3Encoder>();
  if (format == "thrift") return std::make_unique<ZipkinThriftEncoder>();
  return std::make_unique<ZipkinJsonEncoder>(type == "file" ? ZipkinJsonEncoder::Framing::kLines
                                                            : ZipkinJsonEncoder::Framing::kArray);
}

Exporter::MakeTransport ChooseTransport(const ExporterOptions& options) {
  if (options.make_transport) return options.make_transport;
  const std::string_view type = ExporterType(options);
  if (type == "file") {
    return [options] {
      return std::make_unique<FileTransport>(options.path, options.rotate_bytes,
                                             options.rotate_files);
    };
  }
  if (type == "scribe") return [options] { return std::make_unique<ScribeTransport>(options); };
#ifdef TRACEKIN_HAVE_KAFKA
  if (type == "kafka") {
    KafkaTransport::Check(options);
    return [options] { return std::make_unique<KafkaTransport>(options); };
  }
#endif
  return [options] {
    return std::make_unique<HttpTransport>(options, MakeEncoder(options)->content_type());
  };
}

}  // namespace

void MakePathsAbsolute(ExporterOptions* options) {
  for (std::string* path :
       {&options->path, &options->spool_path, &options->metrics_path, &options->bearer_file,
        &options->basic_file, &options->ca_file, &options->client_certificate, &options->client_key,
        &options->unix_socket, &options->kafka_config_file}) {
    if (!path->empty()) *path = AbsolutePath(*path);
  }
}

std::shared_ptr<Exporter> MakeExporter(const Options& options) {
  return std::make_shared<Exporter>(
      options.exporter, options.service_name,
      [exporter = options.exporter] { return MakeEncoder(exporter); },
      ChooseTransport(options.exporter), options.logger);
}

}  // namespace tracekin
