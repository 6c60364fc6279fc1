// SPDX-License-Identifier: Apache-2.0
// The spans that a tracer has written to a file, for tests.
#ifndef TRACEKIN_TESTS_SUPPORT_SPAN_FILE_H
#define TRACEKIN_TESTS_SUPPORT_SPAN_FILE_H

#include <gtest/gtest.h>
#include <rapidjson/document.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

namespace tracekin::testing {

/// A separate file for each test and `name`, which is removed when the test ends.
class SpanFile {
 public:
  explicit SpanFile(const std::string& name = "spans")
      : path_(::testing::TempDir() + "tracekin-" + std::to_string(getpid()) + "-" +
              ::testing::UnitTest::GetInstance()->current_test_info()->name() + "-" + name) {
    unlink(path_.c_str());
  }
  ~SpanFile() { unlink(path_.c_str()); }
  SpanFile(const SpanFile&) = delete;
  SpanFile& operator=(const SpanFile&) = delete;

  const std::string& path() const { return path_; }

  /// Returns a configuration that writes to this file.
  std::string Configuration() const {
    return R"({"service_name": "plugin_test", "exporter": {"path": ")" + path_ + R"("}})";
  }

  /// Returns the value of `key` in each span, in the order of the file.
  std::vector<std::string> Values(const char* key) const {
    std::vector<std::string> values;
    std::ifstream file(path_);
    for (std::string line; std::getline(file, line);) {
      rapidjson::Document span;
      span.Parse(line.c_str());
      EXPECT_TRUE(span.IsObject() && span.HasMember(key) && span[key].IsString()) << line;
      if (span.IsObject() && span.HasMember(key)) values.emplace_back(span[key].GetString());
    }
    return values;
  }

 private:
  std::string path_;
};

}  // namespace tracekin::testing

#endif  // TRACEKIN_TESTS_SUPPORT_SPAN_FILE_H
