// SPDX-License-Identifier: Apache-2.0
// An exporter module of a tracekin version that does not exist.
#include "exporter/module.h"

const tracekin::exporter::ExporterModule* tracekin_exporter_module() noexcept {
  static constexpr tracekin::exporter::ExporterModule kModule = {"0.0.1, module interface 0",
                                                                 nullptr, nullptr, nullptr};
  return &kModule;
}
