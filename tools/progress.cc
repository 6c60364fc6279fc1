// SPDX-License-Identifier: Apache-2.0
#include "tools/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace tracekin::tools {

namespace {

constexpr const char* kErase = "\r\x1b[K";  // the escape sequence EL of ECMA-48

std::string Seconds(double seconds) {
  const auto whole = static_cast<long long>(std::ceil(seconds));
  if (whole < 60) return std::to_string(whole) + " s";
  return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
}

}  // namespace

std::string ProgressLine(const std::string& what, double share, double seconds) {
  constexpr int kColumns = 20;
  if (share <= 0) return what + ", for " + Seconds(seconds);
  const double known = std::min(share, 1.0);
  const auto done = static_cast<std::size_t>(std::lround(known * kColumns));
  const std::string percent = std::to_string(std::lround(100 * known));
  return what + "  [" + std::string(done, '#') + std::string(kColumns - done, ' ') + "] " +
         std::string(3 - std::min<std::size_t>(3, percent.size()), ' ') + percent + " %, " +
         Seconds(seconds / known - seconds) + " left";
}

Progress::Progress(std::string what) : what_(std::move(what)), on_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() { Erase(); }

void Progress::Erase() {
  if (shown_) std::fputs(kErase, stderr);
  shown_ = false;
}

void Progress::Update(double share) {
  if (!on_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  shown_ = true;
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  std::fprintf(stderr, "%s%s", kErase, ProgressLine(what_, share, seconds).c_str());
}

}  // namespace tracekin::tools
