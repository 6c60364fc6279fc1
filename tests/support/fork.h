// SPDX-License-Identifier: Apache-2.0
// Forks for tests. The child's assertions count like its parent's, and a child that hangs is
// killed.
#ifndef TRACEKIN_TESTS_SUPPORT_FORK_H
#define TRACEKIN_TESTS_SUPPORT_FORK_H

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

namespace tracekin::testing {

// Use this at the beginning of tests whose child starts threads. The thread sanitizer of GCC 12
// does not support threads in the child of a process with several threads ("dup thread with used
// id").
#ifdef __SANITIZE_THREAD__
#define TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK() \
  GTEST_SKIP() << "the thread sanitizer does not support threads after a fork"
#else
#define TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK() static_cast<void>(0)
#endif

// Use this at the beginning of tests that fork while other threads allocate memory.
#ifdef __SANITIZE_ADDRESS__
#define TRACEKIN_SKIP_WITHOUT_MEMORY_AFTER_FORK() \
  GTEST_SKIP() << "GCC's AddressSanitizer may leave its allocator's locks held in the child"
#else
#define TRACEKIN_SKIP_WITHOUT_MEMORY_AFTER_FORK() TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK()
#endif

constexpr int kForkTimeoutMs = 30'000;

/// Waits for the child and returns its status like waitpid(), or -1 if it hung and was killed.
inline int AwaitChild(pid_t child) {
  pollfd ended{static_cast<int>(syscall(SYS_pidfd_open, child, 0)), POLLIN, 0};
  const bool in_time = poll(&ended, 1, kForkTimeoutMs) == 1;
  close(ended.fd);
  if (!in_time) kill(child, SIGKILL);
  int status = -1;
  waitpid(child, &status, 0);
  return in_time ? status : -1;
}

/// Forks, runs `body` in the child and waits until it has ended. The child's assertions count like
/// those of the parent. Returns the child's process id.
template <class Body>
pid_t InFork(Body body) {
  std::fflush(nullptr);  // otherwise the child writes buffered output again
  const pid_t child = fork();
  if (child == 0) {
    body();
    std::fflush(nullptr);
    _exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  EXPECT_GT(child, 0);
  EXPECT_EQ(AwaitChild(child), 0) << "the child " << child << " hung, crashed or failed";
  return child;
}

}  // namespace tracekin::testing

#endif  // TRACEKIN_TESTS_SUPPORT_FORK_H
