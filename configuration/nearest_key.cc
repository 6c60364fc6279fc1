// SPDX-License-Identifier: Apache-2.0
#include "configuration/nearest_key.h"

#include <algorithm>

#include "base/edit_distance.h"
#include "configuration/table.h"

namespace tracekin::configuration {
namespace {

// No known path is longer, so further bytes cannot make a path more similar.
constexpr std::size_t kComparedBytes = 64;

std::string_view LastKey(std::string_view path) { return path.substr(path.rfind('.') + 1); }

}  // namespace

std::string NearestKey(std::string_view path) {
  path = path.substr(0, kComparedBytes);
  const std::string_view last = LastKey(path);
  std::string_view nearest;
  std::size_t nearest_distance = 1 + std::max<std::size_t>(2, last.size() / 3);
  const auto consider = [&](std::string_view candidate, std::size_t distance) {
    if (distance >= nearest_distance) return;
    nearest = candidate;
    nearest_distance = distance;
  };
  for (const Setting& setting : Settings()) {
    consider(setting.path, EditDistance(path, setting.path));
    consider(setting.path, EditDistance(last, LastKey(setting.path)) + 1);
    if (last.size() >= 4 && LastKey(setting.path).substr(0, last.size()) == last) {
      consider(setting.path, 2);
    }
    const std::size_t dot = setting.path.find('.');
    if (dot != std::string_view::npos) {
      const std::string_view group = setting.path.substr(0, dot);
      consider(group, EditDistance(path, group));
    }
  }
  return std::string(nearest);
}

}  // namespace tracekin::configuration
