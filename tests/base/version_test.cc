// SPDX-License-Identifier: Apache-2.0
#include "tracekin/version.h"

#include <gtest/gtest.h>

#include <string>

namespace tracekin {
namespace {

TEST(Version, NumbersAndTextAndTheProjectAgree) {
  const std::string numbers = std::to_string(TRACEKIN_VERSION_MAJOR) + '.' +
                              std::to_string(TRACEKIN_VERSION_MINOR) + '.' +
                              std::to_string(TRACEKIN_VERSION_PATCH);
  EXPECT_EQ(TRACEKIN_VERSION, numbers);
  EXPECT_STREQ(TRACEKIN_VERSION, TRACEKIN_PROJECT_VERSION);
}

}  // namespace
}  // namespace tracekin
