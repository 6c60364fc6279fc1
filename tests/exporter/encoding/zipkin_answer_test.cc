// SPDX-License-Identifier: Apache-2.0
#include "exporter/encoding/zipkin_answer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tracekin::exporter {
namespace {

struct Judgement {
  long status;
  std::string text;
  SendStatus expected;
  std::string message;
};

void ExpectJudgements(const std::vector<Judgement>& judgements) {
  for (const Judgement& judgement : judgements) {
    const SendResult result = JudgeZipkinAnswer(judgement.status, judgement.text);
    EXPECT_EQ(result.status, judgement.expected) << judgement.message;
    EXPECT_EQ(result.message, judgement.message);
  }
}

TEST(JudgeZipkinAnswer, AcceptsWhatTheCollectorHasAccepted) {
  for (const long status : {200, 202, 204, 299}) {
    ExpectJudgements({{status, "", SendStatus::kAccepted, ""},
                      {status, "not needed", SendStatus::kAccepted, ""}});
  }
}

TEST(JudgeZipkinAnswer, KnowsWhatWillNeverBeTaken) {
  ExpectJudgements({
      {400, "", SendStatus::kRejected, "HTTP 400"},
      {400, "No enum constant FOO\n", SendStatus::kRejected, "HTTP 400: No enum constant FOO"},
      {404, "", SendStatus::kRejected, "HTTP 404"},
      {499, "", SendStatus::kRejected, "HTTP 499"},
      {403, "", SendStatus::kRejected, "HTTP 403"},
  });
}

TEST(JudgeZipkinAnswer, KnowsWhatIsTooLarge) {
  ExpectJudgements({
      {413, "", SendStatus::kTooLarge, "HTTP 413"},
      {500, "413 Too Large", SendStatus::kTooLarge, "HTTP 500: 413 Too Large"},
  });
}

TEST(JudgeZipkinAnswer, ObeysRetryAfterWithinReason) {
  using std::chrono::hours;
  using std::chrono::seconds;
  for (const long status : {408, 429, 500, 503}) {
    EXPECT_EQ(JudgeZipkinAnswer(status, "", seconds(7)).retry_after, seconds(7));
    EXPECT_EQ(JudgeZipkinAnswer(status, "", seconds(-7)).retry_after, seconds(0));
    EXPECT_EQ(JudgeZipkinAnswer(status, "", seconds::max()).retry_after, hours(1));
    EXPECT_EQ(JudgeZipkinAnswer(status, "").retry_after, seconds(0));
  }
  for (const long status : {202, 400, 413}) {
    EXPECT_EQ(JudgeZipkinAnswer(status, "", seconds(7)).retry_after, seconds(0));
  }
}

TEST(JudgeZipkinAnswer, KnowsWhatMightWorkAtAnotherTime) {
  ExpectJudgements({
      {304, "", SendStatus::kFailed, "HTTP 304 (redirects are not followed)"},
      {401, "", SendStatus::kFailed, "HTTP 401"},
      {408, "", SendStatus::kFailed, "HTTP 408"},
      {429, "slow down", SendStatus::kFailed, "HTTP 429: slow down"},
      {500, "", SendStatus::kFailed, "HTTP 500"},
      {500, "41", SendStatus::kFailed, "HTTP 500: 41"},
      {503, "413 Too Large", SendStatus::kFailed, "HTTP 503: 413 Too Large"},
      {999, "", SendStatus::kFailed, "HTTP 999"},
  });
}

TEST(JudgeZipkinAnswer, MessageIsOneLineWithoutControlCharacters) {
  ExpectJudgements({
      {400, " two \r\n\r\n lines\t", SendStatus::kRejected, "HTTP 400: two lines"},
      {400, "\x1B[31mred\x1B[0m\x07", SendStatus::kRejected, "HTTP 400: [31mred [0m"},
      {400, "\u009B31mred", SendStatus::kRejected, "HTTP 400: 31mred"},
      {400, "\u00A0space", SendStatus::kRejected, "HTTP 400: \u00A0space"},
      {400, std::string("nul\0nul", 7), SendStatus::kRejected, "HTTP 400: nul\uFFFDnul"},
      {400, "cut \xE2\x82", SendStatus::kRejected, "HTTP 400: cut \uFFFD"},
      {400, " \n ", SendStatus::kRejected, "HTTP 400"},
  });
}

TEST(JudgeZipkinAnswer, MessageNeverTurnsTheDirectionOfALogNorBreaksItsLines) {
  for (const char* code_point :
       {"\u061C", "\u200E", "\u200F", "\u2028", "\u2029", "\u202A", "\u202B", "\u202C", "\u202D",
        "\u202E", "\u2066", "\u2067", "\u2068", "\u2069", "\u206A", "\u206F"}) {
    EXPECT_EQ(JudgeZipkinAnswer(400, std::string("a") + code_point + "b").message, "HTTP 400: a b");
  }
  for (const char* text : {"\u061Bb", "\u200Db", "\u2010b", "\u2027b", "\u2030b", "\u2070b",
                           "\u05D0\u05D1", "\U0001F600b"}) {
    EXPECT_EQ(JudgeZipkinAnswer(400, text).message, "HTTP 400: " + std::string(text));
  }
}

TEST(JudgeZipkinAnswer, CutsALongTextBetweenCodePoints) {
  std::string euros;
  for (int i = 0; i < 100; ++i) euros += "\u20AC";
  EXPECT_EQ(JudgeZipkinAnswer(400, euros).message, "HTTP 400: " + euros.substr(0, 255));
}

}  // namespace
}  // namespace tracekin::exporter
