// SPDX-License-Identifier: Apache-2.0
#include "tracekin/xseg.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>

#include "tests/propagation/heap_bytes.h"
#include "tests/propagation/xseg_peer.h"

namespace tracekin::propagation {
namespace {

constexpr tracekin_trace_info kInfo = {0x0123456789abcdef, 0x1112131415161718, 0x2122232425262728};

std::string RequestWith(const tracekin_trace_info& info) {
  std::string request(TRACEKIN_XSEG_OFFSET, '?');
  return request.append(reinterpret_cast<const char*>(&info), sizeof info);
}

const std::string kTraced = RequestWith(kInfo);
const std::string kUntraced = RequestWith({});

bool IsZero(const tracekin_trace_info& info) {
  return info.trace_id == 0 && info.span_id == 0 && info.parent_span_id == 0;
}

TEST(Xseg, IdsLieInTheirPlaceAndNothingElseIsTouched) {
  const HeapBytes request(std::string(TRACEKIN_XSEG_SIZE, '?'));
  EXPECT_EQ(tracekin_xseg_inject(&kInfo, request.data(), request.size()), 0);
  EXPECT_EQ(request.view(), kTraced);
  EXPECT_EQ(tracekin_xseg_clear(request.data(), request.size()), 0);
  EXPECT_EQ(request.view(), kUntraced);
}

TEST(Xseg, WhatWasInjectedIsExtracted) {
  tracekin_trace_info found = {};
  EXPECT_EQ(tracekin_xseg_extract(HeapBytes(kTraced).data(), TRACEKIN_XSEG_SIZE, &found), 0);
  EXPECT_EQ(std::memcmp(&found, &kInfo, sizeof found), 0);
  EXPECT_EQ(tracekin_xseg_extract(HeapBytes(kUntraced).data(), TRACEKIN_XSEG_SIZE, &found), 0);
  EXPECT_TRUE(IsZero(found));
}

TEST(Xseg, RequestMayBeLarger) {
  const HeapBytes request(kTraced + "more");
  tracekin_trace_info found = {};
  EXPECT_EQ(tracekin_xseg_extract(request.data(), request.size(), &found), 0);
  EXPECT_EQ(found.trace_id, kInfo.trace_id);
  EXPECT_EQ(tracekin_xseg_clear(request.data(), request.size()), 0);
  EXPECT_EQ(request.view(), kUntraced + "more");
}

TEST(Xseg, TraceIdZeroIsNotTracedWhateverTheOthersAre) {
  const tracekin_trace_info unsampled = {0, 1, 2};
  const HeapBytes request(kTraced);
  EXPECT_EQ(tracekin_xseg_inject(&unsampled, request.data(), request.size()), 0);
  EXPECT_EQ(request.view(), kUntraced);
  tracekin_trace_info found = kInfo;
  EXPECT_EQ(
      tracekin_xseg_extract(HeapBytes(RequestWith(unsampled)).data(), TRACEKIN_XSEG_SIZE, &found),
      0);
  EXPECT_TRUE(IsZero(found));
}

TEST(Xseg, TraceIdWithoutSpanIdIsAnError) {
  tracekin_trace_info found = kInfo;
  EXPECT_EQ(
      tracekin_xseg_extract(HeapBytes(RequestWith({1, 0, 2})).data(), TRACEKIN_XSEG_SIZE, &found),
      -EBADMSG);
  EXPECT_TRUE(IsZero(found));
}

TEST(Xseg, RequestWithoutAPlaceIsLeftAlone) {
  EachTruncation(kTraced, [](const HeapBytes& request) {
    const std::string before(request.view());
    tracekin_trace_info found = kInfo;
    EXPECT_EQ(tracekin_xseg_inject(&kInfo, request.data(), request.size()), -ENOBUFS);
    EXPECT_EQ(tracekin_xseg_clear(request.data(), request.size()), -ENOBUFS);
    EXPECT_EQ(tracekin_xseg_extract(request.data(), request.size(), &found), -ENOBUFS);
    EXPECT_TRUE(IsZero(found));
    EXPECT_EQ(request.view(), before);
  });
}

TEST(Xseg, NullPointersAreAnError) {
  const HeapBytes request(kTraced);
  tracekin_trace_info found = kInfo;
  EXPECT_EQ(tracekin_xseg_inject(nullptr, request.data(), request.size()), -EINVAL);
  EXPECT_EQ(tracekin_xseg_inject(&kInfo, nullptr, TRACEKIN_XSEG_SIZE), -EINVAL);
  EXPECT_EQ(tracekin_xseg_clear(nullptr, TRACEKIN_XSEG_SIZE), -EINVAL);
  EXPECT_EQ(tracekin_xseg_extract(request.data(), request.size(), nullptr), -EINVAL);
  EXPECT_EQ(tracekin_xseg_extract(nullptr, TRACEKIN_XSEG_SIZE, &found), -EINVAL);
  EXPECT_TRUE(IsZero(found));
  EXPECT_EQ(request.view(), kTraced);
}

TEST(Xseg, AFlippedBitChangesItsIdAlone) {
  EachBitFlip(kTraced, [](const HeapBytes& request, std::size_t at) {
    tracekin_trace_info found;
    ASSERT_EQ(tracekin_xseg_extract(request.data(), request.size(), &found), 0);
    EXPECT_EQ(found.trace_id != kInfo.trace_id, at >= 448 && at < 456);
    EXPECT_EQ(found.span_id != kInfo.span_id, at >= 456 && at < 464);
    EXPECT_EQ(found.parent_span_id != kInfo.parent_span_id, at >= 464);
  });
}

// Two peers on one segment, each with a queue of request numbers to the other, like in XSEG. One
// submits requests. The other accepts them and returns them for their next use.
constexpr std::uint64_t kRequests = 100000;
constexpr std::uint32_t kSlots = 16;

class Queue {
 public:
  bool Push(std::uint32_t slot) {
    const std::uint32_t tail = tail_.load(std::memory_order_relaxed);
    if (tail - head_.load(std::memory_order_acquire) == kSlots) return false;
    slots_[tail % kSlots] = slot;
    tail_.store(tail + 1, std::memory_order_release);
    return true;
  }
  bool Pop(std::uint32_t* slot) {
    const std::uint32_t head = head_.load(std::memory_order_relaxed);
    if (head == tail_.load(std::memory_order_acquire)) return false;
    *slot = slots_[head % kSlots];
    head_.store(head + 1, std::memory_order_release);
    return true;
  }

 private:
  std::atomic<std::uint32_t> head_{0};
  std::atomic<std::uint32_t> tail_{0};
  std::uint32_t slots_[kSlots];
};

struct Segment {
  xseg_peer_request requests[kSlots];
  Queue submitted;
  Queue free;
};

std::uint32_t Wait(Queue& queue) {
  std::uint32_t slot;
  while (!queue.Pop(&slot)) sched_yield();
  return slot;
}

// Returns the number of requests that did not have their own ids, at most 255.
int Accept(Segment* segment) {
  std::uint64_t wrong = 0;
  for (std::uint64_t n = 0; n < kRequests; ++n) {
    const std::uint32_t slot = Wait(segment->submitted);
    if (!xseg_peer_accept(&segment->requests[slot])) ++wrong;
    segment->free.Push(slot);
  }
  return wrong < 255 ? static_cast<int>(wrong) : 255;
}

Segment* Map(int descriptor) {
  void* const memory =
      mmap(nullptr, sizeof(Segment), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<Segment*>(memory);
}

TEST(Xseg, RecycledRequestsOfTwoProcessesNeverHaveStaleOrTornIds) {
  const std::string name = "/tracekin-xseg-test-" + std::to_string(getpid());
  const int descriptor = shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
  ASSERT_GE(descriptor, 0) << std::strerror(errno);
  shm_unlink(name.c_str());
  ASSERT_EQ(ftruncate(descriptor, sizeof(Segment)), 0);
  Segment* const segment = Map(descriptor);
  ASSERT_NE(segment, nullptr);
  new (segment) Segment;
  std::memset(segment->requests, 0xff, sizeof segment->requests);  // left over from an earlier use
  for (std::uint32_t slot = 0; slot < kSlots; ++slot) ASSERT_TRUE(segment->free.Push(slot));

  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    Segment* const own = Map(descriptor);  // at another address, as in another peer
    _exit(own != nullptr && own != segment ? Accept(own) : 255);
  }
  for (std::uint64_t serial = 1; serial <= kRequests; ++serial) {
    const std::uint32_t slot = Wait(segment->free);
    xseg_peer_submit(&segment->requests[slot], serial);
    ASSERT_TRUE(segment->submitted.Push(slot));
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0) << "requests with stale or torn ids";
  munmap(segment, sizeof(Segment));
  close(descriptor);
}

}  // namespace
}  // namespace tracekin::propagation
