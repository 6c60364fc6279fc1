// SPDX-License-Identifier: Apache-2.0
#include "propagation/binary.h"

#include <endian.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "propagation/tracestate.h"

namespace tracekin::propagation {

namespace {

using opentracing::expected;
using opentracing::make_unexpected;
using opentracing::span_context_corrupted_error;

constexpr std::string_view kMagic = {"tkc\x01", 4};  // the last byte is the version
constexpr std::size_t kHeadBytes = kMagic.size() + sizeof(std::uint16_t);
constexpr std::size_t kMaxBodyBytes = 16 * 1024 - kHeadBytes;

constexpr unsigned kDecisionMask = 0x03;
constexpr unsigned kRandomTraceId = 0x04;

std::error_code IoError() { return std::make_error_code(std::errc::io_error); }

void PutU16(std::size_t value, std::string* out) {
  out->push_back(static_cast<char>(value >> 8));
  out->push_back(static_cast<char>(value));
}

void PutU64(std::uint64_t value, std::string* out) {
  const std::uint64_t bytes = htobe64(value);
  out->append(reinterpret_cast<const char*>(&bytes), sizeof bytes);
}

void PutText(std::string_view text, std::string* out) {
  PutU16(text.size(), out);
  out->append(text);
}

bool WithinLimits(const ContextExtras& extras) {
  Baggage checked;
  for (const auto& item : extras.baggage) {
    if (!AddBaggageItem(item.first, item.second, &checked)) return false;
  }
  return extras.tracestate.size() <= kMaxTracestateBytes;
}

std::string Encode(const Context& context, const ContextExtras& extras) {
  std::string body;
  body.push_back(static_cast<char>(static_cast<unsigned>(context.decision) |
                                   (context.random_trace_id ? kRandomTraceId : 0)));
  PutU64(context.trace_id_high, &body);
  PutU64(context.trace_id_low, &body);
  PutU64(context.span_id, &body);
  PutU64(context.parent_span_id, &body);
  PutText(extras.tracestate, &body);
  PutU16(extras.baggage.size(), &body);
  for (const auto& item : extras.baggage) {
    PutText(item.first, &body);
    PutText(item.second, &body);
  }
  std::string message(kMagic);
  PutText(body, &message);
  return message;
}

// Reads fields from the front of a body. After the first incomplete field, all fields are zero or
// empty.
class BodyReader {
 public:
  explicit BodyReader(std::string_view body) : rest_(body) {}

  unsigned U8() { return static_cast<unsigned char>(Take(1)[0]); }

  std::size_t U16() {
    const std::string_view bytes = Take(2);
    return static_cast<std::size_t>(static_cast<unsigned char>(bytes[0])) << 8 |
           static_cast<unsigned char>(bytes[1]);
  }

  std::uint64_t U64() {
    std::uint64_t bytes;
    std::memcpy(&bytes, Take(sizeof bytes).data(), sizeof bytes);
    return be64toh(bytes);
  }

  std::string_view Text() {
    const std::size_t size = U16();
    if (size > rest_.size()) {
      Fail();
      return {};
    }
    const std::string_view text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return text;
  }

  bool whole() const { return whole_; }

 private:
  std::string_view Take(std::size_t size) {
    if (size > rest_.size()) {
      Fail();
      return {"\0\0\0\0\0\0\0", size};
    }
    const std::string_view bytes = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return bytes;
  }

  void Fail() {
    whole_ = false;
    rest_ = {};
  }

  std::string_view rest_;
  bool whole_ = true;
};

// Skips bytes after the last field, because later writers may append fields.
bool Decode(std::string_view body, Context* context) {
  BodyReader reader(body);
  const unsigned flags = reader.U8();
  context->decision = static_cast<Decision>(flags & kDecisionMask);
  context->random_trace_id = (flags & kRandomTraceId) != 0;
  context->trace_id_high = reader.U64();
  context->trace_id_low = reader.U64();
  context->span_id = reader.U64();
  context->parent_span_id = reader.U64();
  const bool no_ids = (context->trace_id_high | context->trace_id_low | context->span_id) == 0;
  if (!reader.whole() || (!context->has_ids() && !no_ids)) return false;

  ContextExtras extras;
  if (!ParseTracestate(reader.Text(), &extras.tracestate)) return false;
  for (std::size_t items = reader.U16(); items != 0; --items) {
    const std::string_view key = reader.Text();
    const std::string_view value = reader.Text();
    if (!reader.whole() || !AddBaggageItem(key, value, &extras.baggage)) return false;
  }
  if (!extras.baggage.empty() || !extras.tracestate.empty()) {
    context->extras = std::make_shared<ContextExtras>(std::move(extras));
  }
  return reader.whole();
}

// Reads `size` bytes. Allocates only for bytes that have arrived, because `size` is not trusted.
bool ReadBytes(std::istream& carrier, std::size_t size, std::string* bytes) {
  char chunk[512];
  while (bytes->size() < size) {
    const std::size_t wanted = std::min(size - bytes->size(), sizeof chunk);
    carrier.read(chunk, static_cast<std::streamsize>(wanted));
    bytes->append(chunk, static_cast<std::size_t>(carrier.gcount()));
    if (static_cast<std::size_t>(carrier.gcount()) != wanted) return false;
  }
  return true;
}

expected<bool> Read(std::istream& carrier, Context* context) {
  if (carrier.rdstate() == std::ios_base::eofbit) return false;
  if (!carrier.good()) return make_unexpected(IoError());
  if (carrier.peek() == std::istream::traits_type::eof()) {
    if (carrier.bad()) return make_unexpected(IoError());
    return false;
  }
  std::string head;
  std::string body;
  bool whole = ReadBytes(carrier, kHeadBytes, &head) &&
               std::string_view(head).substr(0, kMagic.size()) == kMagic;
  if (whole) {
    const std::size_t size = BodyReader(std::string_view(head).substr(kMagic.size())).U16();
    whole = size <= kMaxBodyBytes && ReadBytes(carrier, size, &body);
  }
  if (carrier.bad()) return make_unexpected(IoError());
  Context read;
  if (!whole || !Decode(body, &read)) return make_unexpected(span_context_corrupted_error);
  *context = std::move(read);
  return true;
}

// Runs `call` with the stream's exceptions disabled and restores them afterwards.
template <typename Stream, typename Call>
auto WithoutExceptions(Stream& carrier, Call call) -> decltype(call()) {
  const std::ios_base::iostate mask = carrier.exceptions();
  decltype(call()) result = make_unexpected(IoError());
  try {
    carrier.exceptions(std::ios_base::goodbit);
    result = call();
  } catch (const std::bad_alloc&) {
    result = make_unexpected(std::make_error_code(std::errc::not_enough_memory));
  } catch (const std::exception&) {
    result = make_unexpected(IoError());
  }
  try {
    carrier.exceptions(mask);  // throws immediately if the stream has failed
  } catch (const std::exception&) {
    return result;
  }
  return result;
}

}  // namespace

expected<void> InjectBinary(const Context& context, std::ostream& carrier) {
  return WithoutExceptions(carrier, [&]() -> expected<void> {
    const ContextExtras none;
    const ContextExtras& extras = context.extras ? *context.extras : none;
    if (!WithinLimits(extras)) return make_unexpected(opentracing::invalid_span_context_error);
    const std::string message = Encode(context, extras);
    carrier.write(message.data(), static_cast<std::streamsize>(message.size()));
    if (!carrier.good()) return make_unexpected(IoError());
    return {};
  });
}

expected<bool> ExtractBinary(std::istream& carrier, Context* context) {
  return WithoutExceptions(carrier, [&] { return Read(carrier, context); });
}

}  // namespace tracekin::propagation
