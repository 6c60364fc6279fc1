// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>

#include "tracekin/configuration.h"

namespace tracekin::configuration {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Options Valid() {
  Options options;
  options.service_name = "frontend";
  options.exporter.endpoint = "http://127.0.0.1:9411/api/v2/spans";
  return options;
}

/// Returns the error for valid options after `change` has changed them, or "valid".
std::string ErrorAfter(const std::function<void(Options*)>& change) {
  Options options = Valid();
  change(&options);
  std::string error;
  if (ValidateOptions(options, &error)) return "valid";
  EXPECT_FALSE(error.empty());
  return error;
}

TEST(ValidateOptions, TakesAServiceAndAPlaceForSpans) {
  EXPECT_EQ(ErrorAfter([](Options*) {}), "valid");
  EXPECT_EQ(ErrorAfter([](Options* o) { o->exporter.type = "zipkin"; }), "valid");
  EXPECT_EQ(ErrorAfter([](Options* o) {
              o->exporter.endpoint.clear();
              o->exporter.path = "spans.json";
            }),
            "valid");
  for (const char* type : {"zipkin", "file"}) {
    EXPECT_EQ(ErrorAfter([type](Options* o) {
                o->exporter.type = type;
                o->exporter.path = "spans.json";
              }),
              "valid");
  }
}

TEST(ValidateOptions, WantsAService) {
  EXPECT_THAT(ErrorAfter([](Options* o) { o->service_name.clear(); }),
              HasSubstr("TRACEKIN_SERVICE_NAME"));
}

TEST(ValidateOptions, TakesAServiceAlone) {
  Options options;
  options.service_name = "a";
  std::string error;
  EXPECT_TRUE(ValidateOptions(options, &error)) << error;
}

TEST(ValidateOptions, WantsAPlaceForSpans) {
  EXPECT_EQ(ErrorAfter([](Options* o) {
              o->exporter.type = "zipkin";
              o->exporter.endpoint.clear();
            }),
            R"(exporter.endpoint: not set, but exporter.type is "zipkin")");
  for (const char* type : {"file", ""}) {
    EXPECT_THAT(ErrorAfter([type](Options* o) {
                  o->exporter.type = type;
                  o->exporter.endpoint.clear();
                  o->exporter.path.clear();
                }),
                StartsWith("exporter.path: not set, but exporter.type is \"file\""));
  }
}

/// Returns the error for an endpoint and a format when spans are sent to `type`.
std::string ErrorOf(const char* type, const char* endpoint, const char* format) {
  return ErrorAfter([&](Options* o) {
    o->exporter.type = type;
    o->exporter.endpoint = endpoint;
    o->exporter.format = format;
  });
}

TEST(ValidateOptions, TakesFormatsWhereTheyCanGo) {
  const char* const v2 = "http://a/api/v2/spans";
  for (const char* format : {"", "json", "proto3"}) EXPECT_EQ(ErrorOf("", v2, format), "valid");
  EXPECT_EQ(ErrorOf("zipkin", "http://a:9411/api/v1/spans", "thrift"), "valid");
  for (const char* format : {"json", "proto3", "thrift"}) {
    EXPECT_EQ(ErrorOf("", "http://a/spans?to=/api/v1/spans&or=/api/v2/spans", format), "valid");
  }
  for (const char* type : {"", "scribe"}) {
    for (const char* format : {"", "thrift"}) {
      EXPECT_EQ(ErrorOf(type, "scribe://a", format), "valid");
    }
  }
  EXPECT_EQ(ErrorOf("file", v2, "json"), "valid");
}

TEST(ValidateOptions, RefusesFormatsWhereTheyCannotGo) {
  EXPECT_EQ(ErrorOf("", "http://a/api/v2/spans", "thrift"),
            "exporter.endpoint: thrift goes to /api/v1/spans for exporter.type \"zipkin\", found "
            "\"http://a/api/v2/spans\"; change the path, or set exporter.format to \"json\" or "
            "\"proto3\"");
  for (const std::string format : {"json", "proto3"}) {
    EXPECT_EQ(ErrorOf("", "https://me:pw@a/z/api/v1/spans?x", format.c_str()),
              "exporter.endpoint: " + format +
                  " goes to /api/v2/spans for exporter.type \"zipkin\", found "
                  "\"https://me:***@a/z/api/v1/spans?x\"; change the "
                  "path, or set exporter.format to \"thrift\"");
    EXPECT_EQ(ErrorOf("scribe", "scribe://a", format.c_str()),
              "exporter.format: expected \"thrift\" for exporter.type \"scribe\", found \"" +
                  format + "\"");
  }
  for (const std::string format : {"proto3", "thrift"}) {
    EXPECT_EQ(
        ErrorOf("file", "", format.c_str()),
        "exporter.format: expected \"json\" for exporter.type \"file\", found \"" + format + "\"");
  }
}

TEST(ValidateOptions, WantsAnEndpointOfTheTypesScheme) {
  EXPECT_EQ(
      ErrorOf("zipkin", "scribe://a", ""),
      "exporter.endpoint: expected a URL with http:// or https:// for exporter.type \"zipkin\", "
      "found \"scribe://a\"");
  EXPECT_EQ(ErrorOf("scribe", "http://a/api/v1/spans", ""),
            "exporter.endpoint: expected a URL with scribe:// for exporter.type \"scribe\", found "
            "\"http://a/api/v1/spans\"");
  EXPECT_EQ(ErrorOf("scribe", "", ""),
            "exporter.endpoint: not set, but exporter.type is \"scribe\"");
}

TEST(ValidateOptions, WantsACategoryForScribe) {
  EXPECT_EQ(ErrorAfter([](Options* o) {
              o->exporter.endpoint = "scribe://a";
              o->exporter.scribe_category.clear();
            }),
            "exporter.scribe_category: not set, but exporter.type is \"scribe\"");
}

TEST(ValidateOptions, ATransportOfTheProgramsOwnTakesAnyFormat) {
  for (const char* format : {"json", "proto3", "thrift"}) {
    EXPECT_EQ(ErrorAfter([format](Options* o) {
                o->exporter.endpoint.clear();
                o->exporter.format = format;
                o->exporter.make_transport = [] { return nullptr; };
              }),
              "valid");
  }
}

TEST(ValidateOptions, ChecksEverySettingAsTheJsonReaderDoes) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::pair<std::string, std::function<void(Options*)>>> faults = {
      {"service_name", [](Options* o) { o->service_name = "\xff"; }},
      {"tags", [](Options* o) { o->tags[""] = "x"; }},
      {"tags", [](Options* o) { o->tags["\xff"] = "x"; }},
      {"tags", [](Options* o) { o->tags["x"] = "\xff"; }},
      {"trace_id_bits", [](Options* o) { o->trace_id_bits = 32; }},
      {"sampler.type", [](Options* o) { o->sampler.type = "maybe"; }},
      {"sampler.rate", [](Options* o) { o->sampler.rate = 1.01; }},
      {"sampler.rate", [](Options* o) { o->sampler.rate = kNan; }},
      {"sampler.per_second", [](Options* o) { o->sampler.per_second = -1; }},
      {"propagation.inject", [](Options* o) { o->propagation.inject = {"b4"}; }},
      {"propagation.extract",
       [](Options* o) {
         o->propagation.extract = {"b3", "b3"};
       }},
      {"exporter.type", [](Options* o) { o->exporter.type = "pigeon"; }},
      {"exporter.format", [](Options* o) { o->exporter.format = "xml"; }},
      {"exporter.endpoint", [](Options* o) { o->exporter.endpoint = "http://"; }},
      {"exporter.endpoint", [](Options* o) { o->exporter.endpoint = "scribe://a/path"; }},
      {"exporter.scribe_category", [](Options* o) { o->exporter.scribe_category = "\xff"; }},
      {"exporter.path", [](Options* o) { o->exporter.path = std::string("a\0b", 3); }},
      {"exporter.queue_spans", [](Options* o) { o->exporter.queue_spans = 63; }},
      {"exporter.queue_bytes", [](Options* o) { o->exporter.queue_bytes = 262'143; }},
      {"exporter.flush_interval_ms", [](Options* o) { o->exporter.flush_interval_ms = 0; }},
      {"exporter.batch_spans", [](Options* o) { o->exporter.batch_spans = 100'001; }},
      {"exporter.connect_timeout_ms", [](Options* o) { o->exporter.connect_timeout_ms = 0; }},
      {"exporter.timeout_ms", [](Options* o) { o->exporter.timeout_ms = 600'001; }},
      {"exporter.close_timeout_ms", [](Options* o) { o->exporter.close_timeout_ms = 600'001; }},
  };
  for (const auto& [path, fault] : faults) {
    EXPECT_THAT(ErrorAfter(fault), StartsWith(path + ": expected "));
  }
}

TEST(ValidateOptions, TakesTheEndsOfEachRange) {
  EXPECT_EQ(ErrorAfter([](Options* o) {
              o->sampler.rate = 0;
              o->exporter.queue_spans = 64;
              o->exporter.queue_bytes = 262'144;
              o->exporter.batch_spans = 1;
              o->exporter.close_timeout_ms = 0;
            }),
            "valid");
  EXPECT_EQ(ErrorAfter([](Options* o) {
              o->sampler.rate = 1;
              o->exporter.queue_spans = 16'777'216;
              o->exporter.batch_spans = 100'000;
              o->exporter.flush_interval_ms = 60'000;
            }),
            "valid");
}

TEST(ValidateOptions, RefusesASamplerThatIsNotDetermined) {
  EXPECT_THAT(ErrorAfter([](Options* o) { o->sampler.type = "rate_limiting"; }),
              StartsWith("sampler.per_second: not set"));
  EXPECT_THAT(ErrorAfter([](Options* o) {
                o->sampler.rate = 0.5;
                o->sampler.per_second = 5;
              }),
              StartsWith("sampler.type: not set, but both"));
}

TEST(ValidateOptions, TakesHeaders) {
  EXPECT_EQ(
      ErrorAfter([](Options* o) {
        o->exporter.headers = {{"X-Scope-OrgID", "tenant 1"}, {"x!#$%&'*+-.^_`|~9", "\xc3\xa4"}};
      }),
      "valid");
}

TEST(ValidateOptions, RefusesHeadersThatAreNone) {
  for (const char* name : {"", "X Key", "X:Key", "X-Key\r\nEvil", "\xc3\xa4", "(x)"}) {
    EXPECT_THAT(ErrorAfter([name](Options* o) {
                  o->exporter.headers = {{name, "secret"}};
                }),
                AllOf(StartsWith("exporter.headers: expected strings without control characters"),
                      HasSubstr("found the invalid name "), Not(HasSubstr("secret"))));
  }
  EXPECT_THAT(ErrorAfter([](Options* o) {
                o->exporter.headers = {{std::string("X\0Key", 5), "secret"}};
              }),
              HasSubstr("found the invalid name "));
  for (const std::string& value :
       {std::string(), std::string("secret\r\nEvil: 1"), std::string("secret\n"),
        std::string("secret\0", 7), std::string(" secret"), std::string("secret "),
        std::string("secret\xff"), std::string("secret\x7f")}) {
    EXPECT_THAT(ErrorAfter([value](Options* o) {
                  o->exporter.headers = {{"X-Key", value}};
                }),
                AllOf(HasSubstr("found an invalid value for \"X-Key\""), Not(HasSubstr("secret"))));
  }
}

TEST(ValidateOptions, RefusesHeadersThatTheExporterSets) {
  for (const char* name : {"Content-Type", "content-length", "CONTENT-ENCODING", "b3", "B3", "Host",
                           "Transfer-Encoding", "Connection", "Expect"}) {
    EXPECT_THAT(ErrorAfter([name](Options* o) {
                  o->exporter.headers = {{name, "x"}};
                }),
                HasSubstr('"' + std::string(name) + "\", which tracekin sets"));
  }
}

TEST(ValidateOptions, WantsOneCredentialAtMost) {
  EXPECT_EQ(ErrorAfter([](Options* o) { o->exporter.bearer_file = "/token"; }), "valid");
  EXPECT_EQ(ErrorAfter([](Options* o) {
              o->exporter.bearer_file = "/token";
              o->exporter.basic_file = "/password";
            }),
            "exporter.basic_file: conflicts with exporter.bearer_file; set only one of them");
  EXPECT_EQ(ErrorAfter([](Options* o) {
              o->exporter.endpoint = "https://me:secret@a/";
              o->exporter.headers = {{"authorization", "secret"}};
            }),
            "Authorization in exporter.headers: conflicts with the user in exporter.endpoint; set "
            "only one of them");
}

TEST(ValidateOptions, WantsACertificateWithItsKey) {
  EXPECT_EQ(ErrorAfter([](Options* o) { o->exporter.client_certificate = "/both"; }), "valid");
  EXPECT_EQ(ErrorAfter([](Options* o) { o->exporter.client_key = "/key"; }),
            "exporter.client_key: set, but exporter.client_certificate is not");
}

TEST(ValidateOptions, KafkaNeedsBrokersAndATopic) {
  const auto kafka = [](const std::string& brokers, const std::string& topic) {
    return ErrorAfter([&](Options* o) {
      o->exporter.type = "kafka";
      o->exporter.kafka_brokers = brokers;
      o->exporter.kafka_topic = topic;
    });
  };
  EXPECT_EQ(kafka("a:9092", "zipkin"), "valid");
  EXPECT_EQ(kafka("", "zipkin"), "exporter.kafka_brokers: not set, but exporter.type is \"kafka\"");
  EXPECT_EQ(kafka("a", ""), "exporter.kafka_topic: not set, but exporter.type is \"kafka\"");
}

}  // namespace
}  // namespace tracekin::configuration
