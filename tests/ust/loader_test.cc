// SPDX-License-Identifier: Apache-2.0
#include "ust/loader.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/temp_folder.h"
#include "tests/ust/tested_loader.h"

namespace {

using testing::AllOf;
using testing::HasSubstr;

// Returns the copy of the loader in a folder. CMakeLists.txt lists the files next to it.
const TestedLoader& LoaderAt(const std::string& path) {
  void* object = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(object, nullptr) << dlerror();
  return *static_cast<const TestedLoader*>(dlsym(object, "tested_loader"));
}

const TestedLoader& LoaderIn(const char* folder) {
  return LoaderAt(LOADER_CASES + std::string(folder) + "/tested_loader.so");
}

void ExpectDormant(const TestedLoader& loader) {
  const tracekin_ust_recorder* recorder = loader.recorder();
  ASSERT_NE(recorder, nullptr);
  EXPECT_EQ(recorder->abi, unsigned{TRACEKIN_UST_ABI});
  for (const int* state :
       {recorder->span_start_enabled, recorder->span_finish_enabled,
        recorder->span_log_enabled[TRACEKIN_UST_DEBUG],
        recorder->span_log_enabled[TRACEKIN_UST_ERROR], recorder->scope_enter_enabled,
        recorder->scope_exit_enabled, recorder->jaeger_start_span_enabled,
        recorder->jaeger_end_span_enabled}) {
    EXPECT_FALSE(tracekin::ust::Enabled(state));
  }
  const tracekin_ust_span span = {};
  recorder->span_start(&span);
  recorder->span_finish(&span);
  recorder->jaeger_start_span(&span);
  recorder->jaeger_end_span(&span);
  const tracekin_ust_ids ids = {};
  recorder->span_log(TRACEKIN_UST_DEBUG, &ids, "nobody listens");
  recorder->scope_enter(&ids);
  recorder->scope_exit(&ids);
}

TEST(Loader, StartsWithADormantRecorder) { ExpectDormant(LoaderIn("good")); }

TEST(Loader, SaysThatThereIsNoProviderAndStaysDormant) {
  if (dlopen(TRACEKIN_UST_SONAME, RTLD_LAZY) != nullptr) GTEST_SKIP() << "a provider is installed";
  const TestedLoader& loader = LoaderIn("alone");
  std::string error;
  EXPECT_FALSE(loader.load(&error));
  EXPECT_THAT(error, AllOf(HasSubstr("libtracekin_ust.so"), HasSubstr("No such file")));
  ExpectDormant(loader);
}

TEST(Loader, SaysWhyTheProviderBesideItDoesNotLoad) {
  const TestedLoader& loader = LoaderIn("broken");
  std::string error;
  EXPECT_FALSE(loader.load(&error));
  EXPECT_THAT(error, HasSubstr("loader/broken/libtracekin_ust.so: file too short"));
  ExpectDormant(loader);
}

TEST(Loader, NamesTheSymbolThatIsMissing) {
  const TestedLoader& loader = LoaderIn("without_symbol");
  std::string error;
  EXPECT_FALSE(loader.load(&error));
  EXPECT_THAT(error, AllOf(HasSubstr("without_symbol"), HasSubstr("tracekin_ust_provider")));
  ExpectDormant(loader);
}

TEST(Loader, RefusesAProviderWithAnotherInterface) {
  const TestedLoader& loader = LoaderIn("other_abi");
  std::string error;
  EXPECT_FALSE(loader.load(&error));
  EXPECT_THAT(error, HasSubstr("version 4711"));
  ExpectDormant(loader);
}

TEST(Loader, TakesTheProviderBesideItAndKeepsIt) {
  const TestedLoader& loader = LoaderIn("good");
  std::string error;
  ASSERT_TRUE(loader.load(&error)) << error;
  const tracekin_ust_recorder* recorder = loader.recorder();
  EXPECT_TRUE(tracekin::ust::Enabled(recorder->scope_enter_enabled));
  EXPECT_FALSE(tracekin::ust::Enabled(recorder->scope_exit_enabled));

  ASSERT_TRUE(loader.load(&error)) << error;
  EXPECT_EQ(loader.recorder(), recorder);
}

TEST(Loader, FollowsASymbolicLinkToItself) {
  const tracekin::testing::TempFolder folder;
  const std::string link = folder.path() + "/plugin.so";
  ASSERT_EQ(symlink(LOADER_CASES "good/tested_loader.so", link.c_str()), 0);
  std::string error;
  EXPECT_TRUE(LoaderAt(link).load(&error)) << error;
}

TEST(Loader, ManyThreadsGetTheSameProvider) {
  const TestedLoader& loader = LoaderIn("good");
  std::vector<const tracekin_ust_recorder*> recorders(8);
  std::vector<std::thread> threads;
  threads.reserve(recorders.size());
  for (auto& recorder : recorders) {
    threads.emplace_back([&loader, &recorder] {
      std::string error;
      EXPECT_TRUE(loader.load(&error)) << error;
      recorder = loader.recorder();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(recorders, testing::Each(recorders.front()));
  EXPECT_TRUE(tracekin::ust::Enabled(recorders.front()->scope_enter_enabled));
}

// Runs in a separate process, because the provider stays loaded and would affect other tests.
TEST(Loader, ASecondCopyOfTracekinUsesTheProviderOfTheFirst) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const TestedLoader& first = LoaderIn("with_soname");
        const TestedLoader& second = LoaderIn("good");  // has another provider next to it
        std::string error;
        const bool loaded = first.load(&error) && second.load(&error);
        if (!loaded) std::fputs(error.c_str(), stderr);
        std::exit(loaded && first.recorder() == second.recorder() ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
