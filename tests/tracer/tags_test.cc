// SPDX-License-Identifier: Apache-2.0
// Tests Span::SetTag: each type of value, and the text that it becomes.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "tests/support/recording_tracer.h"
#include "tracer/value_text.h"

namespace tracekin::testing {
namespace {

using opentracing::Dictionary;
using opentracing::Value;
using opentracing::Values;

using Int = std::numeric_limits<std::int64_t>;
using Uint = std::numeric_limits<std::uint64_t>;
using Real = std::numeric_limits<double>;

struct Case {
  const char* what;
  Value value;
  std::string text;
};

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.what; }

std::string NameOf(const ::testing::TestParamInfo<Case>& info) { return info.param.what; }

class TagValue : public ::testing::TestWithParam<Case> {};

TEST_P(TagValue, BecomesText) {
  RecordingTracer tracer;
  const auto span = tracer->StartSpan("a", {opentracing::SetTag{"start", GetParam().value}});
  span->SetTag("later", GetParam().value);
  span->Finish();
  const RecordedSpan recorded = tracer.OnlySpan();
  EXPECT_EQ(recorded.Tag("start"), GetParam().text);
  EXPECT_EQ(recorded.Tag("later"), GetParam().text);
  EXPECT_EQ(tracer->counters().truncated_attributes, 0u);
}

const Case kScalars[] = {
    {"true", true, "true"},
    {"false", false, "false"},
    {"zero", 0, "0"},
    {"largest", Int::max(), "9223372036854775807"},
    {"smallest", Int::min(), "-9223372036854775808"},
    {"unsigned", Uint::max(), "18446744073709551615"},
    {"char", 'a', "97"},
    {"double", 1.5, "1.5"},
    {"whole", 2.0, "2"},
    {"tenth", 0.1, "0.1"},
    {"float", 0.1F, "0.10000000149011612"},
    {"huge", Real::max(), "1.7976931348623157e+308"},
    {"lowest", Real::lowest(), "-1.7976931348623157e+308"},
    {"denormal", Real::denorm_min(), "5e-324"},
    {"negativeZero", -0.0, "-0"},
    {"nan", Real::quiet_NaN(), "nan"},
    {"infinity", Real::infinity(), "inf"},
    {"negativeInfinity", -Real::infinity(), "-inf"},
    {"null", nullptr, "null"},
    {"defaultValue", Value{}, "null"},
};
INSTANTIATE_TEST_SUITE_P(Scalars, TagValue, ::testing::ValuesIn(kScalars), NameOf);

const char* const kNoText = nullptr;
const Case kTexts[] = {
    {"literal", "text", "text"},
    {"string", std::string("text"), "text"},
    {"view", opentracing::string_view{"text"}, "text"},
    {"pointer", static_cast<const char*>("text"), "text"},
    {"nullPointer", kNoText, "null"},
    {"empty", "", ""},
    {"emptyView", opentracing::string_view{}, ""},
    {"unicode", "\u00fc\u20ac\U0001F600", "\u00fc\u20ac\U0001F600"},
    {"control", "\x01\x1f\x7f\r\n\t", "\x01\x1f\x7f\r\n\t"},
    {"quotes", "\"\\", "\"\\"},
    {"nul", std::string("a\0b", 3), "a\uFFFDb"},
    {"invalid", "a\xff\xfe z", "a\uFFFD\uFFFD z"},
    {"truncatedSequence", "a\xe2\x82", "a\uFFFD"},
    {"surrogate", "\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD"},
    {"overlong", "\xc0\xaf", "\uFFFD\uFFFD"},
};
INSTANTIATE_TEST_SUITE_P(Texts, TagValue, ::testing::ValuesIn(kTexts), NameOf);

const Case kNested[] = {
    {"emptyList", Values{}, "[]"},
    {"emptyMap", Dictionary{}, "{}"},
    {"list",
     Values{1, -1, Uint::max(), 2.5, true, nullptr, "a\"b", kNoText, opentracing::string_view{"v"}},
     R"([1,-1,18446744073709551615,2.5,true,null,"a\"b",null,"v"])"},
    {"map", Dictionary{{"key \"", Values{1, Dictionary{}}}}, R"({"key \"":[1,{}]})"},
    {"noJsonForm", Values{Real::quiet_NaN(), Real::infinity(), -Real::infinity()},
     "[null,null,null]"},
    {"nulInList", Values{std::string("a\0b", 3)}, R"(["a\u0000b"])"},
    {"invalidInList", Values{"a\xff"}, "[\"a\uFFFD\"]"},
    {"invalidKey", Dictionary{{"a\xff", 1}}, "{\"a\uFFFD\":1}"},
};
INSTANTIATE_TEST_SUITE_P(Nested, TagValue, ::testing::ValuesIn(kNested), NameOf);

template <class Wrap>
Value Deep(int depth, Wrap wrap) {
  Value value = 1;
  for (int i = 0; i < depth; ++i) value = wrap(std::move(value));
  return value;
}

TEST(TagValueDepth, IsBounded) {
  const auto list = [](Value&& value) {
    Values values;
    values.push_back(std::move(value));
    return Value{std::move(values)};
  };
  const auto map = [](Value&& value) {
    Dictionary values;
    values.emplace("k", std::move(value));
    return Value{std::move(values)};
  };
  const int most = kMaxValueDepth;
  RecordingTracer tracer;
  const auto span = tracer->StartSpan("a");
  span->SetTag("most", Deep(most, list));
  span->SetTag("more", Deep(most + 1, list));
  span->SetTag("much more", Deep(2000, list));
  span->SetTag("maps", Deep(2000, map));
  span->Log({{"event", Deep(2000, list)}});
  span->Finish();
  const RecordedSpan recorded = tracer.OnlySpan();
  const std::string open(kMaxValueDepth, '[');
  const std::string close(kMaxValueDepth, ']');
  EXPECT_EQ(recorded.Tag("most"), open + "1" + close);
  EXPECT_EQ(recorded.Tag("more"), open + "null" + close);
  EXPECT_EQ(recorded.Tag("much more"), open + "null" + close);
  EXPECT_EQ(recorded.logs.at(0).second, open + "null" + close);
  EXPECT_EQ(recorded.Tag("maps")->find("null"), 5 * static_cast<std::size_t>(kMaxValueDepth));
}

TEST(SetTag, ReplacesATagOfTheSameKeyWhateverTheTypes) {
  RecordingTracer tracer;
  const auto span = tracer->StartSpan("a", {opentracing::SetTag{"key", "first and longest"}});
  for (const Value& value : {Value{2}, Value{Values{3}}, Value{nullptr}, Value{"last"}}) {
    span->SetTag("key", value);
  }
  span->SetTag("KEY", "keys have cases");
  span->Finish();
  const RecordedSpan recorded = tracer.OnlySpan();
  EXPECT_EQ(recorded.tags.size(), 2u);
  EXPECT_EQ(recorded.Tag("key"), "last");
}

TEST(SetTag, TakesAnyKey) {
  RecordingTracer tracer;
  const auto span = tracer->StartSpan("a");
  span->SetTag("", "no key");
  span->SetTag({}, "no key either");
  span->SetTag("\xff", "not UTF-8");
  span->SetTag({"a\0b", 3}, "a NUL");
  span->Finish();
  const RecordedSpan recorded = tracer.OnlySpan();
  EXPECT_EQ(recorded.tags.size(), 3u);
  EXPECT_EQ(recorded.Tag(""), "no key either");
  EXPECT_EQ(recorded.Tag("\uFFFD"), "not UTF-8");
  EXPECT_EQ(recorded.Tag("a\uFFFDb"), "a NUL");
}

TEST(SetTag, TagsAreInTheOrderInWhichTheyWereLastSet) {
  RecordingTracer tracer;
  const auto span = tracer->StartSpan("a");
  for (const char* key : {"c", "a", "b", "c"}) span->SetTag(key, 1);
  span->Finish();
  std::string order;
  for (const auto& tag : tracer.OnlySpan().tags) order += tag.first;
  EXPECT_EQ(order, "abc");
}

}  // namespace
}  // namespace tracekin::testing
