// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "tests/propagation/carriers.h"

namespace tracekin::propagation {
namespace {

const std::string kTrace = "80f198ee56343ba864fe8b2a57d3eff7";
const std::string kShort = "64fe8b2a57d3eff7";
const std::string kSpan = "e457b5a2e4d86bd1";
const std::string kParent = "05e3ac9a4f6e3b90";
const std::string kZeros = "0000000000000000";

Context Long(std::uint64_t parent, Decision decision) {
  return MakeContext(0x80f198ee56343ba8, 0x64fe8b2a57d3eff7, 0xe457b5a2e4d86bd1, parent, decision);
}

Context Short(std::uint64_t parent, Decision decision) {
  return MakeContext(0, 0x64fe8b2a57d3eff7, 0xe457b5a2e4d86bd1, parent, decision);
}

constexpr std::uint64_t kParentId = 0x05e3ac9a4f6e3b90;

struct Case {
  const char* name;
  std::string header;
  Context context;
};

class B3Single : public testing::TestWithParam<Case> {};

TEST_P(B3Single, IsFound) {
  const Extracted extracted = Extract({"b3"}, Entries{{"b3", GetParam().header}});
  EXPECT_FALSE(extracted.error) << extracted.error.message();
  EXPECT_TRUE(extracted.found);
  EXPECT_EQ(extracted.context, GetParam().context);
}

TEST_P(B3Single, IsInjectedAsItWasExtracted) {
  EXPECT_EQ(Inject("b3", GetParam().context), (Entries{{"b3", GetParam().header}}));
}

INSTANTIATE_TEST_SUITE_P(
    , B3Single,
    testing::Values(Case{"Deferred", kTrace + "-" + kSpan, Long(0, Decision::kDeferred)},
                    Case{"Denied", kTrace + "-" + kSpan + "-0", Long(0, Decision::kDeny)},
                    Case{"Accepted", kTrace + "-" + kSpan + "-1", Long(0, Decision::kAccept)},
                    Case{"Debug", kTrace + "-" + kSpan + "-d", Long(0, Decision::kDebug)},
                    Case{"WithParent", kTrace + "-" + kSpan + "-1-" + kParent,
                         Long(kParentId, Decision::kAccept)},
                    Case{"DeferredWithParent", kTrace + "-" + kSpan + "-" + kParent,
                         Long(kParentId, Decision::kDeferred)},
                    Case{"Short", kShort + "-" + kSpan, Short(0, Decision::kDeferred)},
                    Case{"ShortWithParent", kShort + "-" + kSpan + "-d-" + kParent,
                         Short(kParentId, Decision::kDebug)},
                    Case{"DenyAlone", "0", MakeContext(0, 0, 0, 0, Decision::kDeny)},
                    Case{"AcceptAlone", "1", MakeContext(0, 0, 0, 0, Decision::kAccept)},
                    Case{"DebugAlone", "d", MakeContext(0, 0, 0, 0, Decision::kDebug)}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(B3SingleExtract, ZeroParentIsNone) {
  EXPECT_EQ(Extract({"b3"}, Entries{{"b3", kTrace + "-" + kSpan + "-1-" + kZeros}}).context,
            Long(0, Decision::kAccept));
}

TEST(B3SingleExtract, UpperHalfOfZerosIsAShortTraceId) {
  EXPECT_EQ(Extract({"b3"}, Entries{{"B3", kZeros + kShort + "-" + kSpan}}).context,
            Short(0, Decision::kDeferred));
}

TEST(B3SingleInject, NothingIsWrittenIfThereIsNothingToSay) {
  EXPECT_EQ(Inject("b3", Context{}), Entries{});
}

class B3SingleCorrupted : public testing::TestWithParam<std::string> {};

TEST_P(B3SingleCorrupted, IsAnError) {
  const Extracted extracted = Extract({"b3"}, Entries{{"b3", GetParam()}});
  EXPECT_EQ(extracted.error, opentracing::span_context_corrupted_error);
  EXPECT_EQ(extracted.context, Context{});
}

TEST_P(B3SingleCorrupted, FallsBackToManyHeaders) {
  const Entries entries = {{"x-b3-traceid", "1"}, {"x-b3-spanid", "2"}, {"b3", GetParam()}};
  const Extracted extracted = Extract({"b3", "b3multi"}, entries);
  EXPECT_FALSE(extracted.error);
  EXPECT_EQ(extracted.context, MakeContext(0, 1, 2, 0, Decision::kDeferred));
}

INSTANTIATE_TEST_SUITE_P(
    , B3SingleCorrupted,
    testing::Values("", "-", "2", "D", "01", "true", kTrace, kTrace + "-", "-" + kSpan,
                    kTrace + "-" + kSpan + "-", kTrace + "-" + kSpan + "--" + kParent,
                    kTrace + "-" + kSpan + "-2", kTrace + "-" + kSpan + "-1-",
                    kTrace + "-" + kSpan + "-1-" + kParent + "-",
                    kTrace + "-" + kSpan + "-" + kParent + "-1",
                    kTrace + "-" + kSpan + "-1-" + kParent + "0", kTrace + "-" + kSpan + "-1-1",
                    kTrace + "-1-1", "1-" + kSpan + "-1", kTrace.substr(1) + "-" + kSpan,
                    kTrace + "0-" + kSpan, kTrace + "-" + kSpan.substr(1),
                    kTrace + "-" + kSpan + "0", kZeros + "-" + kSpan, kZeros + kZeros + "-" + kSpan,
                    kTrace + "-" + kZeros, "80F198EE56343BA864FE8B2A57D3EFF7-" + kSpan,
                    kTrace + "-E457B5A2E4D86BD1", kTrace + "_" + kSpan, " " + kTrace + "-" + kSpan,
                    kTrace + "-" + kSpan + " ", kTrace + "-" + kSpan + "-1\r\nx: y",
                    std::string("1\0", 2), "b970dafd0d95-aa95-11d8-8fea-fb3b1e4e4b7c",
                    std::string(69, '1'), std::string(1 << 20, '-')));

}  // namespace
}  // namespace tracekin::propagation
