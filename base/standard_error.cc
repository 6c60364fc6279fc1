// SPDX-License-Identifier: Apache-2.0
#include "base/standard_error.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <string_view>

namespace tracekin {

namespace {

std::atomic<std::uint64_t> lost_lines{0};

// Hides the signals that a write may raise on the calling thread from the host: SIGPIPE if the
// reader is gone, and SIGXFSZ if a file may not grow.
class WithoutSignals {
 public:
  WithoutSignals() noexcept {
    sigset_t pending;
    sigpending(&pending);
    sigemptyset(&raised_here_);
    for (const int signal : {SIGPIPE, SIGXFSZ}) {
      if (sigismember(&pending, signal) == 0) sigaddset(&raised_here_, signal);
    }
    pthread_sigmask(SIG_BLOCK, &raised_here_, &before_);
  }
  ~WithoutSignals() {
    const timespec at_once{};
    while (sigtimedwait(&raised_here_, nullptr, &at_once) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutSignals(const WithoutSignals&) = delete;
  WithoutSignals& operator=(const WithoutSignals&) = delete;

 private:
  sigset_t raised_here_;
  sigset_t before_;
};

// Returns whether a write to `descriptor` would not block. For a pipe, this means room for PIPE_BUF
// bytes.
bool IsWritable(int descriptor) noexcept {
  pollfd output{descriptor, POLLOUT, 0};
  return poll(&output, 1, 0) == 1 && (output.revents & POLLOUT) != 0;
}

bool SendAll(std::string_view text) noexcept {
  const ssize_t sent = send(STDERR_FILENO, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  return sent == static_cast<ssize_t>(text.size());
}

bool WriteAll(int descriptor, std::string_view text) noexcept {
  while (!text.empty() && IsWritable(descriptor)) {
    const ssize_t written =
        write(descriptor, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (written > 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (written == 0 || errno != EINTR) {
      return false;
    }
  }
  return text.empty();
}

// Writes as much as possible without blocking. Returns whether that was everything.
bool WriteAtOnce(std::string_view text) noexcept {
  struct stat file;
  if (fstat(STDERR_FILENO, &file) != 0) return false;
  if (S_ISSOCK(file.st_mode)) return SendAll(text);
  // Opens a pipe or a terminal a second time to set O_NONBLOCK only there. poll() is not
  // sufficient: the room may be too small for the text, or another process may use it up.
  const int own = S_ISFIFO(file.st_mode) || S_ISCHR(file.st_mode)
                      ? open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
                      : -1;
  const bool all = WriteAll(own != -1 ? own : STDERR_FILENO, text);
  if (own != -1) close(own);
  return all;
}

}  // namespace

void SayOnStandardError(const std::string& message) {
  const std::uint64_t lost = lost_lines.exchange(0, std::memory_order_relaxed);
  std::string text;
  try {
    if (lost != 0) {
      text = "tracekin: " + std::to_string(lost) +
             " earlier lines were lost: they could not be written to standard error\n";
    }
    text += "tracekin: " + message + '\n';
  } catch (...) {
    lost_lines.fetch_add(lost + 1, std::memory_order_relaxed);
    throw;
  }
  const WithoutSignals no_signals;
  if (!WriteAtOnce(text)) lost_lines.fetch_add(lost + 1, std::memory_order_relaxed);
}

}  // namespace tracekin
