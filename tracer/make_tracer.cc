#include <unistd.h>

#include <exception>
#include <filesystem>

#include "exporter/file_transport.h"
#include "exporter/http_transport.h"
#include "exporter/zipkin_json_encoder.h"
#include "tracekin/configuration.h"
#include "tracekin/tracer.h"
#include "tracer/tracer_impl.h"
#include "ust/loader.h"

namespace tracekin {

namespace {

void LogToStandardError(LogLevel, const std::string& message) {
  const std::string line = "tracekin: " + message + '\n';
  // One write, so that lines of several processes do not mix. Nothing can be done where there is no
  // stderr.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

std::shared_ptr<Exporter> MakeExporter(const Options& options) {
  const ExporterOptions& exporter = options.exporter;
  const bool to_file =
      exporter.type == "file" || (exporter.type.empty() && exporter.endpoint.empty());
  const auto framing =
      to_file ? ZipkinJsonEncoder::Framing::kLines : ZipkinJsonEncoder::Framing::kArray;
  Exporter::MakeTransport make_transport;
  if (to_file) {
    // The path is made absolute here, for the host may change its folder before the first span.
    make_transport =
        [path = std::filesystem::absolute(exporter.path).string()]() -> std::unique_ptr<Transport> {
      return std::make_unique<FileTransport>(path);
    };
  } else {
    make_transport = [exporter]() -> std::unique_ptr<Transport> {
      return std::make_unique<HttpTransport>(exporter, "application/json");
    };
  }
  return std::make_shared<Exporter>(
      exporter, options.service_name,
      [framing] { return std::make_unique<ZipkinJsonEncoder>(framing); }, std::move(make_transport),
      options.logger);
}

std::shared_ptr<Tracer> MakeCheckedTracer(const Options& options, std::string* error) {
  auto propagation =
      Propagation::Make(options.propagation.inject, options.propagation.extract, error);
  if (propagation == nullptr) return nullptr;
  if (options.print_configuration) {
    options.logger(LogLevel::kInfo, "configuration: " + PrintConfiguration(options));
  }
  std::string reason;
  if (options.ust.enabled && !LoadUstProvider(&reason)) {
    options.logger(LogLevel::kWarning,
                   "ust.enabled is set, but no UST event will be recorded: " + reason);
  }
  const std::shared_ptr<Exporter> exporter = MakeExporter(options);
  std::shared_ptr<Tracer> tracer(new TracerImpl(options, std::move(propagation), exporter),
                                 TracerImpl::Retire);
  exporter->EnsureRunning();
  return tracer;
}

}  // namespace

std::shared_ptr<Tracer> MakeTracer(const Options& options, std::string* error) noexcept {
  std::string ignored;
  if (error == nullptr) error = &ignored;
  try {
    if (!ValidateOptions(options, error)) return nullptr;
    Options complete = options;
    if (!complete.logger) complete.logger = LogToStandardError;
    return MakeCheckedTracer(complete, error);
  } catch (const std::exception& exception) {
    *error = exception.what();
    return nullptr;
  }
}

std::shared_ptr<Tracer> MakeTracerFromJson(const std::string& json, std::string* error) noexcept {
  std::string ignored;
  if (error == nullptr) error = &ignored;
  try {
    Options options;
    if (!ParseConfiguration(json, &options, error)) return nullptr;
    if (!ApplyEnvironment(&options, error)) return nullptr;
    return MakeTracer(options, error);
  } catch (const std::exception& exception) {
    *error = exception.what();
    return nullptr;
  }
}

}  // namespace tracekin
