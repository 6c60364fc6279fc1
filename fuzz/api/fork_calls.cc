// SPDX-License-Identifier: Apache-2.0
// Forks. The child makes some more calls and then ends in one of several ways.
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "fuzz/api/walk.h"
#include "fuzz/check.h"

namespace tracekin {

namespace {

constexpr std::uint64_t kCallsOfAChild = 60;
constexpr unsigned kSecondsOfAChild = 60;  // after that, SIGALRM ends it, which is a failure

[[noreturn]] void GoOnAndEnd(Walk& walk) {
  alarm(kSecondsOfAChild);
  walk.world.TakeAllForks();
  const unsigned end = walk.choices.Below(5);
  if (end == 0) _exit(0);
  walk.Run(kCallsOfAChild);
  if (end == 1) execl("/bin/true", "true", nullptr);
  if (end == 2) std::exit(0);
  walk.world.CloseAll(true);
  _exit(0);
}

void Fork(Walk& walk) {
  if (!walk.world.TakeFork()) return;
  std::unique_lock lock(walk.world);
  const pid_t child = fork();
  lock.unlock();
  if (child == 0) GoOnAndEnd(walk);
  CHECK(child > 0);
  int status = 0;
  while (waitpid(child, &status, 0) != child) CHECK(errno == EINTR);
  if (status != 0) std::fprintf(stderr, "the child's status is %d\n", status);
  CHECK(status == 0);
}

}  // namespace

const std::vector<Walk::Call>& ForkCalls() {
  static const std::vector<Walk::Call> calls = {{"fork", 8, Fork}};
  return calls;
}

}  // namespace tracekin
