// SPDX-License-Identifier: Apache-2.0
#include "propagation/text_lookup.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/propagation/carriers.h"

namespace tracekin::propagation {
namespace {

std::string Found(TextLookup* lookup, Key key) {
  const auto value = lookup->Find(key);
  return value ? std::string(*value) : "(none)";
}

TEST(TextLookup, CarrierThatAnswersIsNotIterated) {
  TestCarrier carrier{Entries{{"b3", "x"}, {"baggage", "y"}}};
  carrier.supports_lookup = true;
  TextLookup lookup(carrier);
  EXPECT_EQ(Found(&lookup, Key::kB3), "x");
  EXPECT_EQ(Found(&lookup, Key::kTraceparent), "(none)");
  EXPECT_EQ(Found(&lookup, Key::kBaggage), "y");
  EXPECT_EQ(carrier.iterations, 0);
  EXPECT_EQ(carrier.lookups, 3);
  EXPECT_FALSE(lookup.error());
}

TEST(TextLookup, CarrierThatDoesNotAnswerIsIteratedOnce) {
  TestCarrier carrier{Entries{{"b3", "x"}, {"baggage", "y"}, {"host", "z"}}};
  TextLookup lookup(carrier);
  EXPECT_EQ(Found(&lookup, Key::kB3), "x");
  EXPECT_EQ(Found(&lookup, Key::kTraceparent), "(none)");
  EXPECT_EQ(Found(&lookup, Key::kBaggage), "y");
  lookup.IterateForJaegerItems();
  EXPECT_EQ(carrier.iterations, 1);
  EXPECT_EQ(carrier.lookups, 1);
}

// Another copy of the OpenTracing library has its own categories with the same names.
struct ForeignCategory : std::error_category {
  const char* name() const noexcept override { return "OpenTracingPropagationError"; }
  std::string message(int /*value*/) const override { return "foreign"; }
};

TEST(TextLookup, ErrorsOfAnotherCopyOfTheLibraryAreUnderstood) {
  const ForeignCategory category;
  TestCarrier carrier{Entries{{"b3", "x"}}};
  carrier.lookup_error = {opentracing::lookup_key_not_supported_error.value(), category};
  TextLookup iterated(carrier);
  EXPECT_EQ(Found(&iterated, Key::kB3), "x");
  carrier.lookup_error = {opentracing::key_not_found_error.value(), category};
  TextLookup asked(carrier);
  EXPECT_EQ(Found(&asked, Key::kB3), "(none)");
  EXPECT_FALSE(asked.error());
}

TEST(TextLookup, OtherErrorsOfTheCarrierAreItsOwn) {
  TestCarrier carrier;
  carrier.lookup_error = std::make_error_code(std::errc::connection_reset);
  TextLookup asked(carrier);
  EXPECT_EQ(Found(&asked, Key::kB3), "(none)");
  EXPECT_EQ(asked.error(), std::errc::connection_reset);

  carrier.lookup_error = {};
  carrier.foreach_error = std::make_error_code(std::errc::broken_pipe);
  TextLookup iterated(carrier);
  EXPECT_EQ(Found(&iterated, Key::kB3), "(none)");
  EXPECT_EQ(iterated.error(), std::errc::broken_pipe);
}

TEST(TextLookup, FirstValueOfARepeatedKeyWinsAndItsRepetitionShows) {
  const TestCarrier carrier{Entries{{"B3", "1"}, {"b3", "2"}, {"traceparent", "3"}}};
  TextLookup lookup(carrier);
  EXPECT_EQ(Found(&lookup, Key::kB3), "1");
  EXPECT_TRUE(lookup.Repeated(Key::kB3));
  EXPECT_FALSE(lookup.Repeated(Key::kTraceparent));
}

TEST(TextLookup, LinesOfAListAreJoined) {
  const TestCarrier carrier{Entries{{"baggage", "a"},
                                    {"tracestate", "x"},
                                    {"baggage", ""},
                                    {"baggage", "b,c"},
                                    {"tracestate", "y"}}};
  TextLookup lookup(carrier);
  EXPECT_EQ(Found(&lookup, Key::kBaggage), "a,b,c");
  EXPECT_EQ(Found(&lookup, Key::kTracestate), "x,y");
}

TEST(TextLookup, ListsAreCutBetweenMembersAndNothingFollowsTheCut) {
  const std::string list = std::string(kMaxBaggageBytes - 2, 'a') + ",bcd,e";
  TestCarrier carrier{Entries{{"baggage", list}, {"baggage", "f"}}};
  TextLookup iterated(carrier);
  EXPECT_EQ(Found(&iterated, Key::kBaggage), std::string(kMaxBaggageBytes - 2, 'a'));
  carrier.supports_lookup = true;
  TextLookup asked(carrier);
  EXPECT_EQ(Found(&asked, Key::kBaggage), std::string(kMaxBaggageBytes - 2, 'a'));
}

TEST(TextLookup, OtherLongValuesStayTooLong) {
  TestCarrier carrier{Entries{{"b3", std::string(1 << 20, 'x')}}};
  for (const bool lookup : {false, true}) {
    carrier.supports_lookup = lookup;
    TextLookup text(carrier);
    EXPECT_EQ(Found(&text, Key::kB3), std::string(69, 'x'));
  }
}

TEST(TextLookup, EveryKeyHasRoomForItsLongestValueWhateverTheOthersTake) {
  Entries entries;
  for (int i = 0; i < 100; ++i) {
    entries.emplace_back("uberctx-" + std::to_string(i), std::string(1000, 'j'));
  }
  for (auto key = kKeyTraits.rbegin(); key != kKeyTraits.rend(); ++key) {
    if (key->is_list) {
      for (int i = 0; i < 100; ++i)
        entries.emplace_back(std::string(key->name), std::string(200, 'l'));
    }
    entries.emplace_back(std::string(key->name), std::string(key->max_bytes + 100, 'x'));
  }
  const TestCarrier carrier{entries};
  TextLookup lookup(carrier);
  for (std::size_t i = 0; i < kKeyTraits.size(); ++i) {
    const std::string found = Found(&lookup, static_cast<Key>(i));
    if (kKeyTraits[i].is_list) {
      EXPECT_LE(found.size(), kKeyTraits[i].max_bytes);
      EXPECT_GT(found.size(), kKeyTraits[i].max_bytes - 202) << kKeyTraits[i].name;
      EXPECT_EQ(found.substr(0, 201), std::string(200, 'l') + ",");
    } else {
      EXPECT_EQ(found, std::string(kKeyTraits[i].max_bytes + 1, 'x')) << kKeyTraits[i].name;
    }
  }
  std::size_t items = 0;
  lookup.ForEachJaegerItem([&](std::string_view key, std::string_view value) {
    EXPECT_EQ(key, std::to_string(items++));
    EXPECT_EQ(value, std::string(1000, 'j'));
  });
  EXPECT_EQ(items, 8U);
}

TEST(TextLookup, AHundredThousandHeadersHideNothing) {
  Entries entries;
  for (int i = 0; i < 100000; ++i) {
    entries.emplace_back(i % 3 == 0   ? "uberctx-" + std::to_string(i)
                         : i % 3 == 1 ? "baggage"
                                      : "x-unrelated",
                         "v=1");
  }
  entries.emplace_back("b3", "x");
  const TestCarrier carrier{entries};
  TextLookup lookup(carrier);
  EXPECT_EQ(Found(&lookup, Key::kB3), "x");
  EXPECT_LE(Found(&lookup, Key::kBaggage).size(), kMaxBaggageBytes);
  std::size_t items = 0;
  lookup.ForEachJaegerItem([&](std::string_view, std::string_view) { ++items; });
  EXPECT_EQ(items, kMaxBaggageItems);
}

TEST(TextLookup, KeysAreComparedWhole) {
  const TestCarrier carrier{Entries{{std::string("b3\0", 3), "1"},
                                    {"b", "2"},
                                    {"", "3"},
                                    {"x-b3-sampled ", "4"},
                                    {"X\rB3-SAMPLED", "5"},
                                    {std::string(1 << 20, 'b'), "6"}}};
  TextLookup lookup(carrier);
  EXPECT_EQ(Found(&lookup, Key::kB3), "(none)");
  EXPECT_EQ(Found(&lookup, Key::kB3Sampled), "(none)");
}

}  // namespace
}  // namespace tracekin::propagation
