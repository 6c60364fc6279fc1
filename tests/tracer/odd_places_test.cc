// SPDX-License-Identifier: Apache-2.0
// Tests files and folders that accept no spans, or not all of them: spans are counted, a message is
// logged, and the host receives no signal.

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "tests/support/attack.h"
#include "tests/support/fork.h"
#include "tests/support/recording_tracer.h"
#include "tests/support/temp_folder.h"

namespace tracekin::testing {
namespace {

constexpr uid_t kNobody = 65534;

class OddPlaces : public ::testing::Test {
 protected:
  OddPlaces() { chmod(folder_.path().c_str(), 0777); }
  void SetUp() override { TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK(); }

  std::string Path(const std::string& name) const { return folder_.path() + '/' + name; }

  /// Exports with `exporter` in a process without privileges. Expects that each span is counted and
  /// a message is logged, or that MakeTracer rejects the options.
  void ExpectCountedAndTold(ExporterOptions exporter) const {
    exporter.retry_max_tries = 2;
    exporter.retry_backoff_ms = exporter.retry_max_backoff_ms = 1;
    exporter.close_timeout_ms = 5000;
    for (int i = Attacks(2); i != 0; --i) {
      InFork([&exporter] {
        const rlimit small{4096, 4096};
        EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
        if (geteuid() == 0) {
          EXPECT_EQ(setuid(kNobody), 0);
        }
        Use(exporter);
      });
    }
    ReportAttacks(static_cast<std::uint64_t>(Attacks(2)), "processes");
  }

  /// The same for a spool at `path` whose collector is not reachable.
  void ExpectSpoolCountedAndTold(const std::string& path) const {
    ExporterOptions exporter;
    exporter.endpoint = "http://127.0.0.1:1/";
    exporter.spool_path = path;
    ExpectCountedAndTold(exporter);
  }

 private:
  static void Use(const ExporterOptions& exporter) {
    const auto said = std::make_shared<LogLines>();
    Options options;
    options.service_name = "test";
    options.exporter = exporter;
    options.logger = [said](LogLevel, const std::string& line) { said->Add(line); };
    std::string error;
    const auto tracer = MakeTracer(options, &error);
    EXPECT_EQ(tracer == nullptr, !error.empty());
    if (tracer == nullptr) return;
    for (int i = 0; i < 200; ++i) tracer->StartSpan("span")->SetTag("key", std::string(100, 'x'));
    tracer->Flush(std::chrono::milliseconds(500));
    tracer->Close();
    EXPECT_TRUE(Conserved(tracer->counters(), 0)) << ::testing::PrintToString(tracer->counters());
    EXPECT_LT(tracer->counters().exported, 200u);
    EXPECT_FALSE(said->lines().empty());
  }

  const TempFolder folder_;
};

TEST_F(OddPlaces, AFileThatMayNotGrowLosesNoSpanInSilence) {
  ExporterOptions exporter;
  exporter.path = Path("spans");
  ExpectCountedAndTold(exporter);
}

TEST_F(OddPlaces, AFullDeviceLosesNoSpanInSilence) {
  ExporterOptions exporter;
  exporter.path = "/dev/full";
  ExpectCountedAndTold(exporter);
}

TEST_F(OddPlaces, ASpoolThatMayNotGrowLosesNoSpanInSilence) {
  ExpectSpoolCountedAndTold(Path("spool"));
}

TEST_F(OddPlaces, ASpoolThatIsALinkLosesNoSpanInSilence) {
  std::filesystem::create_directory(Path("folder"));
  std::filesystem::create_symlink(Path("folder"), Path("link"));
  ExpectSpoolCountedAndTold(Path("link"));
  std::filesystem::create_symlink(Path("nothing"), Path("dangling"));
  ExpectSpoolCountedAndTold(Path("dangling"));
}

TEST_F(OddPlaces, ASpoolThatIsAFileLosesNoSpanInSilence) {
  std::ofstream(Path("file")) << "text";
  ExpectSpoolCountedAndTold(Path("file"));
}

TEST_F(OddPlaces, ASpoolThatNobodyMayEnterLosesNoSpanInSilence) {
  std::filesystem::create_directory(Path("closed"));
  chmod(Path("closed").c_str(), 0);
  ExpectSpoolCountedAndTold(Path("closed"));
}

TEST_F(OddPlaces, ASpoolOfAnotherUsersLosesNoSpanInSilence) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make another user's folder";
  std::filesystem::create_directory(Path("roots"));
  ExpectSpoolCountedAndTold(Path("roots"));
}

TEST_F(OddPlaces, ASpoolInTheKernelsFoldersLosesNoSpanInSilence) {
  ExpectSpoolCountedAndTold("/proc");
  ExpectSpoolCountedAndTold("/proc/self/fd");
  ExpectSpoolCountedAndTold("/dev/null");
}

}  // namespace
}  // namespace tracekin::testing
