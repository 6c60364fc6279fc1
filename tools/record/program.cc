// SPDX-License-Identifier: Apache-2.0
#include "tools/record/program.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/terminal.h"

namespace tracekin::record {

namespace {

bool IsIgnored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

void NoticeEndsOfChildren() { signal(SIGCHLD, SIG_DFL); }

Program::Program() {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGCHLD);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (!IsIgnored(signal)) sigaddset(&signals_, signal);
  }
  sigprocmask(SIG_BLOCK, &signals_, &inherited_);
  pipe_was_ignored_ = signal(SIGPIPE, SIG_IGN) == SIG_IGN;
}

bool Program::Start(const std::vector<std::string>& command) {
  setenv("TRACEKIN_UST_ENABLED", "true", 0);
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setsigmask(&attributes, &inherited_);
  sigset_t restored;
  sigemptyset(&restored);
  if (!pipe_was_ignored_) sigaddset(&restored, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &restored);
  const int error =
      posix_spawnp(&pid_, arguments[0], nullptr, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  if (error == 0) return true;
  pid_ = 0;
  std::fprintf(stderr, "record: cannot run %s: %s\n", ForTerminal(command[0]).c_str(),
               std::strerror(error));
  return false;
}

Program::Event Program::Wait(std::chrono::milliseconds timeout) {
  const timespec limit{timeout.count() / 1000, timeout.count() % 1000 * 1'000'000};
  siginfo_t info{};
  const int signal = sigtimedwait(&signals_, &info, &limit);
  if (signal < 0) return Event::kTimeout;
  if (signal != SIGCHLD) {
    signal_ = signal;
    from_terminal_ = info.si_code == SI_KERNEL;
    return Event::kSignal;
  }
  int status = 0;
  if (pid_ == 0 || waitpid(pid_, &status, WNOHANG) != pid_) return Event::kTimeout;
  pid_ = 0;
  status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return Event::kEnded;
}

void Program::PassOn() const {
  if (pid_ != 0 && !from_terminal_) kill(pid_, signal_);
}

}  // namespace tracekin::record
