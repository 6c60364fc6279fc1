// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"

#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace tracekin {
namespace {

constexpr char kReplacement[] = "\xEF\xBF\xBD";

std::string Repeated(std::string_view text, int times) {
  std::string result;
  while (times-- > 0) result += text;
  return result;
}

std::string Encode(std::uint32_t code_point) {
  std::string result;
  auto tail = [&](int shift) { result += static_cast<char>(0x80 | (code_point >> shift & 0x3F)); };
  if (code_point < 0x80) {
    result += static_cast<char>(code_point);
  } else if (code_point < 0x800) {
    result += static_cast<char>(0xC0 | code_point >> 6);
    tail(0);
  } else if (code_point < 0x10000) {
    result += static_cast<char>(0xE0 | code_point >> 12);
    tail(6);
    tail(0);
  } else {
    result += static_cast<char>(0xF0 | code_point >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
  return result;
}

std::string Sanitized(std::string_view text) {
  std::string scratch = "left over";
  return std::string(Sanitize(text, &scratch));
}

std::string Random(std::mt19937* random, std::string_view alphabet, std::size_t max_size) {
  std::string text((*random)() % (max_size + 1), 0);
  for (char& c : text) c = alphabet[(*random)() % alphabet.size()];
  return text;
}

TEST(IsPlainTest, KnowsEveryByteAtEveryPlace) {
  for (std::size_t size = 1; size <= 25; ++size) {
    for (std::size_t place = 0; place < size; ++place) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string text(size, 'x');
        text[place] = static_cast<char>(byte);
        const bool plain = byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
        ASSERT_EQ(IsPlain(text.data(), text.size()), plain) << size << ' ' << place << ' ' << byte;
      }
    }
  }
}

// Same as IsPlain, regardless of the bytes after the text. Writes only where it may.
TEST(CopyIfPlainTest, KnowsEveryByteAtEveryPlaceAndCopies) {
  for (std::size_t size = 0; size <= 25; ++size) {
    for (std::size_t place = 0; place < size + kPadding; ++place) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string text(size + kPadding, 'x');
        text[place] = static_cast<char>(byte);
        std::string copy(text.size() + 1, '-');
        const bool plain = IsPlain(text.data(), size);
        ASSERT_EQ(CopyIfPlain(text.data(), size, copy.data()), plain)
            << size << ' ' << place << ' ' << byte;
        ASSERT_EQ(IsPlainPadded(text.data(), size), plain);
        if (plain) {
          ASSERT_EQ(copy.substr(0, size), text.substr(0, size));
        }
        ASSERT_EQ(copy.back(), '-');
      }
    }
  }
}

TEST(IsPlainTest, NothingIsPlain) { EXPECT_TRUE(IsPlain(nullptr, 0)); }

TEST(SanitizeTest, ReturnsValidTextItself) {
  for (const std::string_view text : {"", "x", "plain text of some length", "gr\xC3\xBC\xC3\x9F"}) {
    std::string scratch;
    EXPECT_EQ(Sanitize(text, &scratch).data(), text.data());
  }
}

TEST(SanitizeTest, KeepsEveryCodePointButSurrogates) {
  for (std::uint32_t code_point = 1; code_point <= 0x10FFFF; ++code_point) {
    const std::string text = Encode(code_point);
    const bool surrogate = code_point >= 0xD800 && code_point < 0xE000;
    ASSERT_EQ(Sanitized(text), surrogate ? Repeated(kReplacement, 3) : text) << code_point;
  }
}

TEST(SanitizeTest, ReplacesNul) {
  EXPECT_EQ(Sanitized(std::string_view("a\0b", 3)), std::string("a") + kReplacement + "b");
  EXPECT_EQ(Sanitized(std::string_view("12345\0"
                                       "789abcdef",
                                       15)),
            std::string("12345") + kReplacement + "789abcdef");
}

// Examples of The Unicode Standard 15, tables 3-8 to 3-11.
TEST(SanitizeTest, ReplacesMaximalSubpartsAsTheStandardShows) {
  const std::string r = kReplacement;
  EXPECT_EQ(Sanitized("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"), Repeated(r, 8) + "A");
  EXPECT_EQ(Sanitized("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"), Repeated(r, 8) + "A");
  EXPECT_EQ(Sanitized("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42"), Repeated(r, 5) + "A" + r + r + "B");
  EXPECT_EQ(Sanitized("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), Repeated(r, 4) + "A");
}

TEST(SanitizeTest, ReplacesSequencesThatTheEndCutsOff) {
  const std::string r = kReplacement;
  for (const char* text : {"\xC3", "\xE2\x82", "\xF0\x9F\x98"}) {
    EXPECT_EQ(Sanitized(text), r);
    EXPECT_EQ(Sanitized(std::string("longer text ") + text), "longer text " + r);
  }
}

TEST(SanitizeTest, MakesAnyBytesValid) {
  std::mt19937 random(1);
  std::string alphabet;
  for (int i = 0; i < 256; ++i) alphabet += static_cast<char>(i);
  // Bytes that begin or continue a sequence are more frequent than others.
  alphabet += Repeated("\xE0\xED\xF0\xF4\xC2\x80\x8F\x90\x9F\xA0\xBF", 20);
  for (int i = 0; i < 20000; ++i) {
    const std::string text = Random(&random, alphabet, 40);
    const std::string once = Sanitized(text);
    ASSERT_EQ(Sanitized(once), once);
    ASSERT_EQ(once.find('\0'), std::string::npos);
    ASSERT_LE(once.size(), 3 * text.size());

    rapidjson::Document document;  // rapidjson has its own decoder
    std::string json(MaxJsonStringSize(once.size()), 0);
    json.resize(WriteJsonString(once, json.data(), json.data() + json.size()) - json.data());
    document.Parse<rapidjson::kParseValidateEncodingFlag>(json.data(), json.size());
    ASSERT_FALSE(document.HasParseError());
    ASSERT_EQ(std::string(document.GetString(), document.GetStringLength()), once);
  }
}

TEST(TruncateUtf8Test, KeepsWhatFits) {
  EXPECT_EQ(TruncateUtf8("abc", 3), "abc");
  EXPECT_EQ(TruncateUtf8("abc", 2), "ab");
  EXPECT_EQ(TruncateUtf8("abc", 0), "");
}

TEST(TruncateUtf8Test, NeverSplitsACodePoint) {
  const std::vector<std::uint32_t> code_points = {'a', 0xE4, 0x20AC, 0x1F600, 'b', 0x1F600, 0x7FF};
  std::string text;
  std::vector<std::size_t> ends = {0};
  for (const std::uint32_t code_point : code_points) {
    text += Encode(code_point);
    ends.push_back(text.size());
  }
  for (std::size_t max = 0; max <= text.size() + 1; ++max) {
    std::size_t expected = 0;
    for (const std::size_t end : ends) expected = end <= max ? end : expected;
    EXPECT_EQ(TruncateUtf8(text, max), text.substr(0, expected)) << max;
  }
}

TEST(TruncateUtf8Test, CutsInvalidTextSomewhereNear) {
  const std::string text(100, '\x80');
  for (std::size_t max = 0; max < text.size(); ++max) {
    const std::size_t size = TruncateUtf8(text, max).size();
    EXPECT_LE(size, max);
    EXPECT_GE(size + 3, max);
  }
}

std::string Json(std::string_view text, NonAscii non_ascii = NonAscii::kKeep) {
  std::string json(MaxJsonStringSize(text.size()), 0);
  json.resize(WriteJsonString(text, json.data(), json.data() + json.size(), non_ascii) -
              json.data());
  return json;
}

TEST(WriteJsonStringTest, EscapesWhatMustBe) {
  EXPECT_EQ(Json(""), R"("")");
  EXPECT_EQ(Json(std::string_view()), R"("")");
  EXPECT_EQ(Json("plain"), R"("plain")");
  EXPECT_EQ(Json("a\"b\\c/d"), R"("a\"b\\c/d")");
  EXPECT_EQ(Json("\b\f\n\r\t"), R"("\b\f\n\r\t")");
  EXPECT_EQ(Json(std::string_view("\0\x01\x0B\x1F\x7F", 5)),
            "\"\\u0000\\u0001\\u000b\\u001f\x7F\"");
  EXPECT_EQ(Json("\xE2\x82\xAC\xF0\x9F\x98\x80"), "\"\xE2\x82\xAC\xF0\x9F\x98\x80\"");
}

TEST(WriteJsonStringTest, EscapesNonAsciiIfAsked) {
  EXPECT_EQ(Json("a\"\n\x7F", NonAscii::kEscape), "\"a\\\"\\n\x7F\"");
  EXPECT_EQ(Json("\xC2\x80\xC3\xBC\xE2\x82\xAC", NonAscii::kEscape), R"("\u0080\u00fc\u20ac")");
  EXPECT_EQ(Json("\xEF\xBF\xBF\xF0\x90\x80\x80", NonAscii::kEscape), R"("\uffff\ud800\udc00")");
  EXPECT_EQ(Json("\xF0\x9F\x98\x80x\xF4\x8F\xBF\xBF", NonAscii::kEscape),
            R"("\ud83d\ude00x\udbff\udfff")");
}

TEST(WriteJsonStringTest, FitsIfThereIsRoomForEveryByte) {
  for (const std::string_view text :
       {"", "plain", "\n", "a\"", "\x01", "x\x1Fy", "\xC3\xA4\\", "\\\\"}) {
    const std::string json = Json(text);
    for (std::size_t room = 0; room <= json.size() + 2; ++room) {
      std::string out(room + 8, '#');
      const char* end = WriteJsonString(text, out.data(), out.data() + room);
      EXPECT_EQ(out.substr(room), "########") << text << ' ' << room;
      if (room < json.size()) {
        EXPECT_EQ(end, nullptr) << text << ' ' << room;
      } else {
        ASSERT_EQ(end, out.data() + json.size()) << text << ' ' << room;
        EXPECT_EQ(out.substr(0, json.size()), json);
      }
    }
  }
}

TEST(WriteJsonStringTest, IsReadBackByAnotherParser) {
  std::mt19937 random(2);
  for (int i = 0; i < 20000; ++i) {
    const std::string text = Random(&random, "abcdefgh\"\\/\n\t\x01\x1F\x7F", 40);
    const std::string json = Json(text);
    rapidjson::Document document;
    document.Parse(json.data(), json.size());
    ASSERT_FALSE(document.HasParseError()) << json;
    ASSERT_EQ(std::string(document.GetString(), document.GetStringLength()), text);
  }
}

}  // namespace
}  // namespace tracekin
