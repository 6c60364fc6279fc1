// SPDX-License-Identifier: Apache-2.0
#include "fuzz/carrier_oracle.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <set>
#include <string_view>

namespace tracekin::oracle {
namespace {

using std::string_view;
using Text = std::optional<std::string>;  // nullopt: the key is absent

constexpr std::size_t kMaxItems = 64;
constexpr std::size_t kMaxBytes = 8192;

// Characters and strings.

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsAlnum(char c) { return IsDigit(c) || IsLower(c) || IsUpper(c); }
bool IsHexLower(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f'); }
bool IsHexAny(char c) { return IsHexLower(c) || (c >= 'A' && c <= 'F'); }
bool IsBlank(char c) { return c == ' ' || c == '\t'; }
bool IsOneOf(char c, const char* set) {
  return c != 0 && string_view(set).find(c) != string_view::npos;
}
bool IsTokenChar(char c) { return IsAlnum(c) || IsOneOf(c, "!#$%&'*+-.^_`|~"); }
bool IsBaggageOctet(char c) { return c > ' ' && c < 0x7f && !IsOneOf(c, "\",;\\"); }

template <class Predicate>
bool All(string_view text, Predicate predicate) {
  return std::all_of(text.begin(), text.end(), predicate);
}

bool IsToken(string_view text) { return !text.empty() && All(text, IsTokenChar); }

std::string Lower(string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (IsUpper(c)) c = static_cast<char>(c + 32);
  }
  return lower;
}

string_view Trim(string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<string_view> Split(string_view text, char separator) {
  std::vector<string_view> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

// Numbers.

int HexValue(char c) { return IsDigit(c) ? c - '0' : (IsLower(c) ? c - 'a' : c - 'A') + 10; }

std::uint64_t HexNumber(string_view digits) {
  std::uint64_t number = 0;
  for (const char c : digits) number = number * 16 + static_cast<std::uint64_t>(HexValue(c));
  return number;
}

// Reads `least` to `most` digits. REQUIRES: `most` is at most 32.
bool ReadHex(string_view text, std::size_t least, std::size_t most, bool any_case,
             std::uint64_t* high, std::uint64_t* low) {
  if (text.size() < least || text.size() > most) return false;
  if (!All(text, any_case ? IsHexAny : IsHexLower)) return false;
  const std::size_t upper = text.size() > 16 ? text.size() - 16 : 0;
  *high = HexNumber(text.substr(0, upper));
  *low = HexNumber(text.substr(upper));
  return true;
}

bool ReadHex(string_view text, std::size_t least, std::size_t most, bool any_case,
             std::uint64_t* low) {
  std::uint64_t high = 0;
  return ReadHex(text, least, most, any_case, &high, low);
}

std::string Hex(std::uint64_t number) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(number));
  return digits;
}

// Percent-encoding and UTF-8.

std::string PercentDecoded(string_view text, bool plus_is_space) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && text.size() - i > 2 && IsHexAny(text[i + 1]) && IsHexAny(text[i + 2])) {
      decoded += static_cast<char>(HexNumber(text.substr(i + 1, 2)));
      i += 2;
    } else {
      decoded += plus_is_space && text[i] == '+' ? ' ' : text[i];
    }
  }
  return decoded;
}

template <class Plain>
std::string PercentEncoded(string_view text, Plain plain) {
  std::string encoded;
  for (const char c : text) {
    char escape[4];
    std::snprintf(escape, sizeof escape, "%%%02X", static_cast<unsigned char>(c));
    encoded += plain(c) ? std::string(1, c) : escape;
  }
  return encoded;
}

// The size of a sequence that begins with `lead` (0: `lead` is replaced) and the range of its
// second byte (The Unicode Standard, table 3-7).
struct Sequence {
  std::size_t size;
  unsigned char from;
  unsigned char to;
};

Sequence SequenceOf(unsigned char lead) {
  if (lead == 0) return {0, 0, 0};
  if (lead < 0x80) return {1, 0, 0};
  if (lead < 0xc2) return {0, 0, 0};
  if (lead < 0xe0) return {2, 0x80, 0xbf};
  if (lead == 0xe0) return {3, 0xa0, 0xbf};
  if (lead == 0xed) return {3, 0x80, 0x9f};
  if (lead < 0xf0) return {3, 0x80, 0xbf};
  if (lead == 0xf0) return {4, 0x90, 0xbf};
  if (lead < 0xf4) return {4, 0x80, 0xbf};
  if (lead == 0xf4) return {4, 0x80, 0x8f};
  return {0, 0, 0};
}

std::string AsUtf8(string_view text) {
  std::string result;
  while (!text.empty()) {
    const Sequence sequence = SequenceOf(static_cast<unsigned char>(text[0]));
    std::size_t good = 1;
    while (good < sequence.size && good < text.size()) {
      const auto next = static_cast<unsigned char>(text[good]);
      const bool second = good == 1;
      if (next < (second ? sequence.from : 0x80) || next > (second ? sequence.to : 0xbf)) break;
      ++good;
    }
    result += good == sequence.size ? text.substr(0, good) : string_view("\xef\xbf\xbd");
    text.remove_prefix(good);
  }
  return result;
}

// "Carriers of text".

struct Carrier {
  const Pairs& headers;
  bool asked;

  bool Is(const std::string& key, const std::string& name) const {
    return (asked ? key : Lower(key)) == name;
  }

  Text First(const std::string& name) const {
    for (const auto& [key, value] : headers) {
      if (Is(key, name)) return value;
    }
    return std::nullopt;
  }

  std::size_t Count(const std::string& name) const {
    if (asked) return First(name) ? 1 : 0;
    return static_cast<std::size_t>(
        std::count_if(headers.begin(), headers.end(),
                      [&](const auto& header) { return Is(header.first, name); }));
  }

  // Returns up to 64 lines that are not empty, joined with commas and then cut to whole members
  // within `limit` bytes.
  std::string List(const std::string& name, std::size_t limit) const {
    std::string list = asked ? First(name).value_or("") : Joined(name);
    if (list.size() > limit) {
      const std::size_t comma = list.rfind(',', limit);
      list.resize(comma == std::string::npos ? 0 : comma);
    }
    return list;
  }

  std::string Joined(const std::string& name) const {
    std::string list;
    std::size_t lines = 0;
    for (const auto& [key, value] : headers) {
      if (!Is(key, name) || value.empty()) continue;
      if (++lines > 64) break;
      list += (list.empty() ? "" : ",") + value;
    }
    return list;
  }
};

// Observes the limits of "What is carried".
void AddItem(const std::string& key, const std::string& value, Pairs* baggage) {
  std::size_t bytes = key.size() + value.size();
  for (const auto& item : *baggage) {
    if (item.first == key) return;
    bytes += item.first.size() + item.second.size();
  }
  if (baggage->size() < kMaxItems && bytes <= kMaxBytes) baggage->emplace_back(key, value);
}

// Each of the next four functions reads one format's ids and decision. It changes `context` only if
// it returns kContext.

bool ReadState(string_view text, State* state) {
  if (text == "0") *state = State::kDeny;
  if (text == "1") *state = State::kAccept;
  if (text == "d") *state = State::kDebug;
  return text == "0" || text == "1" || text == "d";
}

Result ReadB3(const Carrier& carrier, Context* context) {
  const Text header = carrier.First("b3");
  if (!header) return Result::kNothing;
  Context read;
  if (ReadState(*header, &read.state)) {
    *context = read;
    return Result::kContext;
  }
  const std::vector<string_view> parts = Split(*header, '-');
  if (parts.size() < 2 || parts.size() > 4) return Result::kCorrupted;
  if (parts[0].size() != 16 && parts[0].size() != 32) return Result::kCorrupted;
  if (!ReadHex(parts[0], 16, 32, false, &read.trace_high, &read.trace_low) ||
      (read.trace_high | read.trace_low) == 0) {
    return Result::kCorrupted;
  }
  if (!ReadHex(parts[1], 16, 16, false, &read.span) || read.span == 0) return Result::kCorrupted;
  std::size_t next = 2;
  if (next < parts.size() && ReadState(parts[next], &read.state)) ++next;
  if (next < parts.size()) {
    if (!ReadHex(parts[next], 16, 16, false, &read.parent)) return Result::kCorrupted;
    ++next;
  }
  if (next != parts.size()) return Result::kCorrupted;
  *context = read;
  return Result::kContext;
}

Result ReadB3Multi(const Carrier& carrier, Context* context) {
  const Text trace = carrier.First("x-b3-traceid");
  const Text span = carrier.First("x-b3-spanid");
  const Text parent = carrier.First("x-b3-parentspanid");
  const Text sampled = carrier.First("x-b3-sampled");
  Context read;
  if (sampled) {
    const std::string said = Lower(*sampled);
    if (said != "1" && said != "0" && said != "true" && said != "false") return Result::kCorrupted;
    read.state = said == "1" || said == "true" ? State::kAccept : State::kDeny;
  }
  if (carrier.First("x-b3-flags") == "1") read.state = State::kDebug;
  if (!trace) {
    if (read.state == State::kDeferred) return Result::kNothing;
    *context = read;
    return Result::kContext;
  }
  if (!ReadHex(*trace, 1, 32, false, &read.trace_high, &read.trace_low) ||
      (read.trace_high | read.trace_low) == 0) {
    return Result::kCorrupted;
  }
  if (!span || !ReadHex(*span, 1, 16, false, &read.span) || read.span == 0)
    return Result::kCorrupted;
  if (parent && !ReadHex(*parent, 1, 16, false, &read.parent)) return Result::kCorrupted;
  *context = read;
  return Result::kContext;
}

bool IsTracestateKey(string_view key) {
  const auto is_start = [](char c) { return IsLower(c) || IsDigit(c); };
  const auto is_char = [&](char c) { return is_start(c) || IsOneOf(c, "_-*/@"); };
  return !key.empty() && key.size() <= 256 && is_start(key[0]) && All(key, is_char);
}

bool IsTracestateValue(string_view value) {
  return !value.empty() && value.size() <= 256 && value.back() != ' ' &&
         All(value, [](char c) { return c >= ' ' && c <= '~' && c != ',' && c != '='; });
}

// Returns the list without the white space around its members, or an empty string if it is
// malformed.
std::string Tracestate(const std::string& header) {
  std::string result;
  std::set<string_view> keys;
  int members = 0;
  for (string_view member : Split(header, ',')) {
    member = Trim(member);
    if (member.empty()) continue;
    const std::size_t equals = member.find('=');
    if (equals == string_view::npos) return {};
    const string_view key = member.substr(0, equals);
    if (!IsTracestateKey(key) || !IsTracestateValue(member.substr(equals + 1))) return {};
    if (++members > 32) return {};
    if (!keys.insert(key).second) continue;
    result.append(result.empty() ? "" : ",").append(member);
  }
  return result;
}

Result ReadTraceContext(const Carrier& carrier, Context* context) {
  const std::size_t count = carrier.Count("traceparent");
  if (count == 0) return Result::kNothing;
  if (count > 1) return Result::kCorrupted;
  const std::string header = *carrier.First("traceparent");
  const string_view text = Trim(string_view(header).substr(0, 256));
  if (text.size() < 55 || text[2] != '-' || text[35] != '-' || text[52] != '-')
    return Result::kCorrupted;
  const string_view version = text.substr(0, 2);
  if (!All(version, IsHexLower) || version == "ff") return Result::kCorrupted;
  if (text.size() > 55 && (version == "00" || text[55] != '-')) return Result::kCorrupted;
  Context read;
  std::uint64_t flags = 0;
  if (!ReadHex(text.substr(3, 32), 32, 32, false, &read.trace_high, &read.trace_low) ||
      !ReadHex(text.substr(36, 16), 16, 16, false, &read.span) ||
      !ReadHex(text.substr(53, 2), 2, 2, false, &flags) ||
      (read.trace_high | read.trace_low) == 0 || read.span == 0) {
    return Result::kCorrupted;
  }
  read.state = (flags & 1) != 0 ? State::kAccept : State::kDeny;
  read.random = (flags & 2) != 0;
  read.tracestate = Tracestate(carrier.List("tracestate", 4096));
  *context = read;
  return Result::kContext;
}

Result ReadJaeger(const Carrier& carrier, Context* context) {
  const Text header = carrier.First("uber-trace-id");
  Context read;
  if (!header) {
    if (!carrier.First("jaeger-debug-id")) return Result::kNothing;
    read.state = State::kDebug;
    *context = read;
    return Result::kContext;
  }
  if (header->size() > 207) return Result::kCorrupted;
  const bool encoded = header->find('%') != std::string::npos;
  const std::string text = encoded ? PercentDecoded(*header, false) : *header;
  const std::vector<string_view> parts = Split(text, ':');
  std::uint64_t flags = 0;
  if (parts.size() != 4 || !ReadHex(parts[0], 1, 32, true, &read.trace_high, &read.trace_low) ||
      !ReadHex(parts[1], 1, 16, true, &read.span) ||
      !ReadHex(parts[2], 1, 16, true, &read.parent) || !ReadHex(parts[3], 1, 2, true, &flags) ||
      (read.trace_high | read.trace_low) == 0 || read.span == 0) {
    return Result::kCorrupted;
  }
  read.state = State::kDeny;
  if ((flags & 1) != 0) read.state = (flags & 2) != 0 ? State::kDebug : State::kAccept;
  *context = read;
  return Result::kContext;
}

// Baggage.

void ReadBaggageList(const std::string& header, Pairs* baggage) {
  for (const string_view member : Split(header, ',')) {
    const std::vector<string_view> parts = Split(member, ';');  // the first part is key and value
    const std::size_t equals = parts[0].find('=');
    if (equals == string_view::npos) continue;
    const string_view key = Trim(parts[0].substr(0, equals));
    const string_view value = Trim(parts[0].substr(equals + 1));
    if (!IsToken(key) || !All(value, IsBaggageOctet)) continue;
    AddItem(std::string(key), AsUtf8(PercentDecoded(value, false)), baggage);
  }
}

void ReadJaegerItems(const Carrier& carrier, Pairs* baggage) {
  ReadBaggageList(carrier.List("jaeger-baggage", kMaxBytes), baggage);
  if (carrier.asked && !carrier.First("uber-trace-id")) return;
  std::size_t bytes = 0;
  std::size_t items = 0;
  for (const auto& [name, value] : carrier.headers) {
    const std::string lower = Lower(name);
    if (lower.rfind("uberctx-", 0) != 0 || lower.size() == 8) continue;
    const std::string key = lower.substr(8);
    if (items == kMaxItems || bytes + key.size() + value.size() > kMaxBytes) continue;
    ++items;
    bytes += key.size() + value.size();
    AddItem(key, AsUtf8(PercentDecoded(value, true)), baggage);
  }
}

Result ReadIds(const std::string& format, const Carrier& carrier, Context* context) {
  if (format == "b3") return ReadB3(carrier, context);
  if (format == "b3multi") return ReadB3Multi(carrier, context);
  if (format == "tracecontext") return ReadTraceContext(carrier, context);
  if (format == "jaeger") return ReadJaeger(carrier, context);
  return Result::kNothing;
}

void ReadBaggage(const std::string& format, const Carrier& carrier, Pairs* baggage) {
  if (format == "baggage") ReadBaggageList(carrier.List("baggage", kMaxBytes), baggage);
  if (format == "jaeger") ReadJaegerItems(carrier, baggage);
}

// The output of each format.

bool HasIds(const Context& context) { return context.span != 0; }

// Returns 16 digits if the upper half is zero, otherwise 32.
std::string ShortTraceId(const Context& context) {
  return (context.trace_high == 0 ? "" : Hex(context.trace_high)) + Hex(context.trace_low);
}

bool IsSampled(State state) { return state == State::kAccept || state == State::kDebug; }

void WriteB3(const Context& context, Pairs* headers) {
  const char* const states[] = {"", "0", "1", "d"};
  const std::string state = states[static_cast<int>(context.state)];
  if (!HasIds(context)) {
    if (!state.empty()) headers->emplace_back("b3", state);
    return;
  }
  std::string header = ShortTraceId(context) + '-' + Hex(context.span);
  if (!state.empty()) header += '-' + state;
  if (context.parent != 0) header += '-' + Hex(context.parent);
  headers->emplace_back("b3", header);
}

void WriteB3Multi(const Context& context, Pairs* headers) {
  if (HasIds(context)) {
    headers->emplace_back("x-b3-traceid", ShortTraceId(context));
    headers->emplace_back("x-b3-spanid", Hex(context.span));
    if (context.parent != 0) headers->emplace_back("x-b3-parentspanid", Hex(context.parent));
  }
  if (context.state != State::kDeferred) {
    headers->emplace_back("x-b3-sampled", IsSampled(context.state) ? "1" : "0");
  }
  headers->emplace_back("x-b3-flags", context.state == State::kDebug ? "1" : "0");
}

void WriteTraceContext(const Context& context, Pairs* headers) {
  if (!HasIds(context)) return;
  const int flags = (IsSampled(context.state) ? 1 : 0) + (context.random ? 2 : 0);
  headers->emplace_back("traceparent", "00-" + Hex(context.trace_high) + Hex(context.trace_low) +
                                           '-' + Hex(context.span) + "-0" + std::to_string(flags));
  if (!context.tracestate.empty()) headers->emplace_back("tracestate", context.tracestate);
}

void WriteBaggage(const Context& context, Pairs* headers) {
  std::string header;
  for (const auto& [key, value] : context.baggage) {
    if (!IsToken(key)) continue;
    const auto plain = [](char c) { return IsBaggageOctet(c) && !IsOneOf(c, "%+"); };
    const std::string member =
        (header.empty() ? "" : ",") + key + '=' + PercentEncoded(value, plain);
    if (header.size() + member.size() <= kMaxBytes) header += member;
  }
  if (!header.empty()) headers->emplace_back("baggage", header);
}

void WriteJaeger(const Context& context, Pairs* headers) {
  if (HasIds(context)) {
    const char* const flags[] = {"0", "0", "1", "3"};
    headers->emplace_back("uber-trace-id", ShortTraceId(context) + ':' + Hex(context.span) + ':' +
                                               Hex(context.parent) + ':' +
                                               flags[static_cast<int>(context.state)]);
  }
  std::set<std::string> keys;
  for (const auto& [key, value] : context.baggage) {
    if (!IsToken(key) || !keys.insert(Lower(key)).second) continue;
    const auto unreserved = [](char c) { return IsAlnum(c) || IsOneOf(c, "-._~"); };
    headers->emplace_back("uberctx-" + Lower(key), PercentEncoded(value, unreserved));
  }
}

}  // namespace

Result Read(const std::vector<std::string>& formats, const Pairs& headers, bool asked,
            Context* context) {
  const Carrier carrier{headers, asked};
  Context found;
  bool corrupted = false;
  bool something = false;
  Pairs baggage;
  for (const std::string& format : formats) {
    ReadBaggage(format, carrier, &baggage);
    if (HasIds(found)) continue;
    Context read;
    const Result result = ReadIds(format, carrier, &read);
    corrupted = corrupted || result == Result::kCorrupted;
    if (result != Result::kContext) continue;
    something = true;
    if (found.state != State::kDeferred) read.state = found.state;
    found = read;
  }
  if (!something && corrupted) return Result::kCorrupted;
  if (!something && baggage.empty()) return Result::kNothing;
  *context = found;
  context->baggage = baggage;
  return Result::kContext;
}

Pairs Write(const std::vector<std::string>& formats, const Context& context) {
  Pairs headers;
  for (const std::string& format : formats) {
    if (format == "b3") WriteB3(context, &headers);
    if (format == "b3multi") WriteB3Multi(context, &headers);
    if (format == "tracecontext") WriteTraceContext(context, &headers);
    if (format == "baggage") WriteBaggage(context, &headers);
    if (format == "jaeger") WriteJaeger(context, &headers);
  }
  return headers;
}

}  // namespace tracekin::oracle
