// SPDX-License-Identifier: Apache-2.0
#include "exporter/transport/credential_file.h"

#include <algorithm>
#include <utility>

#include "base/base64.h"
#include "base/regular_file.h"

namespace tracekin::exporter {

namespace {

constexpr std::size_t kMaxBytes = 65536;

// A file that is written twice within one tick of the clock that stamps it looks unchanged. A file
// that was modified this recently is therefore read again.
constexpr time_t kFreshSeconds = 2;

bool IsSame(const struct timespec& a, const struct timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

bool IsPrintable(char c) { return c > ' ' && c < '\x7f'; }
bool IsControl(char c) { return (c >= 0 && c < ' ') || c == '\x7f'; }

}  // namespace

CredentialFile::CredentialFile(Scheme scheme, std::string path)
    : scheme_(scheme), path_(std::move(path)) {}

std::string CredentialFile::Refresh() {
  struct stat file;
  if (!authorization_.empty() && stat(path_.c_str(), &file) == 0 && IsAsItWas(file)) return {};
  authorization_.clear();
  clock_gettime(CLOCK_REALTIME, &read_);
  std::string content;
  const std::string error = ReadRegularFile(path_, kMaxBytes, &content, &file_);
  if (!error.empty()) return "cannot read " + path_ + ": " + error;
  if (!content.empty() && content.back() == '\n') content.pop_back();
  if (!content.empty() && content.back() == '\r') content.pop_back();
  return Take(content);
}

bool CredentialFile::IsAsItWas(const struct stat& file) const {
  return file.st_dev == file_.st_dev && file.st_ino == file_.st_ino &&
         file.st_size == file_.st_size && IsSame(file.st_mtim, file_.st_mtim) &&
         IsSame(file.st_ctim, file_.st_ctim) && read_.tv_sec - file.st_mtim.tv_sec > kFreshSeconds;
}

std::string CredentialFile::Take(std::string_view credential) {
  if (credential.empty()) return path_ + " is empty";
  if (scheme_ == Scheme::kBearer) {
    if (!std::all_of(credential.begin(), credential.end(), IsPrintable)) {
      return path_ + " must contain one token and nothing else";
    }
    authorization_.assign("Bearer ").append(credential);
  } else {
    if (credential.find(':') == std::string_view::npos ||
        std::any_of(credential.begin(), credential.end(), IsControl)) {
      return path_ + " must contain one line of the form user:password";
    }
    authorization_ = "Basic ";
    AppendBase64(credential, &authorization_);
  }
  return {};
}

}  // namespace tracekin::exporter
