// SPDX-License-Identifier: Apache-2.0
#include "exporter/destination.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "tracekin/configuration.h"

namespace tracekin::exporter {
namespace {

using ::testing::HasSubstr;

bool IsBuilt(std::string_view module) {
#ifdef TRACEKIN_HAVE_THRIFT
  if (module == "thrift") return true;
#endif
#ifdef TRACEKIN_HAVE_KAFKA
  if (module == "kafka") return true;
#endif
  return module.empty();
}

/// Returns options that send spans to `destination`, and that set only the keys that it needs.
Options OptionsFor(const Destination& destination, const Format& format) {
  Options options;
  options.service_name = "a";
  ExporterOptions& exporter = options.exporter;
  exporter.type = destination.type;
  exporter.format = format.name;
  for (const Rows<RequiredKey>& keys : {destination.required, format.required}) {
    for (const RequiredKey& key : keys) {
      if ((exporter.*key.value).empty()) exporter.*key.value = "127.0.0.1:1";
    }
  }
  if (!destination.schemes.empty()) {
    exporter.endpoint =
        std::string(*destination.schemes.begin()) + "://127.0.0.1:1" + std::string(format.path);
  }
  return options;
}

void ExpectReachable(const Destination& destination, const Format& format) {
  const Options options = OptionsFor(destination, format);
  std::string error;
  EXPECT_TRUE(ValidateOptions(options, &error)) << error;
  EXPECT_EQ(DestinationOf(options.exporter).type, destination.type);
  EXPECT_EQ(FormatOf(options.exporter), &format);
  const auto make = [&] {
    return MakeExporter(options.exporter, ResourceOf(options), [](LogLevel, const std::string&) {});
  };
  if (IsBuilt(destination.module) && IsBuilt(format.module)) {
    EXPECT_NE(make(), nullptr);
  } else {
    EXPECT_THROW(make(), std::runtime_error);
  }
}

TEST(Destinations, EachOfThemCanBeReachedInEachOfItsFormats) {
  for (const Destination& destination : Destinations()) {
    if (!destination.sends()) continue;
    EXPECT_FALSE(destination.formats.empty()) << destination.type;
    for (const Format& format : destination.formats) {
      SCOPED_TRACE(std::string(destination.type) + ' ' + std::string(format.name));
      ExpectReachable(destination, format);
    }
  }
}

// Zipkin 3.6.1 garbles other text in these bodies.
TEST(Destinations, JsonThatIsCompressedOrGoesToKafkaIsAscii) {
  const auto body = [](const char* type, const char* compression) {
    ExporterOptions options;
    options.type = type;
    options.compression = compression;
    SpanRecord span;
    span.name = "\xC3\xBC";
    std::string json;
    FormatOf(options)->make_encoder(options)->Add(span, &json);
    return json;
  };
  EXPECT_THAT(body("zipkin", "gzip"), HasSubstr(R"("name":"\u00fc")"));
  EXPECT_THAT(body("kafka", "none"), HasSubstr(R"("name":"\u00fc")"));
  EXPECT_THAT(body("zipkin", "none"), HasSubstr("\"name\":\"\xC3\xBC\""));
  EXPECT_THAT(body("file", "none"), HasSubstr("\"name\":\"\xC3\xBC\""));
}

TEST(Destinations, EachNeedsItsKeys) {
  for (const Destination& destination : Destinations()) {
    for (const RequiredKey& key : destination.required) {
      Options options = OptionsFor(destination, *destination.formats.begin());
      (options.exporter.*key.value).clear();
      std::string error;
      EXPECT_FALSE(ValidateOptions(options, &error)) << key.path;
      EXPECT_THAT(error, HasSubstr(std::string(key.path) + ": not set, but exporter.type is \"" +
                                   std::string(destination.type) + '"'));
    }
  }
}

TEST(Destinations, AnEndpointNamesTheFirstOfItsScheme) {
  for (const Destination& destination : Destinations()) {
    if (destination.schemes.empty()) continue;
    EXPECT_NE(DestinationOfUrl(destination.example), nullptr) << destination.example;
  }
  EXPECT_EQ(DestinationOfUrl("SCRIBE://a")->type, "scribe");
  EXPECT_EQ(DestinationOfUrl("https://a")->type, "zipkin");
  for (const char* url : {"", "://", "ftp://a", "http:/a", "httpx://a", "shttp://a"}) {
    EXPECT_EQ(DestinationOfUrl(url), nullptr) << url;
  }
}

/// Returns the error of parsing a JSON object with this exporter, or of validating the resulting
/// options.
std::string ErrorOf(const std::string& exporter) {
  Options options;
  std::string error;
  const std::string json = R"({"service_name": "a", "exporter": {)" + exporter + "}}";
  const bool valid = ParseConfiguration(json, &options, &error) && ValidateOptions(options, &error);
  EXPECT_EQ(valid, error.empty());
  return error;
}

TEST(Destinations, AnUnknownTypeOrFormatIsToldWhatIsAllowed) {
  for (const std::string_view type : DestinationTypes()) {
    EXPECT_THAT(ErrorOf(R"("type": "pigeon")"), HasSubstr(std::string(type)));
  }
  for (const std::string_view format : FormatNames()) {
    EXPECT_THAT(ErrorOf(R"("format": "xml")"), HasSubstr(std::string(format)));
  }
  for (const Destination& destination : Destinations()) {
    if (!destination.sends() || destination.formats.end() - destination.formats.begin() != 1) {
      continue;
    }
    const std::string_view only = destination.formats.begin()->name;
    const std::string other = only == "json" ? "thrift" : "json";
    const std::string type(destination.type);
    EXPECT_EQ(ErrorOf(R"("type": ")" + type + R"(", "format": ")" + other + '"'),
              "exporter.format: expected \"" + std::string(only) + "\" for exporter.type \"" +
                  type + "\", found \"" + other + '"');
  }
}

}  // namespace
}  // namespace tracekin::exporter
