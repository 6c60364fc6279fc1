// SPDX-License-Identifier: Apache-2.0
// Which folders `tracekin record` takes; some cases are root's to try.

#include "tools/record/output_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/temp_folder.h"
#include "tools/record/session.h"

namespace tracekin::record {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr uid_t kOther = 65534;

class OutputFolder : public ::testing::Test {
 protected:
  OutputFolder() { unsetenv("SUDO_UID"); }

  static std::string ErrorOf(const std::string& folder) {
    try {
      PrepareOutputFolder(folder);
    } catch (const RecordError& error) {
      return error.what();
    }
    return "taken";
  }

  static std::string Made(const std::string& folder, mode_t mode, uid_t owner = geteuid()) {
    fs::create_directory(folder);
    EXPECT_EQ(chmod(folder.c_str(), mode), 0);
    EXPECT_EQ(chown(folder.c_str(), owner, static_cast<gid_t>(-1)), 0);
    return folder;
  }

  const testing::TempFolder temp_;
  const std::string base_ = fs::canonical(temp_.path()).string();
};

TEST_F(OutputFolder, IsMadeForThisUserAlone) {
  const std::string folder = base_ + "/a/b";
  EXPECT_EQ(PrepareOutputFolder(folder), folder);
  struct stat status {};
  ASSERT_EQ(stat(folder.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0700u);
}

TEST_F(OutputFolder, IsTakenIfItIsEmptyAndOnesOwn) {
  EXPECT_EQ(ErrorOf(Made(base_ + "/own", 0755)), "taken");
  EXPECT_EQ(PrepareOutputFolder(base_ + "/own/"), base_ + "/own");
  fs::create_symlink(base_, base_ + "/link");  // a link above the output folder is allowed
  EXPECT_EQ(PrepareOutputFolder(base_ + "/link/own"), base_ + "/own");
}

TEST_F(OutputFolder, ThatIsNoneOrNotEmptyIsRefused) {
  std::ofstream(base_ + "/file") << "x";
  EXPECT_THAT(ErrorOf(base_), HasSubstr(" exists and is not empty: name another folder with -o."));
  EXPECT_THAT(ErrorOf(base_ + "/file"), HasSubstr("/file is not a folder"));
  EXPECT_THAT(ErrorOf(base_ + "/file/below"), HasSubstr("cannot create the folder"));
  EXPECT_THAT(ErrorOf("/proc/trace"), HasSubstr("cannot create the folder /proc/trace"));
}

TEST_F(OutputFolder, ThatIsALinkIsRefused) {
  Made(base_ + "/target", 0755);
  fs::create_symlink(base_ + "/target", base_ + "/link");
  fs::create_symlink(base_ + "/nowhere", base_ + "/dangling");
  for (const char* link : {"/link", "/link/", "/dangling"}) {
    EXPECT_THAT(ErrorOf(base_ + link), HasSubstr(" is a link"));
  }
  EXPECT_FALSE(fs::exists(base_ + "/nowhere"));
}

TEST_F(OutputFolder, ThatOthersMayWriteToIsRefused) {
  EXPECT_THAT(ErrorOf(Made(base_ + "/all", 0777)), HasSubstr(" is writable by other users"));
  EXPECT_THAT(ErrorOf(Made(base_ + "/sticky", 01777)), HasSubstr(" is writable by other users"));
  EXPECT_EQ(ErrorOf(Made(base_ + "/group", 0775)), "taken");  // writable by this user's own group
}

TEST_F(OutputFolder, BelowOneThatAnybodyMayReplaceIsRefused) {
  const std::string shared = Made(base_ + "/shared", 0777);
  EXPECT_THAT(ErrorOf(shared + "/trace"), HasSubstr("/shared is writable by all users"));
  EXPECT_FALSE(fs::exists(shared + "/trace"));
  Made(shared, 01777);
  EXPECT_EQ(ErrorOf(shared + "/trace"), "taken");
}

class OutputFolderOfAnother : public OutputFolder {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "making another user's folder needs root";
  }
};

TEST_F(OutputFolderOfAnother, IsRefusedThoughItIsEmpty) {
  const std::string shared = Made(base_ + "/tmp", 01777);
  EXPECT_THAT(ErrorOf(Made(shared + "/trace", 0755, kOther)),
              HasSubstr(" belongs to another user"));
  EXPECT_THAT(ErrorOf(Made(base_ + "/home", 0755, kOther)), HasSubstr(" belongs to another user"));
}

TEST_F(OutputFolderOfAnother, MadeWhereEverybodyMayIsNotWrittenBelow) {
  const std::string shared = Made(base_ + "/tmp", 01777);
  Made(shared + "/trap", 0755, kOther);
  EXPECT_THAT(ErrorOf(shared + "/trap/trace"),
              HasSubstr("/trap belongs to another user, who could"));
  EXPECT_FALSE(fs::exists(shared + "/trap/trace"));
  setenv("SUDO_UID", std::to_string(kOther).c_str(), 1);
  EXPECT_EQ(ErrorOf(shared + "/trap/trace"), "taken");
}

// For example, a home, or a folder that is mounted into a container. An administrator created it.
TEST_F(OutputFolderOfAnother, IsWrittenBelowWhereNotEverybodyMayMakeOne) {
  Made(base_ + "/home", 0755, kOther);
  EXPECT_EQ(ErrorOf(base_ + "/home/trace"), "taken");
}

}  // namespace
}  // namespace tracekin::record
