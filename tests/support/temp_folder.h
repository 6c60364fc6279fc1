// SPDX-License-Identifier: Apache-2.0
// A temporary folder for a test.
#ifndef TRACEKIN_TESTS_SUPPORT_TEMP_FOLDER_H
#define TRACEKIN_TESTS_SUPPORT_TEMP_FOLDER_H

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

namespace tracekin::testing {

/// A new empty folder; the destructor removes it with its content.
class TempFolder {
 public:
  TempFolder() : path_(::testing::TempDir() + "tracekin-XXXXXX") {
    EXPECT_NE(mkdtemp(path_.data()), nullptr);
  }
  ~TempFolder() { std::filesystem::remove_all(path_); }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;  // mkdtemp() replaces the Xs
};

}  // namespace tracekin::testing

#endif  // TRACEKIN_TESTS_SUPPORT_TEMP_FOLDER_H
