// SPDX-License-Identifier: Apache-2.0
// libtracekin_plugin.so: implements the functions for opentracing::DynamicallyLoadTracingLibrary.
//
// The contract is in <opentracing/dynamic_load.h> and <opentracing/tracer_factory.h>. A host such
// as HAProxy shows its operator only the error message, so each message must be self-contained.

#include <opentracing/dynamic_load.h>
#include <opentracing/tracer_factory.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <system_error>
#include <utility>

#include "configuration/json.h"
#include "tracekin/configuration.h"
#include "tracekin/tracer.h"
#include "tracer/log.h"
#include "tracer/preload.h"

namespace tracekin {
namespace {

class TracerFactory final : public opentracing::TracerFactory {
 public:
  opentracing::expected<std::shared_ptr<opentracing::Tracer>> MakeTracer(
      const char* configuration, std::string& error_message) const noexcept override try {
    Options options;
    std::string error;
    const configuration::ConfigurationStatus status = configuration::ReadConfiguration(
        configuration == nullptr ? "" : configuration, &options, &error);
    if (status == configuration::ConfigurationStatus::kOk && ApplyEnvironment(&options, &error)) {
      LogUnknownVariables(options);
      if (std::shared_ptr<Tracer> tracer = tracekin::MakeTracer(options, &error)) {
        return std::shared_ptr<opentracing::Tracer>(std::move(tracer));
      }
    }
    error_message = "tracekin: " + error;
    return opentracing::make_unexpected(status == configuration::ConfigurationStatus::kMalformed
                                            ? opentracing::configuration_parse_error
                                            : opentracing::invalid_configuration_error);
  } catch (const std::bad_alloc&) {
    error_message = "out of memory";  // short enough not to allocate
    return opentracing::make_unexpected(std::make_error_code(std::errc::not_enough_memory));
  }
};

int MakeTracerFactory(const char* /*opentracing_version*/, const char* abi_version,
                      const void** error_category, void* error_message,
                      void** tracer_factory) noexcept try {
  // opentracing-cpp's own tests call the plugins of a statically linked program with null pointers.
  if (abi_version == nullptr || error_category == nullptr || tracer_factory == nullptr) return -1;
  if (std::strcmp(abi_version, OPENTRACING_ABI_VERSION) != 0) {
    *error_category = &opentracing::dynamic_load_error_category();
    if (error_message != nullptr) {
      *static_cast<std::string*>(error_message) =
          std::string("tracekin: built for OpenTracing ABI version " OPENTRACING_ABI_VERSION
                      ", but the program that loads it uses version ") +
          abi_version;
    }
    return opentracing::incompatible_library_versions_error.value();
  }
  if (const std::string error = PreloadConfiguration(); !error.empty()) {
    *error_category = &opentracing::dynamic_load_error_category();
    if (error_message != nullptr) *static_cast<std::string*>(error_message) = "tracekin: " + error;
    return opentracing::dynamic_load_failure_error.value();
  }
  *tracer_factory = static_cast<opentracing::TracerFactory*>(new TracerFactory);
  return 0;
} catch (const std::exception&) {
  *error_category = &std::generic_category();
  return ENOMEM;
}

}  // namespace
}  // namespace tracekin

// The macro declares the function without a visibility, and all our symbols are hidden by default.
#pragma GCC visibility push(default)
OPENTRACING_DECLARE_IMPL_FACTORY(tracekin::MakeTracerFactory)
#pragma GCC visibility pop
