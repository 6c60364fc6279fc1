// SPDX-License-Identifier: Apache-2.0
#include "exporter/transport/file_transport.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <system_error>
#include <thread>
#include <utility>

#include "base/crc32c.h"
#include "base/standard_descriptors.h"

namespace tracekin::exporter {

namespace {

// How long a wait for a full pipe may last before Interrupt() is noticed.
constexpr int kPollMs = 20;

// How long to wait for another process to rotate the file. That takes a few renames unless that
// process is stopped.
constexpr std::chrono::milliseconds kLongestRotation{100};
constexpr std::chrono::milliseconds kLockPoll{1};

bool CanBeAppendedTo(mode_t mode) { return S_ISREG(mode) || S_ISFIFO(mode) || S_ISCHR(mode); }

}  // namespace

FileTransport::FileTransport(std::string path, std::uint64_t rotate_bytes,
                             std::uint64_t rotate_files)
    : path_(std::move(path)), rotate_bytes_(rotate_bytes), rotate_files_(rotate_files) {}

SendResult FileTransport::Send(const std::string& body, Clock::time_point deadline) {
  const char* what = "open ";
  int error = EnsureOpen();
  if (error == 0 && IsTooLong(body.size())) error = Rotate(body.size(), deadline);
  if (error == 0) {
    what = "write to ";
    if (in_mid_line_) error = Write("\n", deadline);
    if (error == 0) error = WriteRest(body, deadline);
  }
  if (error == 0) return {SendStatus::kAccepted, {}};
  return {SendStatus::kFailed,
          "cannot " + (what + path_) + ": " + std::generic_category().message(error)};
}

int FileTransport::EnsureOpen() noexcept {
  if (file_.IsOurs() && HasItsName()) return 0;
  file_.Close();
  return Open();
}

int FileTransport::Open() noexcept {
  // Without O_NONBLOCK, opening a FIFO would wait for a reader, and writing would wait for the
  // reader to read.
  const int descriptor = AboveStandardDescriptors(
      open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600));
  if (descriptor < 0) return errno;
  struct stat file;
  if (fstat(descriptor, &file) != 0 || !CanBeAppendedTo(file.st_mode)) {
    close(descriptor);
    return ENOTSUP;
  }
  in_mid_line_ = in_mid_line_ && file_.Is(file);
  file_.Set(descriptor);
  return 0;
}

// Returns whether `coming` more bytes would make the file too long. Returns false unless it is a
// regular file.
bool FileTransport::IsTooLong(std::size_t coming) const noexcept {
  struct stat file;
  if (rotate_bytes_ == 0 || fstat(file_.get(), &file) != 0 || !S_ISREG(file.st_mode)) return false;
  const auto size = static_cast<std::uint64_t>(file.st_size);
  return size > 0 && (size >= rotate_bytes_ || coming > rotate_bytes_ - size);
}

// Rotates the file unless another process holds the lock for too long. Checks everything again
// under the lock, because another process may have rotated the file first. The new file cannot be
// rotated before all renames are done, because it is created by the first process that opens the
// path after the last rename.
int FileTransport::Rotate(std::size_t coming, Clock::time_point deadline) {
  const Clock::time_point until = std::min(Clock::now() + kLongestRotation, deadline);
  while (flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK || Clock::now() >= interrupt_.Or(until)) return 0;
    std::this_thread::sleep_for(kLockPoll);
    if (!HasItsName()) return EnsureOpen();
  }
  if (HasItsName() && IsTooLong(coming)) ShiftOldFiles();
  flock(file_.get(), LOCK_UN);
  return EnsureOpen();
}

// Renames PATH to PATH.1, PATH.1 to PATH.2 and so on, up to the first unused number or the last
// one.
void FileTransport::ShiftOldFiles() const {
  const auto name = [this](std::uint64_t number) {
    return number == 0 ? path_ : path_ + '.' + std::to_string(number);
  };
  std::uint64_t to = 1;
  while (to < rotate_files_ && access(name(to).c_str(), F_OK) == 0) ++to;
  for (; to > 0; --to) {
    if (rename(name(to - 1).c_str(), name(to).c_str()) != 0) return;
  }
}

// Writes `body`. If it is the batch that failed last, writes only the lines that the file does not
// have yet.
int FileTransport::WriteRest(std::string_view body, Clock::time_point deadline) noexcept {
  const bool again = cut_size_ != 0 && cut_size_ == body.size() && cut_sum_ == Crc32c(body);
  const std::size_t there = again ? cut_lines_ : 0;
  const std::string_view rest = body.substr(there);
  const int error = Write(rest, deadline);
  cut_size_ = 0;
  const std::size_t last_line = rest.substr(0, written_).rfind('\n');
  if (error != 0 && (there != 0 || last_line != rest.npos)) {
    cut_size_ = body.size();
    cut_sum_ = Crc32c(body);
    cut_lines_ = there + (last_line == rest.npos ? 0 : last_line + 1);
  }
  return error;
}

int FileTransport::Write(std::string_view bytes, Clock::time_point deadline) noexcept {
  written_ = 0;
  while (!bytes.empty()) {
    const ssize_t written = write(file_.get(), bytes.data(), bytes.size());
    if (written > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
      written_ += static_cast<std::size_t>(written);
      in_mid_line_ = bytes.data()[-1] != '\n';
    } else if (written == 0) {
      return EIO;
    } else if (errno == EAGAIN) {
      if (Clock::now() >= interrupt_.Or(deadline)) return ETIMEDOUT;
      struct pollfd pipe = {file_.get(), POLLOUT, 0};
      poll(&pipe, 1, kPollMs);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

// Returns whether the path still names the open file.
bool FileTransport::HasItsName() const noexcept {
  struct stat named;
  return stat(path_.c_str(), &named) == 0 && file_.Is(named);
}

void FileTransport::Interrupt(Clock::time_point deadline) noexcept {
  interrupt_.MoveForward(deadline);
}

void FileTransport::AbandonAfterFork() noexcept { file_.Close(); }

}  // namespace tracekin::exporter
