// SPDX-License-Identifier: Apache-2.0
#include "propagation/otel_block.h"

#include <endian.h>

#include <cstdint>
#include <cstring>

namespace tracekin::propagation {

namespace {

// A Ceph struct begins with its version, the oldest version that can read it, and the length of the
// rest as four little-endian bytes. In this struct a flag follows.
constexpr std::string_view kFull{"\1\1\x1a\0\0\0\1", kEmptyOtelBlockBytes};
constexpr std::string_view kEmpty{"\1\1\1\0\0\0\0", kEmptyOtelBlockBytes};

// Offsets of the fields that follow, in the order that W3C uses.
constexpr std::size_t kTraceIdHigh = 7;
constexpr std::size_t kTraceIdLow = 15;
constexpr std::size_t kSpanId = 23;
constexpr std::size_t kFlags = 31;
constexpr unsigned kSampled = 0x01;
constexpr unsigned kRandomTraceId = 0x02;

void WriteId(std::uint64_t id, char* bytes) {
  id = htobe64(id);
  std::memcpy(bytes, &id, sizeof id);
}

std::uint64_t ReadId(const char* bytes) {
  std::uint64_t id;
  std::memcpy(&id, bytes, sizeof id);
  return be64toh(id);
}

}  // namespace

std::size_t OtelBlockBytes(const Context& context) noexcept {
  return context.sampled() && context.has_ids() ? kOtelBlockBytes : kEmptyOtelBlockBytes;
}

void WriteOtelBlock(const Context& context, char* bytes) noexcept {
  const bool full = OtelBlockBytes(context) == kOtelBlockBytes;
  std::memcpy(bytes, full ? kFull.data() : kEmpty.data(), kEmptyOtelBlockBytes);
  if (!full) return;
  WriteId(context.trace_id_high, bytes + kTraceIdHigh);
  WriteId(context.trace_id_low, bytes + kTraceIdLow);
  WriteId(context.span_id, bytes + kSpanId);
  bytes[kFlags] = static_cast<char>(kSampled | (context.random_trace_id ? kRandomTraceId : 0));
}

std::size_t FindOtelBlock(std::string_view bytes) noexcept {
  const std::string_view head = bytes.substr(0, kEmptyOtelBlockBytes);
  if (head == kEmpty) return kEmptyOtelBlockBytes;
  return head == kFull && bytes.size() >= kOtelBlockBytes ? kOtelBlockBytes : 0;
}

opentracing::expected<bool> ReadOtelBlock(std::string_view block, Context* context) noexcept {
  const std::size_t size = FindOtelBlock(block);
  if (size == kEmptyOtelBlockBytes && block.size() == size) return false;
  Context read;
  if (size == kOtelBlockBytes && block.size() == size) {
    read.trace_id_high = ReadId(block.data() + kTraceIdHigh);
    read.trace_id_low = ReadId(block.data() + kTraceIdLow);
    read.span_id = ReadId(block.data() + kSpanId);
  }
  if (!read.has_ids()) {
    return opentracing::make_unexpected(opentracing::span_context_corrupted_error);
  }
  const unsigned flags = static_cast<unsigned char>(block[kFlags]);
  read.decision = (flags & kSampled) != 0 ? Decision::kAccept : Decision::kDeny;
  read.random_trace_id = (flags & kRandomTraceId) != 0;
  *context = read;
  return true;
}

}  // namespace tracekin::propagation
