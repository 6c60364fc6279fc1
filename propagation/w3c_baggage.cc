// SPDX-License-Identifier: Apache-2.0
#include "propagation/w3c_baggage.h"

#include "base/ascii.h"
#include "propagation/percent.h"
#include "propagation/text_lookup.h"

namespace tracekin::propagation {

namespace {

// baggage-octet of the grammar: printable ASCII except '"', ',', ';' and '\'.
constexpr CharSet kOctets =
    CharSet{}.Add('!', '!').Add('#', '+').Add('-', ':').Add('<', '[').Add(']', '~');
// The octets that are written as they are. '%' begins an encoded byte. '+' is legal, but some
// readers decode it to a space, for example OpenTelemetry for Python.
constexpr CharSet kLiteralOctets =
    CharSet{}.Add('!', '!').Add('#', '$').Add('&', '*').Add('-', ':').Add('<', '[').Add(']', '~');

void ParseMember(std::string_view member, Baggage* baggage) {
  // Drops the properties, because OpenTracing's baggage cannot represent them.
  std::string_view rest = NextPart(';', &member);
  if (rest.find('=') == std::string_view::npos) return;
  const std::string_view key = TrimOws(NextPart('=', &rest));
  const std::string_view value = TrimOws(rest);
  if (key.empty() || !kTokenChars.HasAll(key) || !kOctets.HasAll(value)) return;
  AddBaggageItem(key, PercentDecode(value, Plus::kItself), baggage);
}

void AppendMember(std::string_view key, std::string_view value, std::string* header) {
  if (key.empty() || !kTokenChars.HasAll(key)) return;
  const std::size_t before = header->size();
  if (before != 0) header->push_back(',');
  header->append(key).push_back('=');
  AppendPercentEncoded(value, kLiteralOctets, header);
  if (header->size() > kMaxBaggageBytes) header->resize(before);
}

}  // namespace

opentracing::expected<void> W3cBaggage::Inject(const Context& context,
                                               const opentracing::TextMapWriter& carrier) const {
  if (!context.extras) return {};
  std::string header;
  for (const auto& item : context.extras->baggage) AppendMember(item.first, item.second, &header);
  if (header.empty()) return {};
  return carrier.Set(View(Name(Key::kBaggage)), header);
}

void W3cBaggage::ExtractBaggage(TextLookup* carrier, Baggage* baggage) const {
  if (const auto list = carrier->Find(Key::kBaggage)) ParseBaggageList(*list, baggage);
}

void ParseBaggageList(std::string_view list, Baggage* baggage) {
  while (!list.empty()) ParseMember(NextPart(',', &list), baggage);
}

}  // namespace tracekin::propagation
