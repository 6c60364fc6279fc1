// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include <exception>
#include <new>
#include <string>
#include <utility>

#include "base/no_cancellation.h"
#include "configuration/check.h"
#include "configuration/describe.h"
#include "configuration/table.h"
#include "exporter/destination.h"
#include "tracekin/configuration.h"
#include "tracekin/tracer.h"
#include "tracekin/version.h"
#include "tracer/log.h"
#include "tracer/tracer_impl.h"
#include "ust/loader.h"

namespace tracekin {

namespace {

void LogMissingTracer(const Options& options, const std::string& reason) noexcept {
  try {
    LoggerOf(options)(LogLevel::kError, "no tracer is made: " + reason);
  } catch (const std::bad_alloc&) {
    // There is no memory for the message.
  }
}

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

// Calls `make`, which returns a tracer, or nullptr after it has stored the reason in its argument.
// Logs the reason if the caller does not ask for it, so that a missing tracer cannot be overlooked.
template <class Make>
std::shared_ptr<Tracer> TryToMake(const Options& options, std::string* error, Make make) noexcept {
  const NoCancellation no_cancellation;
  std::string reason;
  try {
    if (std::shared_ptr<Tracer> tracer = make(&reason)) return tracer;
  } catch (const std::exception& exception) {
    reason = exception.what();
  }
  if (error != nullptr) {
    *error = std::move(reason);
  } else {
    LogMissingTracer(options, reason);
  }
  return nullptr;
}

std::shared_ptr<Tracer> MakeFrom(const Options& options, std::string* error) {
  if (!ValidateOptions(options, error)) return nullptr;
  Options complete = options;
  configuration::MakePathsAbsolute(&complete);
  complete.logger = LoggerOf(options);
  if (!options.logger) {
    complete.logger(LogLevel::kInfo,
                    "version " TRACEKIN_VERSION "; spans to " +
                        configuration::DescribeDestination(complete.exporter) +
                        "; sampler: " + configuration::DescribeSampler(complete.sampler));
  }
  return MakeCheckedTracer(complete, error);
}

std::shared_ptr<Tracer> MakeFromEnvironment(Options options, std::string* error) {
  if (!ApplyEnvironment(&options, error)) return nullptr;
  LogUnknownVariables(options);
  return MakeFrom(options, error);
}

}  // namespace

std::shared_ptr<Tracer> MakeTracer(const Options& options, std::string* error) noexcept {
  return TryToMake(options, error, [&](std::string* reason) { return MakeFrom(options, reason); });
}

std::shared_ptr<Tracer> MakeTracerFromJson(const std::string& json, std::string* error) noexcept {
  return TryToMake(Options(), error, [&](std::string* reason) {
    Options options;
    return ParseConfiguration(json, &options, reason) ? MakeFromEnvironment(options, reason)
                                                      : nullptr;
  });
}

std::shared_ptr<Tracer> MakeTracerFromFile(const std::string& path, std::string* error) noexcept {
  return TryToMake(Options(), error, [&](std::string* reason) {
    Options options;
    return ParseConfigurationFile(path, &options, reason) ? MakeFromEnvironment(options, reason)
                                                          : nullptr;
  });
}

std::shared_ptr<Tracer> MakeTracerFromEnvironment(std::string* error) noexcept {
  return TryToMake(Options(), error, [](std::string* reason) -> std::shared_ptr<Tracer> {
    Options options;
    const char* const path = secure_getenv("TRACEKIN_CONFIG");
    if (path != nullptr && *path != '\0' && !ParseConfigurationFile(path, &options, reason)) {
      *reason = "TRACEKIN_CONFIG: " + *reason;
      return nullptr;
    }
    return MakeFromEnvironment(options, reason);
  });
}

}  // namespace tracekin
