#include "exporter/scribe_encoder.h"

#include <arpa/inet.h>

#include <cstdint>
#include <cstring>

namespace tracekin {

namespace {

using namespace std::string_view_literals;

// The field `messages`: a list of structs, and how many there are.
constexpr std::string_view kArgumentsBegin = "\x0F\0\1\x0C\0\0\0\0"sv;

// A text's length, then the text.
std::string Size(std::size_t size) {
  const std::uint32_t number = htonl(static_cast<std::uint32_t>(size));
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

// Two digits for each twelve bits: a quarter of the time that single ones take.
struct Base64Digits {
  constexpr Base64Digits() {
    constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (int bits = 0; bits < 4096; ++bits) {
      pairs[bits][0] = kDigits[bits >> 6];
      pairs[bits][1] = kDigits[bits & 63];
    }
  }
  char pairs[4096][2] = {};
};
constexpr Base64Digits kBase64;

constexpr std::size_t Base64Size(std::size_t bytes) { return (bytes + 2) / 3 * 4; }

void AppendBase64(std::string_view bytes, std::string* out) {
  const std::size_t before = out->size();
  out->resize(before + Base64Size(bytes.size()));
  char* to = &(*out)[before];
  const auto* from = reinterpret_cast<const unsigned char*>(bytes.data());
  const auto put = [&to](std::uint32_t bits) {
    std::memcpy(to, kBase64.pairs[bits >> 12], 2);
    std::memcpy(to + 2, kBase64.pairs[bits & 4095], 2);
    to += 4;
  };
  std::size_t left = bytes.size();
  for (; left >= 3; from += 3, left -= 3) put(from[0] << 16 | from[1] << 8 | from[2]);
  if (left == 0) return;
  put(from[0] << 16 | (left == 2 ? from[1] << 8 : 0));
  to[-1] = '=';
  if (left == 1) to[-2] = '=';
}

}  // namespace

ScribeEncoder::ScribeEncoder(std::string_view category)
    : entry_begin_(std::string("\x0B\0\1", 3) + Size(category.size()) + std::string(category) +
                   std::string("\x0B\0\2", 3)) {}

void ScribeEncoder::Begin(std::string* body) { body->append(kArgumentsBegin); }

void ScribeEncoder::Add(const SpanRecord& span, std::string* body) {
  const std::string_view bytes = span_.Write(span);
  body->append(entry_begin_).append(Size(Base64Size(bytes.size())));
  AppendBase64(bytes, body);
  body->push_back('\0');  // the entry's end
}

void ScribeEncoder::End(std::size_t spans, std::string* body) {
  body->replace(kArgumentsBegin.size() - 4, 4, Size(spans));
  body->push_back('\0');  // the arguments' end
}

}  // namespace tracekin
