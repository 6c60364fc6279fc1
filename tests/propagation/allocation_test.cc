// SPDX-License-Identifier: Apache-2.0
// Checks that injecting and extracting the usual formats does not allocate.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <string>

#include "propagation/propagation.h"

namespace {
std::atomic<std::size_t> allocations{0};

void* Allocate(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
}  // namespace

void* operator new(std::size_t size) { return Allocate(size); }
void* operator new[](std::size_t size) { return Allocate(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace tracekin::propagation {
namespace {

// Counts the calls of Set, and returns literals for lookups.
struct LiteralCarrier : opentracing::HTTPHeadersReader, opentracing::HTTPHeadersWriter {
  using Entry = std::pair<const char*, const char*>;

  opentracing::expected<void> Set(opentracing::string_view /*key*/,
                                  opentracing::string_view /*value*/) const override {
    ++written;
    return {};
  }

  opentracing::expected<opentracing::string_view> LookupKey(
      opentracing::string_view key) const override {
    if (!supports_lookup) {
      return opentracing::make_unexpected(opentracing::lookup_key_not_supported_error);
    }
    for (const Entry& entry : entries) {
      if (key == opentracing::string_view{entry.first})
        return opentracing::string_view{entry.second};
    }
    return opentracing::make_unexpected(opentracing::key_not_found_error);
  }

  opentracing::expected<void> ForeachKey(
      std::function<opentracing::expected<void>(opentracing::string_view, opentracing::string_view)>
          visit) const override {
    for (const Entry& entry : entries) {
      auto done = visit(entry.first, entry.second);
      if (!done) return done;
    }
    return {};
  }

  Entry entries[8] = {{"host", "example.com"},
                      {"accept", "text/html"},
                      {"x-b3-traceid", "463ac35c9f6413ad48485a3953bb6124"},
                      {"x-b3-spanid", "a2fb4a1d1a96d312"},
                      {"x-b3-parentspanid", "0020000000000001"},
                      {"x-b3-sampled", "1"},
                      {"x-b3-flags", "0"},
                      {"traceparent", "00-463ac35c9f6413ad48485a3953bb6124-a2fb4a1d1a96d312-01"}};
  bool supports_lookup = true;
  mutable int written = 0;
};

std::unique_ptr<Propagation> Make(const std::vector<std::string>& formats) {
  std::string error;
  return Propagation::Make(formats, formats, &error);
}

TEST(Allocation, IsCounted) {
  const std::size_t before = allocations;
  auto memory = std::make_unique<std::string>(100, 'x');
  EXPECT_EQ(allocations - before, 2U);
}

class AllocationFree : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(AllocationFree, Inject) {
  const auto propagation = Make(GetParam());
  Context context;
  context.trace_id_high = context.trace_id_low = context.span_id = context.parent_span_id = 1;
  context.decision = Decision::kAccept;
  const LiteralCarrier carrier;
  const std::size_t before = allocations;
  const bool done = propagation->Inject(context, carrier).has_value();
  EXPECT_EQ(allocations - before, 0U);
  EXPECT_TRUE(done);
  EXPECT_GT(carrier.written, 0);
}

TEST_P(AllocationFree, ExtractByLookup) {
  const auto propagation = Make(GetParam());
  const LiteralCarrier carrier;
  Context context;
  const std::size_t before = allocations;
  const auto found = propagation->Extract(carrier, &context);
  EXPECT_EQ(allocations - before, 0U);
  ASSERT_TRUE(found);
}

TEST_P(AllocationFree, ExtractByIteration) {
  const auto propagation = Make(GetParam());
  LiteralCarrier carrier;
  carrier.supports_lookup = false;
  Context context;
  const std::size_t before = allocations;
  const auto found = propagation->Extract(carrier, &context);
  EXPECT_EQ(allocations - before, 0U);
  ASSERT_TRUE(found);
}

INSTANTIATE_TEST_SUITE_P(, AllocationFree,
                         testing::Values(std::vector<std::string>{"b3multi"},
                                         std::vector<std::string>{"b3"},
                                         std::vector<std::string>{"tracecontext"},
                                         std::vector<std::string>{"jaeger"},
                                         std::vector<std::string>{"b3multi", "baggage"},
                                         std::vector<std::string>{"b3", "b3multi", "tracecontext",
                                                                  "jaeger", "baggage"}));

}  // namespace
}  // namespace tracekin::propagation
