// SPDX-License-Identifier: Apache-2.0
// Forks while another thread makes the plugin's first tracer in the process and loads the
// exporter's modules. It is a separate program, because no other test may make a tracer before.
#include <gtest/gtest.h>
#include <opentracing/dynamic_load.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <thread>

#include "tests/exporter/transport/fault_server.h"
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

  std::shared_ptr<opentracing::Tracer> Make(const std::string& exporter) const {
    const std::string configuration =
        R"({"service_name": "a", "exporter": {"close_timeout_ms": 10000, )" + exporter + "}}";
    std::string error;
    const auto tracer = handle_->tracer_factory().MakeTracer(configuration.c_str(), error);
    EXPECT_TRUE(tracer) << error;
    return tracer.value_or(nullptr);
  }

  /// In a process that has not made a tracer yet, forks while another thread runs `use`, each time
  /// at a later moment. The child runs `use` as well. Returns the number of forks.
  template <class Use>
  int ForkDuring(int step_us, Use use) const {
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
    return forks;
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

TEST_F(ForkDuringFirstUse, OfLibcurlByAModuleDoesNotHangItsChildsExporter) {
  const FaultServer server([](FaultServer::Connection& c) {
    c.Write(std::string("\0\0\0\x14\0\0\0\3Log\2\0\0\0\0\x08\0\0\0\0\0\0\0", 24));
  });
  const std::string exporter =
      R"("endpoint": "scribe://127.0.0.1:)" + std::to_string(server.port()) + '"';
  Make(exporter);  // loads the module; libcurl is not used before there is a span
  const int forks = ForkDuring(100, [&] { Make(exporter)->StartSpan("span"); });
  EXPECT_EQ(server.requests().size(), 2U * static_cast<unsigned>(forks));
}

}  // namespace
}  // namespace tracekin::testing
