// SPDX-License-Identifier: Apache-2.0
#include "fuzz/carrier_input.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>

#include "fuzz/headers.h"
#include "fuzz/input.h"

namespace tracekin {

using propagation::Entries;
using propagation::TakeHeaders;
namespace {

constexpr std::array<const char*, 5> kFormats = {"b3", "b3multi", "tracecontext", "jaeger",
                                                 "baggage"};

// The generator SplitMix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t Next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  /// Returns a number less than `bound`.
  std::size_t Below(std::size_t bound) { return Next() % bound; }

  bool OneIn(std::size_t n) { return Below(n) == 0; }

  template <class Items>
  const auto& Of(const Items& items) {
    return items[Below(std::size(items))];
  }

  /// Returns `limit`, one less or one more.
  std::size_t Around(std::size_t limit) { return limit - 1 + Below(3); }

 private:
  std::uint64_t state_;
};

std::string Repeated(std::size_t count, char c) { return std::string(count, c); }

// Separators, terminators and escapes of the formats, and characters that are not valid in any of
// them.
constexpr std::string_view kPieces[] = {"-",
                                        ":",
                                        ",",
                                        ";",
                                        "=",
                                        "%",
                                        "%2",
                                        "%zz",
                                        "%3A",
                                        "%3a",
                                        "%00",
                                        "%C3%A4",
                                        "%ED%A0%80",
                                        "%F0%9F%98",
                                        "+",
                                        " ",
                                        "\t",
                                        "\r",
                                        "@",
                                        "_",
                                        "*",
                                        "/",
                                        "\"",
                                        "\\",
                                        "0",
                                        "1",
                                        "d",
                                        "f",
                                        "g",
                                        "A",
                                        "F",
                                        "\x7f",
                                        "\x01",
                                        "~",
                                        "|",
                                        "\xc3\xa4",
                                        "\xff",
                                        "\xe2\x82",
                                        "\xf0\x9f\x98\x80",
                                        std::string_view("\0", 1),
                                        "true",
                                        "00",
                                        "ff"};

std::string Hex(Random* random, std::size_t digits) {
  if (random->OneIn(24)) return Repeated(digits, '0');
  std::string text;
  for (std::size_t i = 0; i < digits; ++i) text += "0123456789abcdef"[random->Below(16)];
  if (random->OneIn(8)) text.replace(0, digits / 2, digits / 2, '0');
  return text;
}

// Returns an id, mostly of this length and sometimes of a neighbouring one.
std::string Id(Random* random, std::size_t digits) {
  return Hex(random, random->OneIn(30) ? random->Around(digits) : digits);
}

std::string TraceId(Random* random) { return Id(random, random->OneIn(3) ? 16 : 32); }

std::string Word(Random* random, std::size_t length) {
  constexpr char kLetters[] = "abcdefghijklmnopqrstuvwxyz012345";
  std::string text(length, ' ');
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < length; ++i, bits >>= 5) {
    if (i % 12 == 0) bits = random->Next();
    text[i] = kLetters[bits % 32];
  }
  return text;
}

std::string Blanks(Random* random) {
  std::string text;
  while (random->OneIn(4)) text += random->OneIn(2) ? ' ' : '\t';
  return text;
}

// Makes one small change.
void Change(Random* random, std::string* text) {
  const std::size_t at = random->Below(text->size() + 1);
  const std::string piece(random->Of(kPieces));
  switch (random->Below(8)) {
    case 0:
      text->insert(at, piece);
      break;
    case 1:
      text->replace(at, 1, piece);
      break;
    case 2:
      text->erase(at, 1);
      break;
    case 3:
      text->resize(at);
      break;
    case 4:
      text->append(piece);
      break;
    case 5:
      text->insert(0, piece);
      break;
    case 6:
      if (at < text->size() && (*text)[at] >= 'a' && (*text)[at] <= 'z') (*text)[at] -= 'a' - 'A';
      break;
    default:
      text->insert(at, text->substr(at / 2, random->Below(20)));
      break;
  }
}

std::string B3(Random* random) {
  static constexpr const char* kStates[] = {"0", "1", "d"};
  if (random->OneIn(8)) return random->Of(kStates);
  std::string text = TraceId(random) + '-' + Id(random, 16);
  if (!random->OneIn(4)) text += std::string("-") + random->Of(kStates);
  if (random->OneIn(2)) text += '-' + Id(random, 16);
  return text;
}

std::string Traceparent(Random* random) {
  static constexpr const char* kVersions[] = {"00", "00", "00", "00", "01", "fe", "ff"};
  static constexpr const char* kFlags[] = {"00", "01", "01", "02", "03", "fc", "ff"};
  std::string text = std::string(random->Of(kVersions)) + '-' + Id(random, 32) + '-' +
                     Id(random, 16) + '-' + random->Of(kFlags);
  if (random->OneIn(8)) text += '-' + Word(random, random->Below(4));
  if (random->OneIn(40)) text += '-' + Word(random, random->Around(255 - text.size()));
  if (random->OneIn(40)) text.insert(0, Repeated(random->Around(256 - 55), ' '));
  return Blanks(random) + text + Blanks(random);
}

std::string TracestateKey(Random* random) {
  if (random->OneIn(20)) return Word(random, random->Around(256));
  if (random->OneIn(20)) return Word(random, random->Below(3)) + "@" + Word(random, 2) + "@";
  if (random->OneIn(10)) return "foo";  // often repeated
  return Word(random, 2 + random->Below(5)) + (random->OneIn(8) ? "@vendor" : "");
}

std::string TracestateMember(Random* random) {
  const std::size_t size = random->OneIn(30) ? random->Around(256) : 1 + random->Below(9);
  return TracestateKey(random) + '=' + (random->OneIn(9) ? " " : "") + Word(random, size);
}

// Returns a list of `count` members from `make`. If `bytes` is not 0, the list is extended or cut
// to that length.
template <class Make>
std::string List(Random* random, std::size_t count, std::size_t bytes, Make make) {
  std::string list;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) list += ',';
    list += Blanks(random) + make();
    if (bytes == 0) list += Blanks(random);
    if (bytes != 0 && list.size() > bytes) break;
  }
  if (bytes != 0 && list.size() < bytes) list += ",z=" + Word(random, bytes);
  if (bytes != 0) list.resize(bytes);
  return list;
}

std::string Tracestate(Random* random) {
  std::size_t count = random->Below(5);
  std::size_t bytes = 0;
  if (random->OneIn(20)) count = random->Around(32);
  if (random->OneIn(40)) {
    count = 31;
    bytes = random->Around(4096);
  }
  int number = 0;  // keeps the keys of long lists distinct
  const auto numbered = [&] {
    if (bytes == 0 && count < 10) return TracestateMember(random);
    const std::size_t size = bytes == 0 ? 3 : 120 + random->Below(15);
    return 'k' + std::to_string(number++) + '=' + Word(random, size);
  };
  std::string list = List(random, count, bytes, numbered);
  // Returns a full list with more text after it.
  if (bytes != 0 && random->OneIn(2)) list += random->OneIn(2) ? ",a=1" : "1,a=1";
  return list;
}

std::string BaggageValue(Random* random) {
  std::string value = Word(random, random->Below(8));
  while (random->OneIn(3)) value += random->Of(kPieces);
  if (random->OneIn(3)) value += "%20%e2%82%ac";
  return value;
}

std::string BaggageMember(Random* random) {
  std::string member = Word(random, 1 + random->Below(3)) + Blanks(random) + '=' + Blanks(random) +
                       BaggageValue(random);
  while (random->OneIn(5)) member += Blanks(random) + ';' + Blanks(random) + BaggageValue(random);
  return member;
}

std::string Baggage(Random* random) {
  std::size_t count = random->Below(6);
  std::size_t bytes = 0;
  if (random->OneIn(20)) count = random->Around(64);
  if (random->OneIn(40)) bytes = random->Around(8192);
  if (bytes != 0) count = 1 + random->Below(60);
  int number = 0;
  const auto numbered = [&] {
    if (bytes == 0 && count < 10) return BaggageMember(random);
    return 'k' + std::to_string(number++) + '=' + Word(random, bytes / count);
  };
  std::string list = List(random, count, bytes, numbered);
  if (bytes != 0 && random->OneIn(2)) list += random->OneIn(2) ? ",a=1" : "1,a=1";
  return list;
}

// Returns the text with each character encoded as three.
std::string Encoded(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    encoded += {'%', "0123456789abcdef"[c >> 4 & 15], "0123456789abcdef"[c & 15]};
  }
  return encoded;
}

std::string UberTraceId(Random* random) {
  if (random->OneIn(20)) {  // the longest form
    const std::string text =
        Hex(random, 32) + ':' + Hex(random, 16) + ':' + Hex(random, 16) + ":01";
    return Encoded(text) + (random->OneIn(3) ? "0" : "");
  }
  static constexpr const char* kFlags[] = {"0", "1", "1", "2", "3", "01", "0F", "ff"};
  static constexpr std::size_t kDigits[] = {1, 8, 16, 16, 17, 31, 32, 32};
  const std::string separator = random->OneIn(8) ? "%3A" : ":";
  return Id(random, random->Of(kDigits)) + separator + Id(random, random->OneIn(4) ? 7 : 16) +
         separator + (random->OneIn(3) ? "0" : Id(random, 16)) + separator + random->Of(kFlags);
}

// List lines without a member. Empty lines are not counted.
constexpr const char* kNoMember[] = {"", ",", ",", " ", "\t", ",,", ",", " , ", ",", ","};

// Headers of one format, valid except where the functions above damage them.

void AddB3Multi(Random* random, Entries* headers) {
  static constexpr const char* kSampled[] = {"0", "1", "1", "true", "False", "2", "d", "", "truee"};
  static constexpr std::size_t kDigits[] = {1, 15, 16, 16, 17, 31, 32, 32};
  if (!random->OneIn(6)) headers->emplace_back("x-b3-traceid", Id(random, random->Of(kDigits)));
  if (!random->OneIn(12)) {
    headers->emplace_back("x-b3-spanid", Id(random, random->OneIn(6) ? 1 : 16));
  }
  if (random->OneIn(2)) headers->emplace_back("x-b3-parentspanid", Id(random, 16));
  if (!random->OneIn(3)) headers->emplace_back("x-b3-sampled", random->Of(kSampled));
  if (random->OneIn(4)) headers->emplace_back("x-b3-flags", std::to_string(random->Below(3)));
}

void AddTraceContext(Random* random, Entries* headers) {
  headers->emplace_back("traceparent", Traceparent(random));
  if (random->OneIn(3)) return;
  std::size_t lines = 1;
  while (random->OneIn(3)) ++lines;
  const bool many = random->OneIn(50);
  if (many) lines = random->Around(64);
  for (; lines > 0; --lines) {
    headers->emplace_back("tracestate",
                          lines > 1 && many ? random->Of(kNoMember) : Tracestate(random));
  }
}

void AddJaegerItems(Random* random, Entries* headers) {
  std::size_t count = random->Below(3);
  std::size_t each = 0;
  if (random->OneIn(30)) count = random->Around(64);
  if (random->OneIn(30)) {
    count = 2 + random->Below(10);
    each = random->Around(8192 / count);
  }
  for (std::size_t i = 0; i < count; ++i) {
    std::string key = each != 0 || count > 9 ? 'k' + std::to_string(i % 60) : Word(random, 1);
    std::string value = each == 0 ? BaggageValue(random) : Word(random, each - key.size());
    if (random->OneIn(15)) key = BaggageValue(random);
    headers->emplace_back("uberctx-" + key, value);
  }
}

void AddJaeger(Random* random, Entries* headers) {
  if (!random->OneIn(8)) headers->emplace_back("uber-trace-id", UberTraceId(random));
  if (random->OneIn(8)) headers->emplace_back("jaeger-debug-id", Word(random, random->Below(3)));
  if (random->OneIn(4)) headers->emplace_back("jaeger-baggage", Baggage(random));
  if (random->OneIn(2)) AddJaegerItems(random, headers);
}

void AddBaggage(Random* random, Entries* headers) {
  std::size_t lines = 1;
  while (random->OneIn(3)) ++lines;
  const bool many = random->OneIn(50);
  if (many) lines = random->Around(64);
  for (; lines > 0; --lines) {
    headers->emplace_back("baggage", lines > 1 && many ? random->Of(kNoMember) : Baggage(random));
  }
}

void AddFormat(const std::string& format, Random* random, Entries* headers) {
  if (format == "b3") headers->emplace_back("b3", B3(random));
  if (format == "b3multi") AddB3Multi(random, headers);
  if (format == "tracecontext") AddTraceContext(random, headers);
  if (format == "jaeger") AddJaeger(random, headers);
  if (format == "baggage") AddBaggage(random, headers);
}

// Returns all or some of the formats in random order.
std::vector<std::string> Formats(Random* random) {
  std::vector<std::string> formats(kFormats.begin(), kFormats.end());
  for (std::size_t i = formats.size(); i > 1; --i) {
    std::swap(formats[i - 1], formats[random->Below(i)]);
  }
  if (random->OneIn(2)) formats.resize(1 + random->Below(formats.size()));
  return formats;
}

// Makes a change that headers may suffer in transit: another case, another order, repeated lines,
// lost or added bytes.
void Disturb(Random* random, Entries* headers) {
  if (headers->empty()) return;
  const std::size_t at = random->Below(headers->size());
  auto& [key, value] = (*headers)[at];
  switch (random->Below(8)) {
    case 0:
      if (key[0] >= 'a') key[0] -= 'a' - 'A';
      break;
    case 1:
      for (char& c : key) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
      break;
    case 2:
      Change(random, &key);
      break;
    case 3:
      headers->push_back((*headers)[at]);
      break;
    case 4:
      std::swap((*headers)[at], (*headers)[random->Below(headers->size())]);
      break;
    case 5:
      headers->emplace_back(key, headers->back().second);  // the value of another key
      break;
    default:
      Change(random, &value);
      break;
  }
}

// Returns whether the header can be written as one line.
bool FitsALine(const std::pair<std::string, std::string>& header) {
  return header.first.find_first_of(":\n") == std::string::npos &&
         header.second.find('\n') == std::string::npos;
}

}  // namespace

CarrierInput ParseCarrierInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  CarrierInput result;
  result.asked = input.TakeLine() == "asked";
  std::vector<std::string>& formats = result.formats;
  for (std::string_view line = input.TakeLine(); !line.empty();) {
    const std::size_t comma = std::min(line.find(','), line.size());
    const std::string name(line.substr(0, comma));
    line.remove_prefix(std::min(comma + 1, line.size()));
    const bool known = std::find(kFormats.begin(), kFormats.end(), name) != kFormats.end();
    const bool again = std::find(formats.begin(), formats.end(), name) != formats.end();
    if (known && !again) formats.push_back(name);
  }
  result.headers = TakeHeaders(&input);
  return result;
}

std::string PrintCarrierInput(const CarrierInput& input) {
  std::string text = input.asked ? "asked\n" : "iterated\n";
  const char* separator = "";
  for (const std::string& format : input.formats) {
    text.append(separator).append(format);
    separator = ",";
  }
  text += '\n';
  for (const auto& [key, value] : input.headers) text.append(key + ": " + value + '\n');
  return text;
}

CarrierInput MakeCarrierInput(std::uint64_t seed) {
  Random random(seed);
  CarrierInput input;
  input.asked = random.OneIn(3);
  input.formats = Formats(&random);
  for (const std::string& format : input.formats) {
    if (random.OneIn(2)) AddFormat(format, &random, &input.headers);
  }
  if (random.OneIn(4)) AddFormat(random.Of(kFormats), &random, &input.headers);
  while (!random.OneIn(6)) Disturb(&random, &input.headers);
  input.headers.erase(
      std::remove_if(input.headers.begin(), input.headers.end(), std::not_fn(FitsALine)),
      input.headers.end());
  return input;
}

}  // namespace tracekin
