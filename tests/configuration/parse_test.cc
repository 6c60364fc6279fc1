// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "configuration/json.h"
#include "tracekin/configuration.h"

namespace tracekin::configuration {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

/// Returns the error for `json`, or "accepted". Fails the test if options were changed despite an
/// error.
std::string ErrorOf(std::string_view json) {
  Options options;
  options.service_name = "before";
  const std::string before = PrintConfiguration(options);
  std::string error;
  if (ParseConfiguration(json, &options, &error)) return "accepted";
  EXPECT_EQ(PrintConfiguration(options), before) << json;
  EXPECT_FALSE(error.empty()) << json;
  EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  return error;
}

constexpr char kExample[] = R"({
  "service_name": "frontend", "tags": {"env": "test"},
  "sampler": {"type": "probabilistic", "rate": 0.1},
  "propagation": {"inject": ["b3multi"], "extract": ["b3", "b3multi", "tracecontext", "jaeger"]},
  "exporter": {"type": "zipkin", "endpoint": "http://127.0.0.1:9411/api/v2/spans",
               "queue_spans": 65536, "queue_bytes": 16777216, "flush_interval_ms": 100},
  "ust": {"enabled": true} })";

TEST(ParseConfiguration, SetsWhatTheObjectNames) {
  Options options;
  std::string error;
  ASSERT_TRUE(ParseConfiguration(kExample, &options, &error)) << error;
  EXPECT_EQ(options.service_name, "frontend");
  EXPECT_THAT(options.tags, ElementsAre(Pair("env", "test")));
  EXPECT_EQ(options.sampler.type, "probabilistic");
  EXPECT_EQ(options.sampler.rate, 0.1);
  EXPECT_THAT(options.propagation.inject, ElementsAre("b3multi"));
  EXPECT_THAT(options.propagation.extract, ElementsAre("b3", "b3multi", "tracecontext", "jaeger"));
  EXPECT_EQ(options.exporter.endpoint, "http://127.0.0.1:9411/api/v2/spans");
  EXPECT_EQ(options.exporter.flush_interval_ms, 100u);
  EXPECT_TRUE(options.ust.enabled);
  EXPECT_TRUE(ValidateOptions(options, &error)) << error;
}

TEST(ParseConfiguration, LeavesTheRestAsItWas) {
  Options options;
  options.service_name = "kept";
  options.exporter.batch_spans = 7;
  options.tags = {{"replaced", "yes"}};
  std::string error;
  ASSERT_TRUE(ParseConfiguration(R"({"exporter": {"queue_spans": 64}, "tags": {"a": "b"}})",
                                 &options, &error))
      << error;
  EXPECT_EQ(options.service_name, "kept");
  EXPECT_EQ(options.exporter.batch_spans, 7u);
  EXPECT_EQ(options.exporter.queue_spans, 64u);
  EXPECT_THAT(options.tags, ElementsAre(Pair("a", "b")));
}

TEST(ParseConfiguration, TakesAnEmptyObjectAndAByteOrderMark) {
  EXPECT_EQ(ErrorOf("{}"), "accepted");
  EXPECT_EQ(ErrorOf("\xEF\xBB\xBF{\"service_name\": \"x\"}\r\n"), "accepted");
}

TEST(ParseConfiguration, SaysThatThereIsNothing) {
  EXPECT_THAT(ErrorOf(""), HasSubstr("empty"));
  EXPECT_THAT(ErrorOf(" \n\t\r\n"), HasSubstr("empty"));
}

TEST(ParseConfiguration, SaysWhatStandsInsteadOfAnObject) {
  EXPECT_THAT(ErrorOf("[]"), HasSubstr("not a JSON object but an array"));
  EXPECT_THAT(ErrorOf("null"), HasSubstr("not a JSON object but null"));
  EXPECT_THAT(ErrorOf("\"frontend\""), HasSubstr("not a JSON object but \"frontend\""));
}

TEST(ParseConfiguration, SaysWhereTheJsonIsMalformed) {
  EXPECT_THAT(ErrorOf("{\n  \"service_name\": \"a\"\n  \"tags\": {}\n}"),
              HasSubstr("line 3, column 3: Missing a comma or '}'"));
  EXPECT_THAT(ErrorOf("{"), HasSubstr("line 1, column 2"));
  EXPECT_THAT(ErrorOf("{\"tags\": {\"\xC3\xA9\": !"), HasSubstr("line 1, column 16"));
  EXPECT_THAT(ErrorOf("{} x"), HasSubstr("line 1, column 4"));
  EXPECT_THAT(ErrorOf("service: frontend"), HasSubstr("line 1, column 1"));
}

TEST(ParseConfiguration, RefusesWhatIsNoUtf8AndNul) {
  EXPECT_THAT(ErrorOf("{\"service_name\": \"\xff\"}"), HasSubstr("line 1, column"));
  EXPECT_THAT(ErrorOf("{\"service_name\": \"\xed\xa0\x80\"}"), HasSubstr("line 1, column"));
  EXPECT_THAT(ErrorOf(std::string_view("{}\0{}", 5)), HasSubstr("line 1, column 3: a NUL"));
  EXPECT_EQ(ErrorOf(R"({"service_name": "a\u0000b"})"),
            R"(service_name: expected UTF-8 text, found "a�b")");
  EXPECT_THAT(ErrorOf(R"({"tags": {"a\u0000": "b"}})"), HasSubstr(R"(the key "a�")"));
}

TEST(ParseConfiguration, NamesTheKeyThatWasMeant) {
  EXPECT_EQ(ErrorOf(R"({"exporter": {"endpiont": "http://a"}})"),
            R"(unknown key "exporter.endpiont"; did you mean "exporter.endpoint"?)");
  EXPECT_EQ(ErrorOf(R"({"serviceName": "a"})"),
            R"(unknown key "serviceName"; did you mean "service_name"?)");
  EXPECT_EQ(ErrorOf(R"({"exporters": {}})"),
            R"(unknown key "exporters"; did you mean "exporter"?)");
  EXPECT_EQ(ErrorOf(R"({"endpoint": "http://a"})"),
            R"(unknown key "endpoint"; did you mean "exporter.endpoint"?)");
}

TEST(ParseConfiguration, ListsTheKeysIfNoneIsNear) {
  EXPECT_THAT(ErrorOf(R"({"xylophone": 1})"),
              HasSubstr(R"(unknown key "xylophone"; known keys are service_name, tags, )"));
}

TEST(ParseConfiguration, ExplainsThatGroupsAreObjects) {
  EXPECT_EQ(ErrorOf(R"({"exporter.endpoint": "http://a"})"),
            R"(unknown key "exporter.endpoint"; write it as {"exporter": {"endpoint": ...}})");
  EXPECT_EQ(ErrorOf(R"({"exporter": "zipkin"})"),
            R"(exporter: expected an object, found "zipkin")");
}

TEST(ParseConfiguration, RefusesDuplicates) {
  EXPECT_EQ(ErrorOf(R"({"service_name": "a", "service_name": "a"})"), "service_name: given twice");
  EXPECT_EQ(ErrorOf(R"({"ust": {"enabled": true, "enabled": true}})"), "ust.enabled: given twice");
  EXPECT_EQ(ErrorOf(R"({"ust": {}, "ust": {}})"), "ust: given twice");
  EXPECT_THAT(ErrorOf(R"({"tags": {"a": "1", "a": "2"}})"), HasSubstr(R"(the key "a" twice)"));
  EXPECT_THAT(ErrorOf(R"({"propagation": {"inject": ["b3", "b3"]}})"),
              HasSubstr(R"(propagation.inject: expected a list of distinct names from)"));
}

TEST(ParseConfiguration, RefusesNullEverywhere) {
  for (const char* path : {"service_name", "tags", "trace_id_bits", "print_configuration",
                           "sampler", "propagation", "exporter", "ust"}) {
    EXPECT_THAT(ErrorOf("{\"" + std::string(path) + "\": null}"), HasSubstr("found null")) << path;
  }
}

TEST(ParseConfiguration, SaysWhichTypeItExpects) {
  EXPECT_EQ(ErrorOf(R"({"service_name": 1})"), "service_name: expected UTF-8 text, found 1");
  EXPECT_EQ(ErrorOf(R"({"ust": {"enabled": "yes"}})"),
            R"(ust.enabled: expected true or false, found "yes")");
  EXPECT_EQ(ErrorOf(R"({"exporter": {"queue_spans": "64"}})"),
            R"(exporter.queue_spans: expected a whole number from 64 to 16777216, found "64")");
  EXPECT_EQ(ErrorOf(R"({"sampler": {"rate": true}})"),
            "sampler.rate: expected a number from 0 to 1, found true");
  EXPECT_THAT(ErrorOf(R"({"propagation": {"inject": "b3"}})"), HasSubstr(R"(found "b3")"));
  EXPECT_THAT(ErrorOf(R"({"propagation": {"inject": [["b3"]]}})"),
              HasSubstr("an array in the list"));
  EXPECT_THAT(ErrorOf(R"({"tags": [{"key": "a"}]})"), HasSubstr("found an array"));
  EXPECT_THAT(ErrorOf(R"({"tags": {"a": 1}})"), HasSubstr(R"(found 1 for the key "a")"));
}

TEST(ParseConfiguration, SaysWhichValuesItExpects) {
  EXPECT_EQ(ErrorOf(R"({"sampler": {"type": "sometimes"}})"),
            "sampler.type: expected one of always, never, probabilistic, rate_limiting, "
            "found \"sometimes\"");
  EXPECT_THAT(ErrorOf(R"({"sampler": {"type": ""}})"), HasSubstr(R"(found "")"));
  EXPECT_EQ(ErrorOf(R"({"sampler": {"rate": 1.5}})"),
            "sampler.rate: expected a number from 0 to 1, found 1.5");
  EXPECT_EQ(ErrorOf(R"({"trace_id_bits": 96})"),
            "trace_id_bits: expected one of 64, 128, found 96");
  EXPECT_EQ(ErrorOf(R"({"exporter": {"queue_spans": 63}})"),
            "exporter.queue_spans: expected a whole number from 64 to 16777216, found 63");
  EXPECT_THAT(ErrorOf(R"({"exporter": {"queue_spans": -1}})"), HasSubstr("found -1"));
  EXPECT_THAT(ErrorOf(R"({"exporter": {"queue_spans": 100.0}})"), HasSubstr("found 100.0"));
  EXPECT_THAT(ErrorOf(R"({"exporter": {"queue_spans": 18446744073709551616}})"),
              HasSubstr("found 1844674407370955"));
  EXPECT_THAT(ErrorOf(R"({"exporter": {"queue_bytes": 262143}})"), HasSubstr("from 262144 to"));
  EXPECT_EQ(ErrorOf(R"({"exporter": {"batch_spans": 0}})"),
            "exporter.batch_spans: expected a whole number from 1 to 100000, found 0");
  EXPECT_THAT(ErrorOf(R"({"propagation": {"extract": ["b3", "b4"]}})"),
              HasSubstr(R"(, found "b4")"));
  EXPECT_THAT(ErrorOf(R"({"tags": {"": "x"}})"), HasSubstr("found an empty key"));
  EXPECT_EQ(
      ErrorOf(R"({"exporter": {"endpoint": "127.0.0.1:9411"}})"),
      "exporter.endpoint: expected a URL with a host and http:// or https:// or scribe://, such as "
      "\"http://127.0.0.1:9411/api/v2/spans\" or \"scribe://127.0.0.1:9410\", found "
      "\"127.0.0.1:9411\"");
}

TEST(ParseConfiguration, DoesNotRepeatPasswords) {
  const std::string error = ErrorOf(R"({"exporter": {"endpoint": "ftp://me:secret@host/"}})");
  EXPECT_THAT(error, HasSubstr("ftp://me:***@host/"));
  EXPECT_THAT(error, Not(HasSubstr("secret")));
}

// libcurl would refuse it with every batch.
TEST(ParseConfiguration, NeverTakesAPasswordWithAnAtThatIsNotEncoded) {
  const std::string error = ErrorOf(R"({"exporter": {"endpoint": "http://me:se@cret@host/"}})");
  EXPECT_THAT(error, HasSubstr("found \"http://me:***@host/\"; write %40 for an @ in the user or "
                               "password"));
  EXPECT_THAT(error, Not(HasSubstr("cret")));
}

TEST(ParseConfiguration, SurvivesAnyDepth) {
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
  EXPECT_THAT(ErrorOf(deep), HasSubstr("an array"));
  EXPECT_THAT(ErrorOf("{\"tags\": {\"a\": " + deep + "}}"), HasSubstr("found an array"));
  EXPECT_THAT(ErrorOf(std::string(200'000, '[')), HasSubstr("column 200001"));
}

TEST(ParseConfiguration, RefusesMoreThanOneMebibyte) {
  const std::string small = "{\"service_name\": \"a\"}";
  EXPECT_EQ(ErrorOf(small + std::string((1 << 20) - small.size(), ' ')), "accepted");
  EXPECT_THAT(ErrorOf(small + std::string((1 << 20) - small.size() + 1, ' ')),
              HasSubstr("longer than 1048576 bytes"));
}

TEST(ParseConfiguration, KeepsMessagesShort) {
  const std::string long_text(100'000, 'x');
  EXPECT_LT(ErrorOf("{\"trace_id_bits\": \"" + long_text + "\"}").size(), 400u);
  EXPECT_LT(ErrorOf("{\"" + long_text + "\": 1}").size(), 1200u);
  EXPECT_LT(ErrorOf("{\"tags\": {\"" + long_text + "\": 1}}").size(), 400u);
}

TEST(ReadConfiguration, TellsNoJsonFromBadConfiguration) {
  Options options;
  std::string error;
  EXPECT_EQ(ReadConfiguration(kExample, &options, &error), ConfigurationStatus::kOk);
  for (const char* json : {"", "{", "[]", "tracekin"}) {
    EXPECT_EQ(ReadConfiguration(json, &options, &error), ConfigurationStatus::kMalformed) << json;
  }
  for (const char* json : {R"({"x": 1})", R"({"trace_id_bits": 1})", R"({"ust": 1})"}) {
    EXPECT_EQ(ReadConfiguration(json, &options, &error), ConfigurationStatus::kInvalid) << json;
  }
}

TEST(ParseConfiguration, AnswersEveryMutationOfAConfiguration) {
  std::minstd_rand random(1);
  int accepted = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string json = kExample;
    for (unsigned edits = 1 + random() % 3; edits > 0; --edits) {
      const std::size_t at = random() % json.size();
      switch (random() % 3) {
        case 0:
          json[at] = static_cast<char>(random() % 256);
          break;
        case 1:
          json.erase(at, 1 + random() % 8);
          break;
        default:
          json.insert(at, json.substr(random() % json.size(), random() % 16));
      }
    }
    Options options;
    std::string error;
    if (ParseConfiguration(json, &options, &error)) {
      ++accepted;
      EXPECT_TRUE(ValidateOptions(options, &error) || !error.empty()) << json;
    } else {
      EXPECT_FALSE(error.empty()) << json;
    }
  }
  EXPECT_GT(accepted, 0);  // some mutations must be valid, so that both outcomes are tested
}

TEST(ParseConfiguration, ShowsNoValueOfAHeader) {
  Options options;
  std::string error;
  EXPECT_TRUE(
      ParseConfiguration(R"({"exporter": {"headers": {"X-Key": "secret"}}})", &options, &error));
  EXPECT_THAT(options.exporter.headers, ElementsAre(Pair("X-Key", "secret")));
  for (const char* json :
       {R"({"exporter": {"headers": "X-Key: secret"}})", R"({"exporter": {"headers": ["secret"]}})",
        R"({"exporter": {"headers": {"X-Key": ["secret"]}}})",
        R"({"exporter": {"headers": {"X-Key": "a", "X-Key": "secret"}}})",
        R"({"exporter": {"headers": {"X-Key": "secret\n"}}})"}) {
    const std::string found = ErrorOf(json);
    EXPECT_THAT(found, HasSubstr("exporter.headers: expected strings"));
    EXPECT_THAT(found, Not(HasSubstr("secret")));
  }
  EXPECT_THAT(ErrorOf(R"({"exporter": {"headers": {"X-Key": 123456}}})"), Not(HasSubstr("123456")));
}

// rapidjson 1.1 reads 0e40 as -2e223.
TEST(ParseConfiguration, ReadsNumbersExactly) {
  const auto rate = [](const std::string& number) {
    Options options;
    std::string error;
    EXPECT_TRUE(ParseConfiguration("{\"sampler\": {\"rate\": " + number + "}}", &options, &error))
        << error;
    return options.sampler.rate;
  };
  for (const char* zero : {"0", "-0", "0e40", "0e-40", "-0e40", "0.00E99", "1e-999"}) {
    EXPECT_EQ(rate(zero), 0) << zero;
  }
  for (const char* one : {"1", "1.0", "1e0", "0.001e3", "1000e-3"}) EXPECT_EQ(rate(one), 1) << one;
  EXPECT_EQ(rate("0.30000000000000004"), 0.30000000000000004);
  EXPECT_EQ(rate("2.2250738585072014e-308"), 2.2250738585072014e-308);
  for (const char* wrong : {"9e307", "99e307", "-99e307", "-1", "18446744073709551616"}) {
    const std::string error = ErrorOf("{\"sampler\": {\"rate\": " + std::string(wrong) + "}}");
    EXPECT_EQ(error.rfind("sampler.rate: expected a number from 0 to 1, found ", 0), 0U) << error;
  }
}

TEST(ParseConfiguration, DoesNotTakeASmallNumberWithoutExponentForALargeOne) {
  Options options;
  std::string error;
  const std::string small = "0." + std::string(900'000, '0') + "1";
  ASSERT_TRUE(ParseConfiguration("{\"sampler\": {\"rate\": " + small + "}}", &options, &error))
      << error.substr(0, 200);
  EXPECT_EQ(options.sampler.rate, 0);
  EXPECT_THAT(ErrorOf("{\"sampler\": {\"rate\": 1" + std::string(900'000, '0') + "}}"),
              HasSubstr("too big"));
}

}  // namespace
}  // namespace tracekin::configuration
