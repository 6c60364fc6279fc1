// SPDX-License-Identifier: Apache-2.0
#include "ctf/folders.h"

#include <filesystem>
#include <set>

#include "ctf/error.h"

namespace tracekin::ctf {

namespace fs = std::filesystem;

namespace {

bool HasMetadata(const fs::path& folder) {
  std::error_code none;
  const fs::path file = folder / "metadata";
  return fs::is_regular_file(file, none) && fs::file_size(file, none) > 0;
}

}  // namespace

std::vector<std::string> FindTraces(const std::vector<std::string>& folders) {
  std::set<fs::path> found;
  try {
    for (const std::string& name : folders) {
      const fs::path folder = fs::canonical(name);
      if (HasMetadata(folder)) found.insert(folder);
      for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_directory() && HasMetadata(entry.path())) found.insert(entry.path());
      }
    }
  } catch (const fs::filesystem_error& error) {
    throw ReadError(error.path1().string() + ": " + error.code().message());
  }
  return {found.begin(), found.end()};
}

std::vector<std::string> StreamFiles(const std::string& folder) {
  std::set<fs::path> files;
  try {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      const std::string name = entry.path().filename();
      if (name != "metadata" && name[0] != '.' && entry.is_regular_file() &&
          entry.file_size() > 0) {
        files.insert(entry.path());
      }
    }
  } catch (const fs::filesystem_error& error) {
    throw ReadError(folder + ": " + error.code().message());
  }
  return {files.begin(), files.end()};
}

}  // namespace tracekin::ctf
