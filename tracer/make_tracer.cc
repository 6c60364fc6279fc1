#include <unistd.h>

#include <exception>
#include <filesystem>
#include <system_error>

#include "configuration/check.h"
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

// A relative path is one from the working folder of now, for the host may change that, and the file is
// opened later, by each process of a fork.
std::string AbsolutePath(const std::string& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  return error ? path
               : absolute.string();  // no working folder: the exporter will say what is wrong
}

std::shared_ptr<Exporter> MakeExporter(const Options& options) {
  const ExporterOptions& exporter = options.exporter;
  const bool to_file = ExportsToFile(exporter);
  const auto framing =
      to_file ? ZipkinJsonEncoder::Framing::kLines : ZipkinJsonEncoder::Framing::kArray;
  Exporter::MakeTransport make_transport;
  if (to_file) {
    make_transport = [path = AbsolutePath(exporter.path)]() -> std::unique_ptr<Transport> {
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
  return {new TracerImpl(options, std::move(propagation), MakeExporter(options)),
          TracerImpl::Retire};
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
