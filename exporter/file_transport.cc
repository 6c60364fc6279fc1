#include "exporter/file_transport.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace tracekin {

namespace {

// How soon Interrupt() is noticed while a pipe is full.
constexpr int kPollMs = 20;

bool CanBeAppendedTo(mode_t mode) { return S_ISREG(mode) || S_ISFIFO(mode) || S_ISCHR(mode); }

}  // namespace

FileTransport::FileTransport(std::string path) : path_(std::move(path)) {}

FileTransport::~FileTransport() {
  if (DescriptorIsOurs()) close(descriptor_);
}

SendResult FileTransport::Send(const std::string& body, std::size_t /*spans*/,
                               Clock::time_point deadline) {
  const char* what = "open ";
  int error = EnsureOpen();
  if (error == 0) {
    what = "write to ";
    if (in_mid_line_) error = Write("\n", deadline);
    if (error == 0) error = Write(body, deadline);
  }
  if (error == 0) return {SendStatus::kAccepted, {}};
  return {SendStatus::kFailed,
          "cannot " + (what + path_) + ": " + std::generic_category().message(error)};
}

int FileTransport::EnsureOpen() noexcept {
  if (DescriptorIsOurs()) {
    struct stat named;
    if (stat(path_.c_str(), &named) == 0 && IsOurs(named)) return 0;
    close(descriptor_.exchange(-1));
  }
  descriptor_ = -1;
  return Open();
}

int FileTransport::Open() noexcept {
  // Without O_NONBLOCK this would wait for the reader of a FIFO, and later for its reading.
  const int descriptor =
      open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600);
  if (descriptor < 0) return errno;
  struct stat file;
  if (fstat(descriptor, &file) != 0 || !CanBeAppendedTo(file.st_mode)) {
    close(descriptor);
    return ENOTSUP;
  }
  in_mid_line_ = in_mid_line_ && IsOurs(file);
  device_ = file.st_dev;
  inode_ = file.st_ino;
  descriptor_ = descriptor;
  return 0;
}

int FileTransport::Write(std::string_view bytes, Clock::time_point deadline) noexcept {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor_, bytes.data(), bytes.size());
    if (written > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
      in_mid_line_ = bytes.data()[-1] != '\n';
    } else if (written == 0) {
      return EIO;
    } else if (errno == EAGAIN) {
      if (Clock::now() >= interrupt_.Or(deadline)) return ETIMEDOUT;
      struct pollfd pipe = {descriptor_, POLLOUT, 0};
      poll(&pipe, 1, kPollMs);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

bool FileTransport::IsOurs(const struct stat& file) const noexcept {
  return file.st_dev == device_ && file.st_ino == inode_;
}

bool FileTransport::DescriptorIsOurs() const noexcept {
  struct stat file;
  return descriptor_ != -1 && fstat(descriptor_, &file) == 0 && IsOurs(file);
}

void FileTransport::Interrupt(Clock::time_point deadline) noexcept {
  interrupt_.MoveForward(deadline);
}

void FileTransport::AbandonAfterFork() noexcept {
  if (DescriptorIsOurs()) close(descriptor_);
  descriptor_ = -1;
}

}  // namespace tracekin
