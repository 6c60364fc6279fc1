// Forks while another thread makes the plugin's first tracer in this process, and loads the exporter's
// modules. A program of its own: no other test may have made a tracer before.
#include <gtest/gtest.h>
#include <opentracing/dynamic_load.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "tests/support/attack.h"
#include "tests/support/fork.h"

namespace tracekin::testing {
namespace {

constexpr const char* kNoModule = R"("type": "none")";
constexpr const char* kThrift = R"("format": "thrift", "endpoint": "http://127.0.0.1:1/")";
constexpr const char* kKafka = R"("type": "kafka", "kafka_brokers": "127.0.0.1:1")";

class ForkDuringFirstUse : public ::testing::Test {
 protected:
  void SetUp() override {
    TRACEKIN_SKIP_WITHOUT_MEMORY_AFTER_FORK();
    ASSERT_TRUE(handle_) << error_;
  }

  void Make(const char* exporter) const {
    const std::string configuration =
        R"({"service_name": "a", "exporter": {"close_timeout_ms": 1, )" + std::string(exporter) +
        "}}";
    std::string error;
    EXPECT_TRUE(handle_->tracer_factory().MakeTracer(configuration.c_str(), error)) << error;
  }

  /// In a process that has made no tracer yet, forks while another thread runs `use`, each time at a
  /// later moment, and has the child run it, too.
  template <class Use>
  void ForkDuring(int step_us, Use use) const {
    constexpr int kMoments = 25;
    const int forks = Attacks(2 * kMoments);
    for (int i = 0; i < forks && !HasFailure(); ++i) {
      InFork([&] {
        std::thread other(use);
        usleep(static_cast<useconds_t>(i % kMoments * step_us));
        InFork(use);
        other.join();
      });
    }
    ReportAttacks(static_cast<std::uint64_t>(forks), "forks");
  }

 private:
  std::string error_;
  const opentracing::expected<opentracing::DynamicTracingLibraryHandle> handle_ =
      opentracing::DynamicallyLoadTracingLibrary(TRACEKIN_PLUGIN, error_);
};

TEST_F(ForkDuringFirstUse, OfATracerDoesNotHangItsChild) {
  ForkDuring(5, [this] { Make(kNoModule); });
}

TEST_F(ForkDuringFirstUse, OfModulesDoesNotCrashItsChild) {
  ForkDuring(300, [this] {
    Make(kThrift);
    Make(kKafka);
  });
}

}  // namespace
}  // namespace tracekin::testing
