// SPDX-License-Identifier: Apache-2.0
// Tests that encoders do not allocate memory for spans like those that they encoded before. This
// program replaces operator new to count its calls.

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <new>
#include <string>

#ifdef TRACEKIN_HAVE_THRIFT
#include "exporter/encoding/scribe_encoder.h"
#include "exporter/encoding/zipkin_thrift_encoder.h"
#endif
#include "exporter/encoding/zipkin_json_encoder.h"
#include "exporter/encoding/zipkin_proto3_encoder.h"
#include "tests/exporter/encoding/varied_spans.h"

namespace {

long allocations = 0;

// Not inline, because GCC 12 would warn that memory from new is released with free().
[[gnu::noinline]] void Free(void* memory) { std::free(memory); }

}  // namespace

void* operator new(std::size_t size) {
  ++allocations;
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* memory) noexcept { Free(memory); }
void operator delete(void* memory, std::size_t) noexcept { Free(memory); }

namespace tracekin::exporter {
namespace {

void ExpectNoneTheSecondTime(std::unique_ptr<Encoder> encoder) {
  const VariedSpans varied(200, 1, 1510256710021866999);
  std::string body;
  for (int time = 0; time < 2; ++time) {
    body.clear();
    allocations = 0;
    const Resource resource;
    encoder->Begin(resource, &body);
    for (const SpanRecord& span : varied.spans()) encoder->Add(span, &body);
    encoder->End(varied.spans().size(), &body);
    if (time == 0) {
      EXPECT_NE(allocations, 0);
    } else {
      EXPECT_EQ(allocations, 0);
    }
  }
}

TEST(EncoderAllocationTest, Json) {
  ExpectNoneTheSecondTime(std::make_unique<ZipkinJsonEncoder>(ZipkinJsonEncoder::Framing::kArray));
}

TEST(EncoderAllocationTest, Proto3) {
  ExpectNoneTheSecondTime(std::make_unique<ZipkinProto3Encoder>());
}

#ifdef TRACEKIN_HAVE_THRIFT
TEST(EncoderAllocationTest, Thrift) {
  ExpectNoneTheSecondTime(std::make_unique<ZipkinThriftEncoder>());
}

TEST(EncoderAllocationTest, Scribe) {
  ExpectNoneTheSecondTime(std::make_unique<ScribeEncoder>("zipkin"));
}
#endif

}  // namespace
}  // namespace tracekin::exporter
