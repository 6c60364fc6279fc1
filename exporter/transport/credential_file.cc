// SPDX-License-Identifier: Apache-2.0
#include "exporter/transport/credential_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/base64.h"
#include "base/standard_descriptors.h"

namespace tracekin {

namespace {

constexpr std::size_t kMaxBytes = 65536;

// A file that was written so shortly before it was read may be written again within one tick of the
// clock that stamps it, and look the same.
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
  // Without O_NONBLOCK this would wait for the writer of a FIFO.
  const int descriptor =
      AboveStandardDescriptors(open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (descriptor < 0) return "cannot open " + path_ + ": " + std::generic_category().message(errno);
  std::string error;
  try {
    error = Read(descriptor);
  } catch (...) {
    close(descriptor);
    throw;
  }
  close(descriptor);
  return error;
}

bool CredentialFile::IsAsItWas(const struct stat& file) const {
  return file.st_dev == file_.st_dev && file.st_ino == file_.st_ino &&
         file.st_size == file_.st_size && IsSame(file.st_mtim, file_.st_mtim) &&
         IsSame(file.st_ctim, file_.st_ctim) && read_.tv_sec - file.st_mtim.tv_sec > kFreshSeconds;
}

std::string CredentialFile::Read(int descriptor) {
  clock_gettime(CLOCK_REALTIME, &read_);
  if (fstat(descriptor, &file_) != 0 || !S_ISREG(file_.st_mode)) return path_ + " is not a file";
  std::string content(kMaxBytes + 1, '\0');
  const ssize_t size = read(descriptor, content.data(), content.size());
  if (size < 0) return "cannot read " + path_ + ": " + std::generic_category().message(errno);
  if (static_cast<std::size_t>(size) > kMaxBytes) return path_ + " is longer than a credential";
  content.resize(static_cast<std::size_t>(size));
  if (!content.empty() && content.back() == '\n') content.pop_back();
  if (!content.empty() && content.back() == '\r') content.pop_back();
  return Take(content);
}

std::string CredentialFile::Take(std::string_view credential) {
  if (credential.empty()) return path_ + " is empty";
  if (scheme_ == Scheme::kBearer) {
    if (!std::all_of(credential.begin(), credential.end(), IsPrintable)) {
      return path_ + " does not hold one token alone";
    }
    authorization_.assign("Bearer ").append(credential);
  } else {
    if (credential.find(':') == std::string_view::npos ||
        std::any_of(credential.begin(), credential.end(), IsControl)) {
      return path_ + " does not hold one line user:password";
    }
    authorization_ = "Basic ";
    AppendBase64(credential, &authorization_);
  }
  return {};
}

}  // namespace tracekin
