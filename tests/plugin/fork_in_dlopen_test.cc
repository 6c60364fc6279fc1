// SPDX-License-Identifier: Apache-2.0
// Demonstrates a limit of forks during dlopen(). In the child, glibc resets the lock of its list of
// loaded objects, but not the list itself, which another thread may have been changing. If the
// child then loads the plugin, it may hang or crash.
//
// This is a separate program, because no other test may load the plugin earlier.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "tests/support/background.h"
#include "tests/support/fork.h"

namespace tracekin::testing {
namespace {

bool AChildCanLoadThePlugin() {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGALRM, SIG_DFL);
    alarm(5);
    _exit(dlopen(TRACEKIN_PLUGIN, RTLD_NOW) != nullptr ? 0 : 1);
  }
  return AwaitChild(child) == 0;
}

TEST(ForkDuringDlopenLimit, AChildMayHangOrCrashIfItLoadsThePluginAndTheHostWasInDlopen) {
  TRACEKIN_SKIP_WITHOUT_MEMORY_AFTER_FORK();
  constexpr int kMostForks = 1000;  // between one in ten and one in two forks fails
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(AChildCanLoadThePlugin());
  Background host;
  std::atomic<int> loads{0};
  host.Repeat([&] {
    void* const library = dlopen("libz.so.1", RTLD_NOW);
    ASSERT_NE(library, nullptr) << dlerror();
    dlclose(library);
    ++loads;
  });
  while (loads == 0) std::this_thread::yield();
  int forks = 0;
  while (forks < kMostForks && AChildCanLoadThePlugin()) ++forks;
  EXPECT_LT(forks, kMostForks) << "no child failed: the limit may be gone";
}

}  // namespace
}  // namespace tracekin::testing
