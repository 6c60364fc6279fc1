// SPDX-License-Identifier: Apache-2.0
#include "tools/recording.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <stdexcept>

#include "tests/support/temp_folder.h"
#include "tools/progress.h"

namespace tracekin::tools {
namespace {

constexpr analysis::Time kSecond = 1'000'000'000;
constexpr analysis::Time kBegin = 1'795'379'063 * kSecond + 5;  // 2026-11-22, 20:24:23

TEST(ParseTime, TakesATimeOfTheDayOnWhichTheRecordingBegins) {
  EXPECT_EQ(ParseTime("20:24:23", kBegin), kBegin - 5);
  EXPECT_EQ(ParseTime("20:24:23.000000005", kBegin), kBegin);
  EXPECT_EQ(ParseTime("20:24:24.5", kBegin), kBegin - 5 + 3 * kSecond / 2);
}

TEST(ParseTime, TakesNanosecondsSinceTheEpoch) {
  EXPECT_EQ(ParseTime("1795379063000000005", kBegin), kBegin);
}

TEST(ParseTime, RefusesEverythingElse) {
  for (const char* text : {"", "noon", "24:00:00", "20:60:00", "20:24:60", "20:24", "20:24:23x",
                           "20:24:1.2.3", "-5", "18446744073709551616"}) {
    EXPECT_EQ(ParseTime(text, kBegin), std::nullopt) << text;
  }
}

TEST(TakeFolders, TakesAllFoldersAtTheBeginning) {
  const testing::TempFolder one, other;
  Question question;
  question.words = {one.path(), other.path(), "1234"};
  EXPECT_EQ(TakeFolders(&question), (std::vector<std::string>{one.path(), other.path()}));
  EXPECT_EQ(question.words, std::vector<std::string>{"1234"});
  EXPECT_THROW(RefuseWords(question), std::runtime_error);
}

TEST(TakeFolders, TakesAPathThatDoesNotExistAsAFolder) {
  Question question;
  question.words = {"./nowhere"};
  EXPECT_EQ(TakeFolders(&question), std::vector<std::string>{"./nowhere"});
  RefuseWords(question);
}

TEST(TakeFolders, FindsTheNewestRecordingHere) {
  namespace fs = std::filesystem;
  const testing::TempFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  Question question;
  question.words = {"1234"};
  EXPECT_THROW(TakeFolders(&question), std::runtime_error);
  for (const char* name : {"tracekin-a", "tracekin-b", "other"}) fs::create_directory(name);
  fs::last_write_time("tracekin-b", fs::last_write_time("tracekin-a") - std::chrono::hours(1));
  EXPECT_EQ(TakeFolders(&question), std::vector<std::string>{"./tracekin-a"});
  EXPECT_EQ(question.words.size(), 1u);
  fs::current_path(before);
}

TEST(ProgressLine, ShowsTheTimeThatIsLeft) {
  EXPECT_EQ(ProgressLine("reading", 0.25, 4), "reading  [#####               ]  25 %, 12 s left");
  EXPECT_EQ(ProgressLine("reading", 0.01, 10),
            "reading  [                    ]   1 %, 16 min 30 s left");
  EXPECT_EQ(ProgressLine("reading", 1, 4), "reading  [####################] 100 %, 0 s left");
}

TEST(ProgressLine, ShowsTheTimeThatHasPassedIfTheShareIsUnknown) {
  EXPECT_EQ(ProgressLine("reading", 0, 90), "reading, for 1 min 30 s");
}

}  // namespace
}  // namespace tracekin::tools
