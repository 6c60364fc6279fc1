// SPDX-License-Identifier: Apache-2.0
#include "tools/record/program.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
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

// Turns the child into the command. If that fails, writes errno to `report`.
void Program::Become(char** arguments, const std::optional<Account>& account, int report) const {
  if (!pipe_was_ignored_) signal(SIGPIPE, SIG_DFL);
  sigprocmask(SIG_SETMASK, &inherited_, nullptr);
  if (!account.has_value() || record::Become(*account)) execvp(arguments[0], arguments);
  const int error = errno;
  [[maybe_unused]] const ssize_t written = write(report, &error, sizeof error);
  _exit(127);
}

bool Program::Start(const std::vector<std::string>& command,
                    const std::optional<Account>& account) {
  setenv("TRACEKIN_UST_ENABLED", "true", 0);
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  int ends[2];
  int error = pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno;
  if (error == 0) {
    pid_ = fork();
    if (pid_ == 0) Become(arguments.data(), account, ends[1]);
    if (pid_ < 0) error = errno;
    close(ends[1]);
    // When the command begins, the pipe is closed without any data.
    const bool failed = pid_ > 0 && read(ends[0], &error, sizeof error) == sizeof error;
    if (failed) waitpid(pid_, nullptr, 0);
    close(ends[0]);
  }
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
