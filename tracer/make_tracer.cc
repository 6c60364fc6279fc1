// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <string>

#include "base/no_cancellation.h"
#include "base/standard_error.h"
#include "configuration/check.h"
#include "configuration/table.h"
#include "exporter/destination.h"
#include "tracekin/configuration.h"
#include "tracekin/tracer.h"
#include "tracer/tracer_impl.h"
#include "ust/loader.h"

namespace tracekin {

namespace {

std::shared_ptr<Tracer> MakeCheckedTracer(const Options& options, std::string* error) {
  auto propagation = propagation::Propagation::Make(options.propagation.inject,
                                                    options.propagation.extract, error);
  if (propagation == nullptr) return nullptr;
  if (options.print_configuration) {
    options.logger(LogLevel::kInfo, "configuration: " + PrintConfiguration(options));
  }
  if (configuration::SendsCredentialsInClear(options.exporter)) {
    options.logger(LogLevel::kWarning,
                   "credentials are sent unencrypted: exporter.endpoint is http:// and on another "
                   "machine");
  }
  std::string reason;
  if (options.ust.enabled && !ust::LoadProvider(&reason)) {
    options.logger(LogLevel::kWarning,
                   "ust.enabled is set, but no UST event will be recorded: " + reason);
  }
  const std::shared_ptr<exporter::Exporter> exporter =
      exporter::MakeExporter(options.exporter, exporter::ResourceOf(options), options.logger);
  std::shared_ptr<Tracer> tracer(new TracerImpl(options, std::move(propagation), exporter),
                                 TracerImpl::Retire);
  exporter->AwaitReady();
  return tracer;
}

}  // namespace

std::shared_ptr<Tracer> MakeTracer(const Options& options, std::string* error) noexcept {
  const NoCancellation no_cancellation;
  std::string ignored;
  if (error == nullptr) error = &ignored;
  try {
    if (!ValidateOptions(options, error)) return nullptr;
    Options complete = options;
    configuration::MakePathsAbsolute(&complete);
    if (!complete.logger) {
      complete.logger = [](LogLevel, const std::string& line) { SayOnStandardError(line); };
    }
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
