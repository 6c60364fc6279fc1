// MakeTracer: what a tracer made from options alone does from its first to its last moment.

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "tests/support/fork.h"
#include "tests/support/span_file.h"
#include "tests/support/wait.h"
#include "tracekin/tracer.h"

namespace tracekin::testing {
namespace {

class MakeTracerTest : public ::testing::Test {
 protected:
  /// Whose spans go to `path` when they are flushed.
  static std::shared_ptr<Tracer> Make(const std::string& path) {
    Options options;
    options.service_name = "test";
    options.exporter.path = path;
    options.exporter.flush_interval_ms = 60'000;
    std::string error;
    auto tracer = MakeTracer(options, &error);
    EXPECT_NE(tracer, nullptr) << error;
    return tracer;
  }

  const SpanFile file_;
};

constexpr uid_t kNobody = 65534;
using Names = std::vector<std::string>;

TEST_F(MakeTracerTest, StartsTheExportersThreadsInEachProcess) {
  TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK();
  const std::size_t before = ThreadCount();
  auto tracer = Make(file_.path());
  EXPECT_EQ(ThreadCount(), before + 2);
  InFork([] { EXPECT_EQ(ThreadCount(), 3u); });
  tracer.reset();
  EXPECT_TRUE(Eventually([before] { return ThreadCount() == before; }));
  InFork([] { EXPECT_EQ(ThreadCount(), 1u); });
}

// HAProxy forbids itself new threads before it serves its first request, unless it runs as root.
TEST_F(MakeTracerTest, ExportsWhereNoThreadMayBeStartedLater) {
  TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK();
  const auto tracer = Make(file_.path());
  InFork([&] {
    const rlimit none{0, 0};
    ASSERT_EQ(setrlimit(RLIMIT_NPROC, &none), 0);
    if (geteuid() == 0) {  // root is not bound by limits
      ASSERT_EQ(setuid(kNobody), 0);
    }
    ASSERT_THROW(std::thread([] {}).join(), std::system_error);
    tracer->StartSpan("child");
    EXPECT_TRUE(tracer->Flush(std::chrono::seconds(30)));
  });
  EXPECT_EQ(file_.Values("name"), Names{"child"});
}

TEST_F(MakeTracerTest, KeepsItsFileWhenTheHostChangesItsFolder) {
  const std::filesystem::path before = std::filesystem::current_path();
  const std::filesystem::path path(file_.path());
  std::filesystem::current_path(path.parent_path());
  const auto tracer = Make(path.filename());
  std::filesystem::current_path("/");
  tracer->StartSpan("a");
  tracer->Close();
  std::filesystem::current_path(before);
  EXPECT_EQ(file_.Values("name"), Names{"a"});
}

TEST_F(MakeTracerTest, SendsAtExitWhatNobodyHasClosed) {
  TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK();
  InFork([this] {
    static const auto* const kept = new std::shared_ptr<Tracer>(Make(file_.path()));
    (*kept)->StartSpan("a");
    std::exit(0);
  });
  EXPECT_EQ(file_.Values("name"), Names{"a"});
}

}  // namespace
}  // namespace tracekin::testing
