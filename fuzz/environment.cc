// SPDX-License-Identifier: Apache-2.0
// Configuration from environment variables. The input has a line NAME=VALUE for each.
#include <cstdlib>
#include <string>

#include "fuzz/check.h"
#include "fuzz/input.h"
#include "fuzz/options.h"

namespace {

using namespace tracekin;

// Sets a variable that tracekin reads. Other variables are ignored, because they would stay set.
void SetVariable(std::string_view line) {
  const std::size_t equals = line.find('=');
  const std::string_view name = line.substr(0, equals);
  for (const configuration::Setting& setting : configuration::Settings()) {
    if (equals == line.npos || configuration::EnvironmentName(setting) != name) continue;
    const std::string value(line.substr(equals + 1));
    CHECK(setenv(std::string(name).c_str(), value.c_str(), 1) == 0);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const configuration::Setting& setting : configuration::Settings())
    unsetenv(configuration::EnvironmentName(setting).c_str());
  for (Input input(data, size); !input.rest().empty();) SetVariable(input.TakeLine());
  Options options;
  std::string error;
  if (ApplyEnvironment(&options, &error)) {
    CheckEachSetting(options);
    CheckRoundTrip(options);
  } else {
    CheckMessage(error);
    CheckSame(options, Options{});
  }
  return 0;
}
