// SPDX-License-Identifier: Apache-2.0
// Configurations of an attacker, or of a broken template. Each must be refused with one line that
// explains why, or mean what it appears to mean.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "configuration/table.h"
#include "configuration/text.h"
#include "tracekin/configuration.h"

namespace tracekin::configuration {
namespace {

using testing::HasSubstr;

/// Returns the error, or "accepted". For every configuration, an error must be one short line of
/// text.
std::string ErrorOf(std::string_view json, Options* options) {
  std::string error;
  if (ParseConfiguration(std::string(json), options, &error) && ValidateOptions(*options, &error)) {
    return "accepted";
  }
  EXPECT_FALSE(error.empty());
  EXPECT_LT(error.size(), 2000u);
  EXPECT_TRUE(IsText(error));
  const auto is_control = [](char c) { return c >= 0 && c < ' '; };
  EXPECT_EQ(std::count_if(error.begin(), error.end(), is_control), 0) << error;
  return error;
}

std::string ErrorOf(std::string_view json) {
  Options options;
  options.service_name = "tricks";
  return ErrorOf(json, &options);
}

struct Case {
  std::string text;
  std::string error;  // part of the message
};

TEST(JsonTricks, AreRefusedWithAMessageOrHarmless) {
  using std::string_literals::operator""s;
  const std::string deep_objects = [] {
    std::string text;
    for (int i = 0; i < 130'000; ++i) text += "{\"a\":";
    return text;
  }();
  const Case cases[] = {
      {"\xef\xbb\xbf", "The document is empty"},  // only a byte order mark
      {"\xef\xbb\xbf\xef\xbb\xbf{}", "line 1"},   // two of them
      {"\xff\xfe{\0}\0"s, "NUL"},                 // UTF-16
      {"\xfe\xff", "line 1"},
      {"{} {}", "line 1, column 4"},
      {"{,}", "line 1, column 2"},
      {"{\"service_name\": \"a\",}", "line 1"},
      {"{'service_name': 'a'}", "line 1, column 2"},
      {"{\"service_name\": \"a\"} // why", "line 1"},
      {"/* why */ {}", "line 1, column 1"},
      {"{\"sampler\": {\"rate\": NaN}}", "line 1, column 22"},
      {"{\"sampler\": {\"rate\": Infinity}}", "line 1, column 22"},
      {"{\"sampler\": {\"rate\": -Infinity}}", "line 1, column"},
      {"{\"sampler\": {\"rate\": 0x1}}", "line 1, column"},
      {"{\"sampler\": {\"rate\": 01}}", "line 1, column"},
      {"{\"sampler\": {\"rate\": .5}}", "line 1, column"},
      {"{\"sampler\": {\"rate\": +1}}", "line 1, column"},
      {"{\"sampler\": {\"rate\": 1e}}", "line 1, column"},
      {"{\"sampler\": {\"rate\": -}}", "line 1, column"},
      {R"({"service_name": "\ud800"})", "line 1, column"},  // half of a pair
      {R"({"service_name": "\udc00\ud800"})", "line 1, column"},
      {R"({"service_name": "\ud83d\ude00"})", "accepted"},
      {R"({"service_name": "\x41"})", "line 1, column"},
      {"{\"service_name\": \"a\nb\"}", "line 1, column"},  // a raw control character
      {R"({"service_name": "a\u0000b"})",
       "found \"a\xef\xbf\xbd"
       "b\""},
      {R"({"service\u005fname": "a", "service_name": "b"})", "service_name: given twice"},
      {R"({"tags": {"a": "1", "\u0061": "2"}})", "the key \"a\" twice"},
      {R"({"exporter": {"headers": {"A": "1", "\u0041": "2"}}})", "the key \"A\" twice"},
      {R"({"__proto__": {}})", "unknown key \"__proto__\""},
      {R"({"": 1})", "unknown key \"\""},
      {R"({"exporter": {"": 1}})", "unknown key \"exporter.\""},
      {R"({"exporter": {"exporter": {}}})", "unknown key \"exporter.exporter\""},
      {R"({"\u001b[31m": 1})", R"(unknown key "\u001b[31m")"},
      {deep_objects, "line 1, column 650001"},
      {"{\"a\":" + std::string(1 << 20, '9') + "}", "longer than 1048576 bytes"},
      {"{\"service_name\":\"" + std::string(1'000'000, 'x') + "\"}", "accepted"},
  };
  for (const Case& c : cases) {
    EXPECT_THAT(ErrorOf(c.text), HasSubstr(c.error)) << c.text.substr(0, 60);
  }
}

TEST(JsonTricks, SixtyThousandTagsAreRead) {
  std::string tags;
  for (int i = 0; i < 60'000; ++i) {
    tags += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":\"v\"";
  }
  Options options;
  EXPECT_EQ(ErrorOf("{\"service_name\": \"a\", \"tags\": {" + tags + "}}", &options), "accepted");
  EXPECT_EQ(options.tags.size(), 60'000u);
  EXPECT_EQ(options.tags.at("59999"), "v");
}

/// Returns {"exporter": {"queue_spans": VALUE}} for exporter.queue_spans.
std::string JsonOf(const Setting& setting, const std::string& value) {
  const std::string path(setting.path);
  const std::size_t dot = path.find('.');
  if (dot == std::string::npos) return "{\"" + path + "\": " + value + '}';
  return "{\"" + path.substr(0, dot) + "\": {\"" + path.substr(dot + 1) + "\": " + value + "}}";
}

// Returns whether the check of one setting accepts the value. Conflicts between settings are
// another matter.
bool Takes(const Setting& setting, const std::string& value) {
  Options options;
  std::string error;
  if (ParseConfiguration(JsonOf(setting, value), &options, &error)) return true;
  EXPECT_THAT(error, HasSubstr(std::string(setting.path) + ": expected ")) << value;
  return false;
}

TEST(JsonTricks, NoWholeNumberIsTakenBeyondItsEnds) {
  int settings = 0;
  for (const Setting& setting : Settings()) {
    const auto* const integer = std::get_if<Integer>(&setting.value);
    if (integer == nullptr) continue;
    ++settings;
    const std::vector<std::uint64_t> ends =
        integer->allowed.empty() ? std::vector<std::uint64_t>{integer->min, integer->max}
                                 : integer->allowed;
    const auto [least, most] = std::minmax_element(ends.begin(), ends.end());
    EXPECT_TRUE(Takes(setting, Decimal(*least))) << setting.path;
    EXPECT_TRUE(Takes(setting, Decimal(*most))) << setting.path;
    if (*least > 0) {
      EXPECT_FALSE(Takes(setting, Decimal(*least - 1))) << setting.path;
    }
    EXPECT_FALSE(Takes(setting, Decimal(*most + 1))) << setting.path;
    for (const char* wrong :
         {"-1", "-9223372036854775808", "-9223372036854775809", "9223372036854775808",
          "18446744073709551615", "18446744073709551616", "1e3", "100.0", "1e300", "1e-400",
          "\"100\"", "[100]", "true", "null"}) {
      EXPECT_FALSE(Takes(setting, wrong)) << setting.path << ' ' << wrong;
    }
  }
  EXPECT_GT(settings, 10);
}

TEST(EndpointTricks, AreRefusedWithAMessageOrHarmless) {
  const Case cases[] = {
      {"file:///etc/passwd", "expected a URL with a host and http:// or https://"},
      {"FILE:///etc/passwd", "expected a URL with a host and http:// or https://"},
      {"gopher://a/_x", "expected a URL with a host and http:// or https://"},
      {"unix:///run/zipkin.sock", "expected a URL with a host and http:// or https://"},
      {"javascript:alert(1)", "expected a URL with a host and http:// or https://"},
      {"\xd0\xbd"
       "ttp://a",
       "expected a URL with a host and http:// or https://"},  // Cyrillic
      {"http:\\\\\\\\a", "expected a URL with a host and http:// or https://"},
      {"HTTP://a/api/v2/spans", "accepted"},
      {"hTTpS://A.EXAMPLE:443/api/v2/spans", "accepted"},
      {"http://a:0/", "expected"},
      {"http://a:65536/", "expected"},
      {"http://a:000080/", "expected"},
      {"http://a:-1/", "expected"},
      {"http://a:+80/", "expected"},
      {"http://a: 80/", "expected"},
      {"http://a:80:80/", "expected"},
      {"http://a:\xd9\xa8\xd9\xa0/", "expected"},  // digits, but not ASCII digits
      {"http://[::1/", "expected"},
      {"http://[]/", "expected"},
      {"http://[::1]x/", "expected"},
      {"http://[::1]:99999/", "expected"},
      {"http://a\\r\\nHost: b/", "expected"},
      {"http://a/\\r\\nX-Evil: 1", "expected"},
      {"http://a/\\u0000b", "expected"},
      {"http://a/\\u0000", "expected"},
      {"http://a b/", "expected"},
      {" http://a/", "expected"},
      {"http://a/ ", "expected"},
      {"http://a/\\t", "expected"},
      {"http://a/\\u007f", "expected"},
      {"http://a/api/v2/spans?x=y", "accepted"},
      {"http://?x", "expected"},
      {"http://#f", "expected"},
      {"http:///a", "expected"},
      {"http://", "expected"},
      {"://", "expected"},
      {"", "accepted"},  // not set
      {"scribe://a:9410/path", "expected"},
      {"scribe://a:9410?x", "expected"},
      {"scribe://a:9410#x", "expected"},
      {"scribe://a\\u0000b:9410", "expected"},
      {std::string(500'000, 'h') + "://a", "expected"},
      {"http://a:" + std::string(500'000, '1') + "/", "expected"},
  };
  for (const Case& c : cases) {
    const std::string json = "{\"exporter\": {\"endpoint\": \"" + c.text + "\"}}";
    const std::string error = ErrorOf(json);
    EXPECT_THAT(error, HasSubstr(c.error)) << c.text.substr(0, 60);
    if (c.error != "accepted") {
      EXPECT_THAT(error, HasSubstr("exporter.endpoint: ")) << error;
    }
  }
}

}  // namespace
}  // namespace tracekin::configuration
