// SPDX-License-Identifier: Apache-2.0
#include "base/number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace tracekin {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(ParseDouble, ReadsWhatADoubleCanSay) {
  EXPECT_EQ(ParseDouble("0.1"), 0.1);
  EXPECT_EQ(ParseDouble("-2.5e3"), -2500.0);
  EXPECT_EQ(ParseDouble("1.7976931348623157e308"), std::numeric_limits<double>::max());
  EXPECT_EQ(ParseDouble("5e-324"), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(ParseDouble("inf"), kInfinity);
  EXPECT_TRUE(std::isnan(ParseDouble("nan").value_or(0)));
}

TEST(ParseDouble, DoesNotTakeASmallNumberForALargeOne) {
  const std::string zeros(900'000, '0');
  for (const std::string& small : std::vector<std::string>{
           "0." + zeros + "1", "0." + zeros + "1e100", "." + zeros + "1", "1e-400", "1E-400",
           "100e-400", "123.456e-999", "0.1e-999999999999999999999", "1" + zeros + "e-999999999",
           "1e-9223372036854775808"}) {
    EXPECT_EQ(ParseDouble(small), 0) << small.substr(0, 30);
    EXPECT_FALSE(std::signbit(*ParseDouble(small)));
    EXPECT_EQ(ParseDouble("-" + small), 0) << small.substr(0, 30);
    EXPECT_TRUE(std::signbit(*ParseDouble("-" + small)));
  }
}

TEST(ParseDouble, DoesNotTakeALargeNumberForASmallOne) {
  const std::string zeros(900'000, '0');
  for (const std::string& large :
       std::vector<std::string>{"1" + zeros, "1" + zeros + ".5", "1" + zeros + "e-100", "1e400",
                                "1e+400", "1E400", "0.001e400", "0." + zeros + "1e999999999",
                                "1e999999999999999999999", "1e9223372036854775807"}) {
    EXPECT_EQ(ParseDouble(large), kInfinity) << large.substr(0, 30);
    EXPECT_EQ(ParseDouble("-" + large), -kInfinity) << large.substr(0, 30);
  }
}

TEST(ParseDouble, ZerosAndExponentsThatCancelAreTheNumberThatIsLeft) {
  const std::string zeros(1'000, '0');
  EXPECT_EQ(ParseDouble("0." + zeros + "1e1001"), 1);
  EXPECT_EQ(ParseDouble("1" + zeros + "e-1000"), 1);
  EXPECT_EQ(ParseDouble("0e999999999999999999999"), 0);
  EXPECT_EQ(ParseDouble("0." + zeros + "e-999999999999999999999"), 0);
}

TEST(ParseDouble, TakesNothingElse) {
  for (const char* text : {"", " 1", "1 ", "1x", "+1", "0x10", "1e", "e5", "--1", ".", "1e400x"}) {
    EXPECT_EQ(ParseDouble(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace tracekin
