// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "configuration/table.h"
#include "tracekin/configuration.h"

namespace tracekin::configuration {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

/// Unsets all of the variables before and after each test.
class ApplyEnvironmentTest : public testing::Test {
 protected:
  ApplyEnvironmentTest() { Clear(); }
  ~ApplyEnvironmentTest() override { Clear(); }

  static void Set(const char* name, const char* value) { setenv(name, value, 1); }

  std::string Error(const char* name, const char* value) {
    Clear();
    Set(name, value);
    const std::string before = PrintConfiguration(options_);
    std::string error;
    if (ApplyEnvironment(&options_, &error)) return "accepted";
    EXPECT_EQ(PrintConfiguration(options_), before);
    EXPECT_THAT(error, testing::StartsWith(std::string(name) + ": "));
    return error;
  }

  Options options_;
  std::string error_;

 private:
  static void Clear() {
    for (const Setting& setting : Settings()) unsetenv(EnvironmentName(setting).c_str());
  }
};

TEST_F(ApplyEnvironmentTest, NamesVariablesAfterPaths) {
  EXPECT_EQ(EnvironmentName(*FindSetting("service_name")), "TRACEKIN_SERVICE_NAME");
  EXPECT_EQ(EnvironmentName(*FindSetting("exporter.queue_spans")), "TRACEKIN_EXPORTER_QUEUE_SPANS");
}

TEST_F(ApplyEnvironmentTest, SetsOneFieldAVariable) {
  Set("TRACEKIN_SERVICE_NAME", "from environment");
  Set("TRACEKIN_EXPORTER_ENDPOINT", "https://zipkin.example/api/v2/spans");
  Set("TRACEKIN_PROPAGATION_INJECT", "b3multi, baggage");
  Set("TRACEKIN_TAGS", "k=v, k2=v2=w");
  Set("TRACEKIN_SAMPLER_RATE", "0.25");
  Set("TRACEKIN_EXPORTER_BATCH_SPANS", "17");
  Set("TRACEKIN_UST_ENABLED", "1");
  Set("TRACEKIN_SAMPLER_PARENT_BASED", "false");
  options_.exporter.timeout_ms = 77;
  ASSERT_TRUE(ApplyEnvironment(&options_, &error_)) << error_;
  EXPECT_EQ(options_.service_name, "from environment");
  EXPECT_EQ(options_.exporter.endpoint, "https://zipkin.example/api/v2/spans");
  EXPECT_THAT(options_.propagation.inject, ElementsAre("b3multi", "baggage"));
  EXPECT_THAT(options_.tags, ElementsAre(Pair("k", "v"), Pair("k2", "v2=w")));
  EXPECT_EQ(options_.sampler.rate, 0.25);
  EXPECT_EQ(options_.exporter.batch_spans, 17u);
  EXPECT_TRUE(options_.ust.enabled);
  EXPECT_FALSE(options_.sampler.parent_based);
  EXPECT_EQ(options_.exporter.timeout_ms, 77u);
}

TEST_F(ApplyEnvironmentTest, ReadsEachSpellingOfABoolean) {
  for (const char* text : {"true", "1"}) {
    options_.ust.enabled = false;
    EXPECT_EQ(Error("TRACEKIN_UST_ENABLED", text), "accepted");
    EXPECT_TRUE(options_.ust.enabled) << text;
  }
  for (const char* text : {"false", "0"}) {
    options_.ust.enabled = true;
    EXPECT_EQ(Error("TRACEKIN_UST_ENABLED", text), "accepted");
    EXPECT_FALSE(options_.ust.enabled) << text;
  }
}

TEST_F(ApplyEnvironmentTest, ReadsNumbersThatNoDoubleCanSayAsTheJsonReaderDoes) {
  options_.sampler.rate = 0.5;
  EXPECT_EQ(Error("TRACEKIN_SAMPLER_RATE", "1e-999"), "accepted");
  EXPECT_EQ(options_.sampler.rate, 0);
  const std::string zeros(100'000, '0');
  options_.sampler.rate = 0.5;
  EXPECT_EQ(Error("TRACEKIN_SAMPLER_RATE", ("0." + zeros + "1").c_str()), "accepted");
  EXPECT_EQ(options_.sampler.rate, 0);
  for (const std::string& large : {std::string("1e999"), '1' + zeros}) {
    EXPECT_EQ(Error("TRACEKIN_SAMPLER_RATE", large.c_str()),
              "TRACEKIN_SAMPLER_RATE: expected a number from 0 to 1, found inf");
  }
}

TEST_F(ApplyEnvironmentTest, IgnoresEmptyVariables) {
  options_.service_name = "kept";
  for (const Setting& setting : Settings()) Set(EnvironmentName(setting).c_str(), "");
  const std::string before = PrintConfiguration(options_);
  ASSERT_TRUE(ApplyEnvironment(&options_, &error_)) << error_;
  EXPECT_EQ(PrintConfiguration(options_), before);
}

TEST_F(ApplyEnvironmentTest, BlamesTheVariable) {
  EXPECT_EQ(Error("TRACEKIN_UST_ENABLED", "yes"),
            R"(TRACEKIN_UST_ENABLED: expected true or false, found "yes")");
  EXPECT_EQ(Error("TRACEKIN_EXPORTER_BATCH_SPANS", "10k"),
            "TRACEKIN_EXPORTER_BATCH_SPANS: expected a whole number from 1 to 100000, found "
            "\"10k\"");
  EXPECT_THAT(Error("TRACEKIN_EXPORTER_BATCH_SPANS", "-1"), HasSubstr("found \"-1\""));
  EXPECT_THAT(Error("TRACEKIN_EXPORTER_BATCH_SPANS", "0"), HasSubstr("found 0"));
  EXPECT_THAT(Error("TRACEKIN_EXPORTER_BATCH_SPANS", "99999999999999999999999"),
              HasSubstr("found \"99999999999999999999999\""));
  EXPECT_THAT(Error("TRACEKIN_SAMPLER_RATE", "nan"), HasSubstr("found nan"));
  EXPECT_THAT(Error("TRACEKIN_SAMPLER_RATE", "0,5"), HasSubstr("found \"0,5\""));
  EXPECT_THAT(Error("TRACEKIN_SAMPLER_TYPE", "all"), HasSubstr("always, never"));
  EXPECT_THAT(Error("TRACEKIN_PROPAGATION_EXTRACT", "b3,"), HasSubstr("found \"\""));
  EXPECT_THAT(Error("TRACEKIN_PROPAGATION_EXTRACT", "b3,b3"), HasSubstr("found \"b3\" twice"));
  EXPECT_THAT(Error("TRACEKIN_TAGS", "env"), HasSubstr("found \"env\"; write key=value,key=value"));
  EXPECT_THAT(Error("TRACEKIN_TAGS", "a=1,a=2"), HasSubstr("found \"a=1,a=2\""));
  EXPECT_THAT(Error("TRACEKIN_TAGS", "=1"), HasSubstr("found an empty key"));
  EXPECT_THAT(Error("TRACEKIN_SERVICE_NAME", "\xff"), HasSubstr("found \"�\""));
}

TEST_F(ApplyEnvironmentTest, DoesNotRepeatPasswords) {
  const std::string error = Error("TRACEKIN_EXPORTER_ENDPOINT", "ftp://me:secret@host");
  EXPECT_THAT(error, HasSubstr("ftp://me:***@host"));
  EXPECT_THAT(error, Not(HasSubstr("secret")));
  const std::string header = Error("TRACEKIN_EXPORTER_HEADERS", "secret");
  EXPECT_THAT(header, HasSubstr("found invalid text; write key=value,key=value"));
  EXPECT_THAT(header, Not(HasSubstr("secret")));
}

}  // namespace
}  // namespace tracekin::configuration
