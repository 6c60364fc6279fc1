// SPDX-License-Identifier: Apache-2.0
#include "base/regular_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <string>

#include "tests/support/temp_folder.h"

namespace tracekin {
namespace {

class ReadRegularFileTest : public ::testing::Test {
 protected:
  std::string Read() { return ReadRegularFile(path_, 10, &content_); }

  const testing::TempFolder folder_;
  const std::string path_ = folder_.path() + "/file";
  std::string content_ = "before";
};

TEST_F(ReadRegularFileTest, GivesItsContent) {
  std::ofstream(path_) << "0123456789";
  struct stat file = {};
  EXPECT_EQ(ReadRegularFile(path_, 10, &content_, &file), "");
  EXPECT_EQ(content_, "0123456789");
  EXPECT_EQ(file.st_size, 10);
}

TEST_F(ReadRegularFileTest, TakesAnEmptyOne) {
  std::ofstream{path_};
  EXPECT_EQ(Read(), "");
  EXPECT_EQ(content_, "");
}

TEST_F(ReadRegularFileTest, RefusesOneThatIsTooLong) {
  std::ofstream(path_) << "01234567890";
  EXPECT_EQ(Read(), "longer than 10 bytes");
}

TEST_F(ReadRegularFileTest, SaysThatThereIsNone) { EXPECT_EQ(Read(), "No such file or directory"); }

TEST_F(ReadRegularFileTest, DoesNotWaitForTheWriterOfAFifo) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(Read(), "not a regular file");
}

TEST_F(ReadRegularFileTest, RefusesFoldersAndDevices) {
  EXPECT_EQ(ReadRegularFile(folder_.path(), 10, &content_), "not a regular file");
  EXPECT_EQ(ReadRegularFile("/dev/zero", 10, &content_), "not a regular file");
}

}  // namespace
}  // namespace tracekin
