// SPDX-License-Identifier: Apache-2.0
// Reads and prints a configuration without enough memory: every allocation fails in turn, including
// those of the JSON library.
#include <gtest/gtest.h>
#include <pthread.h>

#include <new>
#include <string>

#include "tests/support/failing_malloc.h"
#include "tracekin/configuration.h"

namespace tracekin::testing {
namespace {

// Calls `work` with too little memory, then with one more allocation each time until it succeeds.
template <class Work>
void LackMemoryEverywhere(Work work) {
  long good = 0;
  for (bool done = false; !done; ++good) {
    ASSERT_LT(good, 100'000);
    pthread_setname_np(pthread_self(), "tracekin-test");
    FailAllocations(good, 1'000'000);
    try {
      work();
      done = true;
    } catch (const std::bad_alloc&) {
    }
    EndFailingAllocations();
    pthread_setname_np(pthread_self(), "test");
  }
  EXPECT_GT(good, 3) << "failures were really tried";
}

std::string LargeConfiguration() {
  std::string json = R"({"service_name": "frontend", "sampler": {"rate": 0.25}, "tags": {)";
  for (int i = 0; i < 300; ++i) {
    json += '"' + std::to_string(i) + R"(": ")" + std::string(1000, 'x') + "\",";
  }
  json.back() = '}';
  return json + "}";
}

TEST(ConfigurationWithoutMemory, IsNeverReadThroughANullPointer) {
  for (const std::string& json : {LargeConfiguration(), std::string(10'000, '['),
                                  std::string(R"({"sampler": {"rate": 12345678901234567890}})")}) {
    LackMemoryEverywhere([&json] {
      Options options;
      std::string error;
      static_cast<void>(ParseConfiguration(json, &options, &error));
    });
  }
}

TEST(ConfigurationWithoutMemory, IsNeverPrintedThroughANullPointer) {
  Options options;
  std::string error;
  ASSERT_TRUE(ParseConfiguration(LargeConfiguration(), &options, &error)) << error;
  LackMemoryEverywhere([&options] { PrintConfiguration(options); });
}

}  // namespace
}  // namespace tracekin::testing
