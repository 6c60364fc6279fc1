// SPDX-License-Identifier: Apache-2.0
#include "propagation/ceph_message.h"

#include <endian.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <stdexcept>
#include <system_error>

#include "propagation/blkin.h"
#include "propagation/otel_block.h"

namespace tracekin::propagation {

namespace {

using opentracing::expected;
using opentracing::make_unexpected;

// Encoded lengths of Ceph's types. All integers are little-endian. Most structs begin with their
// version, the oldest version that can read them, and the length of the rest.
constexpr std::size_t kEpoch = 4;
constexpr std::size_t kHash = 4;
constexpr std::size_t kOpFlags = 4;
constexpr std::size_t kReplyFlags = 8;
constexpr std::size_t kClientIncarnation = 4;
constexpr std::size_t kTime = 8;
constexpr std::size_t kResult = 4;
constexpr std::size_t kRetryAttempt = 4;
constexpr std::size_t kVersion = 8;
constexpr std::size_t kEpochAndVersion = 12;
constexpr std::size_t kOp = 38;

// Walks over the fields of a front. After the first missing or invalid field, good() stays false
// and no more fields are read.
class FieldReader {
 public:
  explicit FieldReader(std::string_view front)
      : begin_(front.data()), at_(begin_), end_(begin_ + front.size()) {}

  bool good() const { return good_; }
  std::size_t offset() const { return static_cast<std::size_t>(at_ - begin_); }
  std::string_view rest() const { return {at_, left()}; }

  void Skip(std::uint64_t size) {
    if (size > left()) {
      Fail();
    } else {
      at_ += size;
    }
  }

  std::uint8_t U8() { return Integer<std::uint8_t>(); }
  std::uint32_t U32() { return le32toh(Integer<std::uint32_t>()); }

  /// Checks that exactly these bytes follow, with a single comparison.
  template <std::size_t kSize>
  void Literal(const char (&bytes)[kSize]) {
    constexpr std::size_t size = kSize - 1;  // size without the NUL
    if (size > left() || std::memcmp(at_, bytes, size) != 0) {
      Fail();
    } else {
      at_ += size;
    }
  }

  /// Reads the header of a struct, checks that a reader of `version` understands it, and skips it.
  void Struct(unsigned version) {
    const unsigned written = U8();
    const unsigned compatible = U8();
    Expect(written != 0 && compatible != 0 && compatible <= std::min(written, version));
    Skip(U32());
  }

  void Expect(bool as_it_should_be) {
    if (!as_it_should_be) Fail();
  }

 private:
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

  template <class Unsigned>
  Unsigned Integer() {
    Unsigned value = 0;
    if (sizeof value > left()) {
      Fail();
    } else {
      std::memcpy(&value, at_, sizeof value);
      at_ += sizeof value;
    }
    return value;
  }

  void Fail() {
    good_ = false;
    at_ = end_;
  }

  const char* const begin_;
  const char* at_;
  const char* const end_;
  bool good_ = true;
};

// Reads a pg_t: its version, the pool, the seed, and the former preferred OSD, which is always -1.
void Pg(FieldReader& front) {
  front.Literal("\1");
  front.Skip(8 + 4);
  front.Literal("\xff\xff\xff\xff");
}

// Reads an spg_t: a pg_t and a shard.
void ShardedPg(FieldReader& front) {
  front.Literal("\1\1\x12\0\0\0");  // 18 bytes follow
  Pg(front);
  front.Skip(1);
}

// Reads an osd_reqid_t: the client and its number for the request.
void RequestId(FieldReader& front) {
  front.Literal("\2\2\x15\0\0\0");  // 21 bytes follow
  front.Skip(21);
}

// Reads a request_redirect_t if the flag before it is set.
void Redirect(FieldReader& front) {
  const std::uint8_t there_is_one = front.U8();
  front.Expect(there_is_one <= 1);
  if (there_is_one == 1) front.Struct(1);
}

void Ids(FieldReader& front, CephTracePlace* place) {
  place->ids = front.offset();
  front.Skip(kTraceInfoBytes);
}

void FindInOp(FieldReader& front, bool with_otel, CephTracePlace* place) {
  ShardedPg(front);
  front.Skip(kHash + kEpoch + kOpFlags);
  RequestId(front);
  Ids(front, place);
  if (with_otel) {
    place->otel = front.offset();
    place->otel_size = FindOtelBlock(front.rest());
    front.Expect(place->otel_size != 0);
    front.Skip(place->otel_size);
  }
  front.Skip(kClientIncarnation + kTime);
  front.Struct(6);          // object_locator_t
  front.Skip(front.U32());  // the object's name
}

void FindInOpReply(FieldReader& front, CephTracePlace* place) {
  front.Skip(front.U32());  // the object's name
  Pg(front);
  front.Skip(kReplyFlags + kResult + kEpochAndVersion + kEpoch);
  const std::uint64_t ops = front.U32();
  front.Skip(ops * kOp + kRetryAttempt + ops * kResult);
  front.Skip(kEpochAndVersion + kVersion);
  Redirect(front);
  Ids(front, place);
  front.Expect(front.rest().empty());
}

void FindInRepOp(FieldReader& front, CephTracePlace* place) {
  front.Skip(kEpoch + kEpoch);
  Ids(front, place);
  RequestId(front);
  ShardedPg(front);
}

// `version` is the version of the struct that contains the operation itself.
void FindInEcSubOp(FieldReader& front, unsigned version, CephTracePlace* place) {
  ShardedPg(front);
  front.Skip(kEpoch);
  front.Struct(version);
  front.Skip(kEpoch);
  Ids(front, place);
  front.Expect(front.rest().empty());
}

// Returns false if the type or version of the message is unknown.
bool Find(CephMessageHeader header, FieldReader& front, CephTracePlace* place) {
  switch (header.type << 8 | std::min<unsigned>(header.version, 0xff)) {
    case kCephOsdOp << 8 | 8:
    case kCephOsdOp << 8 | 9:
      FindInOp(front, header.version == 9, place);
      return true;
    case kCephOsdOpReply << 8 | 8:
      FindInOpReply(front, place);
      return true;
    case kCephRepOp << 8 | 2:
    case kCephRepOp << 8 | 3:
    case kCephRepOpReply << 8 | 2:
      FindInRepOp(front, place);
      return true;
    case kCephEcSubOpWrite << 8 | 2:
      FindInEcSubOp(front, 4, place);
      return true;
    case kCephEcSubOpWriteReply << 8 | 2:
    case kCephEcSubOpReadReply << 8 | 2:
      FindInEcSubOp(front, 1, place);
      return true;
    case kCephEcSubOpRead << 8 | 3:
      FindInEcSubOp(front, 3, place);
      return true;
    default:
      return false;
  }
}

}  // namespace

// Flattened so that the reader's cursor stays in registers; see docs/performance.md.
[[gnu::flatten]] expected<CephTracePlace> FindCephTrace(CephMessageHeader header,
                                                        std::string_view front) noexcept {
  FieldReader reader(front);
  CephTracePlace place;
  if (!Find(header, reader, &place)) {
    return make_unexpected(std::make_error_code(std::errc::not_supported));
  }
  if (!reader.good()) return make_unexpected(opentracing::span_context_corrupted_error);
  return place;
}

expected<void> WriteCephTrace(const Context& context, CephMessageHeader header,
                              std::string* front) noexcept try {
  const auto place = FindCephTrace(header, *front);
  if (!place) return make_unexpected(place.error());
  if (place->otel_size != 0) {
    char block[kOtelBlockBytes];
    WriteOtelBlock(context, block);
    front->replace(place->otel, place->otel_size, block, OtelBlockBytes(context));
  }
  WriteTraceInfo(ToTraceInfo(context), ByteOrder::kLittle, front->data() + place->ids);
  return {};
} catch (const std::bad_alloc&) {
  return make_unexpected(std::make_error_code(std::errc::not_enough_memory));
} catch (const std::length_error&) {
  return make_unexpected(std::make_error_code(std::errc::not_enough_memory));
}

expected<bool> ReadCephTrace(CephMessageHeader header, std::string_view front,
                             Context* context) noexcept {
  const auto place = FindCephTrace(header, front);
  if (!place) return make_unexpected(place.error());
  Context blkin;
  Context otel;
  const auto has_blkin =
      FromTraceInfo(ReadTraceInfo(front.data() + place->ids, ByteOrder::kLittle), &blkin);
  if (!has_blkin) return make_unexpected(has_blkin.error());
  expected<bool> has_otel = false;
  if (place->otel_size != 0) {
    has_otel = ReadOtelBlock(front.substr(place->otel, place->otel_size), &otel);
    if (!has_otel) return make_unexpected(has_otel.error());
  }
  if (!*has_blkin && !*has_otel) return false;
  if (blkin.trace_id_low == otel.trace_id_low && blkin.span_id == otel.span_id) {
    otel.parent_span_id = blkin.parent_span_id;
  }
  *context = otel.sampled() || !*has_blkin ? otel : blkin;
  return true;
}

}  // namespace tracekin::propagation
