// SPDX-License-Identifier: Apache-2.0
#include "exporter/transport/kept_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

#include "base/append_only_map.h"
#include "base/regular_file.h"

namespace tracekin::exporter {

namespace {

// A file that is written twice within one tick of the clock that stamps it looks unchanged. A file
// that was modified this recently is therefore read again.
constexpr time_t kFreshSeconds = 2;

bool IsSame(const struct timespec& a, const struct timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

AppendOnlyMap preloaded;  // the contents of files by their paths

}  // namespace

KeptFile::KeptFile(std::string path, std::size_t max_bytes)
    : path_(std::move(path)), max_bytes_(max_bytes) {
  if (const std::string* content = preloaded.Find(path_)) content_ = *content;
  Refresh();
}

bool KeptFile::Refresh() {
  if (content_ && error_.empty() && IsAsItWas()) return false;
  clock_gettime(CLOCK_REALTIME, &read_);
  std::string content;
  std::string error = ReadRegularFile(path_, max_bytes_, &content, &file_);
  std::optional<std::string> next = std::move(content);
  if (!error.empty()) next = CanBeOpened() ? std::nullopt : content_;
  const bool changed = next != content_ || error != error_;
  content_ = std::move(next);
  error_ = std::move(error);
  return changed;
}

bool KeptFile::IsAsItWas() const {
  struct stat file;
  return stat(path_.c_str(), &file) == 0 && file.st_dev == file_.st_dev &&
         file.st_ino == file_.st_ino && file.st_size == file_.st_size &&
         IsSame(file.st_mtim, file_.st_mtim) && IsSame(file.st_ctim, file_.st_ctim) &&
         read_.tv_sec - file.st_mtim.tv_sec > kFreshSeconds;
}

bool KeptFile::CanBeOpened() const {
  return faccessat(AT_FDCWD, path_.c_str(), R_OK, AT_EACCESS) == 0;
}

std::string PreloadFile(const std::string& path, std::size_t max_bytes) {
  std::string content;
  const std::string error = ReadRegularFile(path, max_bytes, &content);
  if (!error.empty()) return "cannot read " + path + ": " + error;
  preloaded.Add(path, std::move(content));
  return {};
}

}  // namespace tracekin::exporter
