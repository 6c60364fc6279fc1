// SPDX-License-Identifier: Apache-2.0
// Fuzzes a trace. The input contains its metadata and then one file for each stream, separated by
// lines "====". If the project's own reader finds a trace undamaged, libbabeltrace2 must read the
// same events in the same order.
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include "ctf/error.h"
#include "fuzz/check.h"
#include "tests/support/event_text.h"
#include "tests/support/temp_folder.h"

namespace {

using namespace tracekin;
using ctf::Way;
using tracekin::testing::Reading;

constexpr std::string_view kBetween = "\n====\n";

void WriteTrace(std::string_view input, const std::string& folder) {
  std::string name = "metadata";
  for (int file = 0; file < 5; ++file) {
    const std::size_t end = input.find(kBetween);
    const std::string_view bytes = input.substr(0, end);
    std::ofstream(folder + "/" + name, std::ios::binary) << bytes;
    if (end == input.npos) return;
    input.remove_prefix(end + kBetween.size());
    name = "channel_" + std::to_string(file);
  }
}

std::optional<Reading> Read(const std::string& folder, Way way) {
  try {
    return tracekin::testing::ReadTraces({folder}, way);
  } catch (const ctf::ReadError&) {
  } catch (const ctf::NotUnderstood&) {
  }
  return std::nullopt;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const tracekin::testing::TempFolder folder;
  for (const auto& file : std::filesystem::directory_iterator(folder.path())) {
    std::filesystem::remove(file.path());
  }
  // libbabeltrace2 2.0 divides by zero for a clock without a frequency.
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  if (input.find(" freq = ") == input.npos) return 0;
  WriteTrace(input, folder.path());
  const std::optional<Reading> own = Read(folder.path(), Way::kOwn);
  if (!own || !own->found.damage.empty()) return 0;
  // libbabeltrace2 may reject a harmless trace, for example if an ignored event has two fields of
  // the same name.
  const std::optional<Reading> other = Read(folder.path(), Way::kBabeltrace2);
  if (!other || !other->found.damage.empty()) return 0;
  const std::string difference = tracekin::testing::Difference(*own, *other);
  if (!difference.empty()) std::fprintf(stderr, "%s\n", difference.c_str());
  CHECK(difference.empty());
  return 0;
}
