// SPDX-License-Identifier: Apache-2.0
#include "base/standard_error.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <string_view>

#include "base/without_signals.h"

namespace tracekin {

namespace {

std::atomic<std::uint64_t> lost_lines{0};

struct Date {
  int year, month, day;
};

// Returns the date of a day that is counted from 1970-01-01. Uses Howard Hinnant's algorithm
// civil_from_days. gmtime_r() takes a lock, which a thread of the parent may hold during a fork.
Date DateOf(std::int64_t days) {
  const std::int64_t from_march_of_0 = days + 719468;
  const std::int64_t era = from_march_of_0 / 146097;
  const std::int64_t day_of_era = from_march_of_0 % 146097;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t month = (5 * day_of_year + 2) / 153;  // from March
  const std::int64_t day = day_of_year - (153 * month + 2) / 5 + 1;
  const bool next_year = month >= 10;
  return {static_cast<int>(year_of_era + era * 400 + next_year),
          static_cast<int>(next_year ? month - 9 : month + 3), static_cast<int>(day)};
}

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

std::string LogLine(std::string_view service, std::string_view message) {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  const std::int64_t second = now.tv_sec % 86400;
  const Date date = DateOf(now.tv_sec / 86400);
  char prefix[100];
  std::snprintf(prefix, sizeof prefix, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ tracekin[%d]",
                date.year, date.month, date.day, static_cast<int>(second / 3600),
                static_cast<int>(second / 60 % 60), static_cast<int>(second % 60),
                static_cast<int>(now.tv_nsec / 1'000'000), static_cast<int>(getpid()));
  std::string line = prefix;
  if (!service.empty()) line.append(" ").append(service);
  return line.append(": ").append(message);
}

bool StandardErrorIsNull() noexcept {
  struct stat file;
  return fstat(STDERR_FILENO, &file) == 0 && S_ISCHR(file.st_mode) && file.st_rdev == makedev(1, 3);
}

void SayOnStandardError(const std::string& message, std::string_view service) {
  const std::uint64_t lost = lost_lines.exchange(0, std::memory_order_relaxed);
  std::string text;
  try {
    if (lost != 0) {
      text = LogLine(service, std::to_string(lost) +
                                  " earlier lines were lost: they could not be written to "
                                  "standard error\n");
    }
    text += LogLine(service, message) + '\n';
  } catch (...) {
    lost_lines.fetch_add(lost + 1, std::memory_order_relaxed);
    throw;
  }
  const WithoutSignals no_signals;
  if (!WriteAtOnce(text)) lost_lines.fetch_add(lost + 1, std::memory_order_relaxed);
}

}  // namespace tracekin
