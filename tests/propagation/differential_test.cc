// SPDX-License-Identifier: Apache-2.0
// Compares two implementations on the same input: the formats with regular expressions written from
// their grammars, and a carrier that supports lookup with one that is iterated.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <regex>
#include <string>

#include "tests/propagation/carriers.h"

namespace tracekin::propagation {
namespace {

// Makes variants of `text`, most of which are broken in one or two places.
class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  std::string operator()(std::string text) {
    for (unsigned n = random_() % 3; n != 0 && !text.empty(); --n) {
      const std::size_t at = random_() % text.size();
      switch (random_() % 4) {
        case 0:
          text[at] = Character();
          break;
        case 1:
          text.insert(at, 1, Character());
          break;
        case 2:
          text.erase(at, 1 + random_() % 3);
          break;
        default:
          text.insert(at, text.substr(at, 1 + random_() % 18));
      }
    }
    return text;
  }

 private:
  char Character() {
    constexpr std::string_view kCharacters = "0123456789abcdefABCDEFg-:%,;= \t\r\n\x80";
    return kCharacters[random_() % kCharacters.size()];
  }

  std::mt19937 random_;
};

bool NotZero(const std::string& digits) {
  return digits.find_first_not_of('0') != std::string::npos;
}

std::uint64_t Hex(const std::string& digits) { return std::strtoull(digits.c_str(), nullptr, 16); }

std::uint64_t HexHigh(const std::string& digits) {
  return digits.size() > 16 ? Hex(digits.substr(0, digits.size() - 16)) : 0;
}

std::uint64_t HexLow(const std::string& digits) {
  return Hex(digits.size() > 16 ? digits.substr(digits.size() - 16) : digits);
}

Decision FromState(const std::string& state) {
  if (state.empty()) return Decision::kDeferred;
  return state == "d" ? Decision::kDebug : state == "1" ? Decision::kAccept : Decision::kDeny;
}

struct Reference {
  bool valid = false;
  Context context;
};

Reference ReadTraceparent(const std::string& header) {
  static const std::regex grammar(
      "[ \\t]*(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-[^]*?)?[ \\t]*");
  std::smatch field;
  if (!std::regex_match(header, field, grammar)) return {};
  if (!NotZero(field[2]) || !NotZero(field[3])) return {};
  if (field[1] == "00" && field[5].matched) return {};
  const std::uint64_t flags = Hex(field[4]);
  Context context = MakeContext(HexHigh(field[2]), HexLow(field[2]), Hex(field[3]), 0,
                                (flags & 1) != 0 ? Decision::kAccept : Decision::kDeny);
  context.random_trace_id = (flags & 2) != 0;
  return {true, context};
}

Reference ReadB3(const std::string& header) {
  static const std::regex grammar(
      "([0-9a-f]{16}|[0-9a-f]{32})-([0-9a-f]{16})(?:-([01d]))?(?:-([0-9a-f]{16}))?");
  if (header == "0" || header == "1" || header == "d") {
    return {true, MakeContext(0, 0, 0, 0, FromState(header))};
  }
  std::smatch field;
  if (!std::regex_match(header, field, grammar) || !NotZero(field[1]) || !NotZero(field[2])) {
    return {};
  }
  return {true, MakeContext(HexHigh(field[1]), HexLow(field[1]), Hex(field[2]), Hex(field[4]),
                            FromState(field[3]))};
}

std::string Unescape(const std::string& text) {
  static const std::regex escape("^([^%]*)%([0-9a-fA-F]{2})([^]*)$");
  std::smatch part;
  if (!std::regex_match(text, part, escape)) return text;
  return std::string(part[1]) + static_cast<char>(Hex(part[2])) + Unescape(part[3]);
}

Reference ReadUberTraceId(const std::string& encoded) {
  const std::string header = Unescape(encoded);
  static const std::regex grammar(
      "([0-9a-fA-F]{1,32}):([0-9a-fA-F]{1,16}):([0-9a-fA-F]{1,16}):([0-9a-fA-F]{1,2})");
  std::smatch field;
  if (!std::regex_match(header, field, grammar) || !NotZero(field[1]) || !NotZero(field[2])) {
    return {};
  }
  const std::uint64_t flags = Hex(field[4]);
  Decision decision = (flags & 1) != 0 ? Decision::kAccept : Decision::kDeny;
  if ((flags & 3) == 3) decision = Decision::kDebug;
  return {true,
          MakeContext(HexHigh(field[1]), HexLow(field[1]), Hex(field[2]), Hex(field[3]), decision)};
}

void Compare(const std::string& format, const std::string& key,
             const std::vector<std::string>& seeds, Reference (*read)(const std::string&)) {
  Mutator mutate(5);
  int valid = 0;
  for (int i = 0; i < 5000; ++i) {
    const std::string header = mutate(seeds[static_cast<std::size_t>(i) % seeds.size()]);
    const Reference reference = read(header);
    const Extracted extracted = Extract({format}, Entries{{key, header}});
    ASSERT_EQ(extracted.found, reference.valid) << header;
    ASSERT_EQ(extracted.error == opentracing::span_context_corrupted_error, !reference.valid)
        << header;
    ASSERT_EQ(extracted.context, reference.context) << header;
    if (reference.valid) ++valid;
  }
  EXPECT_GT(valid, 500);
  EXPECT_LT(valid, 4500);
}

TEST(Differential, TraceparentAgreesWithItsGrammar) {
  Compare("tracecontext", "traceparent",
          {"00-80f198ee56343ba864fe8b2a57d3eff7-e457b5a2e4d86bd1-01",
           "00-00000000000000000000000000000001-0000000000000001-03",
           "cc-80f198ee56343ba864fe8b2a57d3eff7-e457b5a2e4d86bd1-00",
           "cc-80f198ee56343ba864fe8b2a57d3eff7-e457b5a2e4d86bd1-01-more"},
          ReadTraceparent);
}

TEST(Differential, B3AgreesWithItsGrammar) {
  Compare("b3", "b3",
          {"80f198ee56343ba864fe8b2a57d3eff7-e457b5a2e4d86bd1-1-05e3ac9a4f6e3b90",
           "64fe8b2a57d3eff7-e457b5a2e4d86bd1-d", "0000000000000001-0000000000000001",
           "64fe8b2a57d3eff7-e457b5a2e4d86bd1-05e3ac9a4f6e3b90", "0", "1", "d"},
          ReadB3);
}

TEST(Differential, UberTraceIdAgreesWithItsGrammar) {
  Compare("jaeger", "uber-trace-id",
          {"80f198ee56343ba864fe8b2a57d3eff7:e457b5a2e4d86bd1:05e3ac9a4f6e3b90:1", "1:2:0:3",
           "aB:C:0:0f", "1%3a2%3A0%3A1"},
          ReadUberTraceId);
}

TEST(Differential, AskedAndIteratedCarriersAgree) {
  const std::vector<std::string> formats = {"b3", "b3multi", "tracecontext", "baggage", "jaeger"};
  const Entries whole = {{"b3", "64fe8b2a57d3eff7-e457b5a2e4d86bd1-d"},
                         {"x-b3-traceid", "463ac35c9f6413ad"},
                         {"x-b3-spanid", "a2fb4a1d1a96d312"},
                         {"x-b3-parentspanid", "20000000000001"},
                         {"x-b3-sampled", "1"},
                         {"x-b3-flags", "0"},
                         {"traceparent", "00-80f198ee56343ba864fe8b2a57d3eff7-e457b5a2e4d86bd1-01"},
                         {"tracestate", "vendor=1 , other=2"},
                         {"baggage", "a=1,b=%20;p"},
                         {"uber-trace-id", "1:2:3:1"},
                         {"jaeger-debug-id", "x"},
                         {"jaeger-baggage", "c=3"}};
  Mutator mutate(6);
  std::mt19937 random(7);
  int found = 0;
  int corrupted = 0;
  for (int i = 0; i < 5000; ++i) {
    TestCarrier carrier;
    for (const auto& entry : whole) {
      if (random() % 2 == 0) carrier.entries.emplace_back(entry.first, mutate(entry.second));
    }
    const Extracted iterated = Extract(formats, carrier);
    carrier.supports_lookup = true;
    const Extracted asked = Extract(formats, carrier);
    ASSERT_EQ(iterated.found, asked.found);
    ASSERT_EQ(iterated.error, asked.error);
    ASSERT_EQ(iterated.context, asked.context);
    if (iterated.found) ++found;
    if (iterated.error) ++corrupted;
  }
  EXPECT_GT(found, 500);
  EXPECT_GT(corrupted, 50);
}

}  // namespace
}  // namespace tracekin::propagation
