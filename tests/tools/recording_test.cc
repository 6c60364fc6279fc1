// SPDX-License-Identifier: Apache-2.0
#include "tools/recording.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <stdexcept>

#include "tests/support/temp_folder.h"

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

TEST(TakeFolder, TakesTheFirstWordIfItIsAFolder) {
  const testing::TempFolder folder;
  Question question;
  question.words = {folder.path(), "1234"};
  EXPECT_EQ(TakeFolder(&question), folder.path());
  EXPECT_EQ(question.words, std::vector<std::string>{"1234"});
}

TEST(TakeFolder, TakesThePathOfAFolderThatIsNotThereForOne) {
  Question question;
  question.words = {"./nowhere"};
  EXPECT_EQ(TakeFolder(&question), "./nowhere");
}

TEST(TakeFolder, FindsTheNewestRecordingHere) {
  namespace fs = std::filesystem;
  const testing::TempFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  Question question;
  question.words = {"1234"};
  EXPECT_THROW(TakeFolder(&question), std::runtime_error);
  for (const char* name : {"tracekin-a", "tracekin-b", "other"}) fs::create_directory(name);
  fs::last_write_time("tracekin-b", fs::last_write_time("tracekin-a") - std::chrono::hours(1));
  EXPECT_EQ(TakeFolder(&question), "./tracekin-a");
  EXPECT_EQ(question.words.size(), 1u);
  fs::current_path(before);
}

}  // namespace
}  // namespace tracekin::tools
