// SPDX-License-Identifier: Apache-2.0
#include "exporter/module.h"

#include <dlfcn.h>

#include <stdexcept>
#include <string>
#include <string_view>

#include "base/open_module.h"
#include "exporter/destination.h"

namespace tracekin::exporter {
namespace {

// Returns null if the file cannot be loaded or is not a module. dlerror() returns the reason.
const ExporterModule* Load(const std::string& file) {
  void* const object = OpenModule(file);
  void* const symbol = object != nullptr ? dlsym(object, "tracekin_exporter_module") : nullptr;
  if (symbol == nullptr) return nullptr;
  return reinterpret_cast<decltype(&tracekin_exporter_module)>(symbol)();
}

}  // namespace

const ExporterModule& LoadExporterModule(std::string_view name, std::string_view setting) {
  const std::string file = "libtracekin_" + std::string(name) + ".so";
  const std::string needs = std::string(setting) + " needs " + file;
  const ExporterModule* const module = Load(file);
  if (module == nullptr) {
    const char* const reason = dlerror();
    throw std::runtime_error(needs + " from the Debian package libtracekin-" + std::string(name) +
                             "0, which cannot be loaded (" +
                             (reason != nullptr ? reason : "no reason given") +
                             "); no module is needed for " + WithoutModule());
  }
  constexpr std::string_view kOurs = TRACEKIN_EXPORTER_MODULE_VERSION;
  if (module->version != kOurs) {
    throw std::runtime_error(needs + " of this version of tracekin, " + std::string(kOurs) +
                             "; found " + module->version);
  }
  return *module;
}

}  // namespace tracekin::exporter
