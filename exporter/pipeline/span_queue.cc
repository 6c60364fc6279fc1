// SPDX-License-Identifier: Apache-2.0
#include "exporter/pipeline/span_queue.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace tracekin::exporter {

template <template <class> class Atomic>
struct BasicSpanQueue<Atomic>::Chunk {
  std::uint32_t number;        // the chunk's number, from 1; never changes
  Atomic<std::uint32_t> next;  // the number of the chunk below it in a stack, or 0
  std::uint32_t used;          // bytes used in `bytes`
  std::uint32_t spans;

  static constexpr std::size_t kCapacity = kChunkBytes - 16;
  char bytes[kCapacity];
};

namespace {

constexpr std::uint32_t kMostSlots = 64;
constexpr std::uint32_t kPrefaulted = 4;

}  // namespace

static_assert(kMaxSpanBytes <= SpanQueue::kChunkBytes / 2, "a chunk must hold any span");

template <template <class> class Atomic>
BasicSpanQueue<Atomic>::BasicSpanQueue(std::uint64_t max_spans, std::uint64_t max_bytes)
    : chunks_(static_cast<std::uint32_t>(std::min(
          std::min<std::uint64_t>(max_bytes / kChunkBytes, max_spans), std::uint64_t{1} << 24))),
      spans_per_chunk_(
          static_cast<std::uint32_t>(std::min<std::uint64_t>(max_spans / chunks_, kChunkBytes))),
      slots_(std::clamp<std::uint32_t>(chunks_ / 4, 1, kMostSlots)),
      slot_(new Slot[slots_]) {
  static_assert(sizeof(Chunk) == kChunkBytes);
  // Pages that were never touched use no memory.
  void* memory = mmap(nullptr, chunks_ * kChunkBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  memory_ = static_cast<char*>(memory);
}

template <template <class> class Atomic>
BasicSpanQueue<Atomic>::~BasicSpanQueue() {
  munmap(memory_, chunks_ * kChunkBytes);
}

template <template <class> class Atomic>
typename BasicSpanQueue<Atomic>::Chunk* BasicSpanQueue<Atomic>::at(std::uint32_t number) const {
  return reinterpret_cast<Chunk*>(memory_ + (number - 1) * kChunkBytes);
}

template <template <class> class Atomic>
void BasicSpanQueue<Atomic>::PushTo(Stack* stack, Chunk* chunk) noexcept {
  std::uint64_t top = stack->top.load(std::memory_order_relaxed);
  std::uint64_t changed;
  do {
    chunk->next.store(static_cast<std::uint32_t>(top), std::memory_order_relaxed);
    changed = (((top >> 32) + 1) << 32) | chunk->number;
  } while (!stack->top.compare_exchange_weak(top, changed, std::memory_order_release,
                                             std::memory_order_relaxed));
}

template <template <class> class Atomic>
typename BasicSpanQueue<Atomic>::Chunk* BasicSpanQueue<Atomic>::PopFrom(Stack* stack) noexcept {
  std::uint64_t top = stack->top.load(std::memory_order_acquire);
  while (static_cast<std::uint32_t>(top) != 0) {
    Chunk* chunk = at(static_cast<std::uint32_t>(top));
    // Another thread may pop the chunk now. Its `next` is then invalid, but the changed count makes
    // the exchange fail.
    const std::uint64_t changed =
        (((top >> 32) + 1) << 32) | chunk->next.load(std::memory_order_relaxed);
    if (stack->top.compare_exchange_weak(top, changed, std::memory_order_acquire,
                                         std::memory_order_acquire)) {
      return chunk;
    }
  }
  return nullptr;
}

// Empties the stack. Returns the number of the topmost chunk, which links to the others, or 0 if
// the stack was empty. Popping one chunk at a time might never end while producers are faster than
// the exporter.
template <template <class> class Atomic>
std::uint32_t BasicSpanQueue<Atomic>::TakeAll(Stack* stack) noexcept {
  std::uint64_t top = stack->top.load(std::memory_order_relaxed);
  while (static_cast<std::uint32_t>(top) != 0 &&
         !stack->top.compare_exchange_weak(top, ((top >> 32) + 1) << 32, std::memory_order_acquire,
                                           std::memory_order_relaxed)) {
  }
  return static_cast<std::uint32_t>(top);
}

template <template <class> class Atomic>
typename BasicSpanQueue<Atomic>::Chunk* BasicSpanQueue<Atomic>::Allocate() noexcept {
  Chunk* chunk = PopFrom(&free_);
  if (chunk == nullptr) {
    std::uint32_t fresh = fresh_.load(std::memory_order_relaxed);
    do {
      if (fresh == chunks_) return nullptr;
    } while (!fresh_.compare_exchange_weak(fresh, fresh + 1, std::memory_order_relaxed));
    chunk = at(fresh + 1);
    chunk->number = fresh + 1;
  }
  chunk->used = 0;
  chunk->spans = 0;
  return chunk;
}

template <template <class> class Atomic>
bool BasicSpanQueue<Atomic>::Fits(const Chunk& chunk, std::uint32_t size) const noexcept {
  return chunk.spans < spans_per_chunk_ && size <= Chunk::kCapacity - chunk.used;
}

template <template <class> class Atomic>
bool BasicSpanQueue<Atomic>::Push(const char* span, std::uint32_t size,
                                  std::uint32_t thread) noexcept {
  Slot& slot = slot_[thread % slots_];
  Chunk* chunk = slot.chunk.exchange(nullptr, std::memory_order_acquire);
  if (chunk != nullptr && !Fits(*chunk, size)) {
    PushTo(&full_, chunk);
    chunk = nullptr;
  }
  if (chunk == nullptr) {
    chunk = Allocate();
    if (chunk == nullptr) {
      slot.refused.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
  }
  std::memcpy(chunk->bytes + chunk->used, span, size);
  chunk->used += AlignedSpanSize(size);
  ++chunk->spans;
  if (thread < slots_) {
    slot.accepted.store(slot.accepted.load(std::memory_order_relaxed) + 1,
                        std::memory_order_relaxed);
  } else {
    slot.accepted_shared.fetch_add(1, std::memory_order_relaxed);
  }
  // Another thread of this slot may have put a chunk there in the meantime.
  Chunk* other = slot.chunk.exchange(chunk, std::memory_order_acq_rel);
  if (other != nullptr) PushTo(&full_, other);
  return true;
}

template <template <class> class Atomic>
void BasicSpanQueue<Atomic>::Prefault() noexcept {
  const std::uint32_t fresh = fresh_.load(std::memory_order_relaxed);
  const std::uint32_t wanted = fresh == 0 ? 0 : std::min(fresh + kPrefaulted, chunks_);
  const std::uint32_t from = std::max(faulted_, fresh);
  if (from >= wanted) return;
  // Needs Linux 5.14. Older kernels only lose the speed-up.
  madvise(memory_ + from * kChunkBytes, (wanted - from) * kChunkBytes, MADV_POPULATE_WRITE);
  faulted_ = wanted;
}

// The stack yields the newest full chunk first, so each one is put before those that were taken
// earlier.
template <template <class> class Atomic>
std::size_t BasicSpanQueue<Atomic>::Collect(What what) noexcept {
  std::size_t spans = 0;
  Chunk* first = nullptr;
  Chunk* last = nullptr;
  for (std::uint32_t number = TakeAll(&full_); number != 0;) {
    Chunk* chunk = at(number);
    number = chunk->next.load(std::memory_order_relaxed);
    chunk->next.store(first == nullptr ? 0 : first->number, std::memory_order_relaxed);
    first = chunk;
    spans += chunk->spans;
    if (last == nullptr) last = chunk;
  }
  if (first != nullptr) Append(first, last);
  if (what == What::kFullChunks) return spans;
  for (std::uint32_t i = 0; i < slots_; ++i) {
    // Idle slots are only read, so that their threads do not lose the cache line to an exchange.
    if (slot_[i].chunk.load(std::memory_order_relaxed) == nullptr) continue;
    Chunk* chunk = slot_[i].chunk.exchange(nullptr, std::memory_order_acquire);
    if (chunk == nullptr) continue;
    chunk->next.store(0, std::memory_order_relaxed);
    Append(chunk, chunk);
    spans += chunk->spans;
  }
  return spans;
}

template <template <class> class Atomic>
void BasicSpanQueue<Atomic>::Append(Chunk* first, Chunk* last) noexcept {
  if (newest_ == nullptr) {
    oldest_ = first;
  } else {
    newest_->next.store(first->number, std::memory_order_relaxed);
  }
  newest_ = last;
}

template <template <class> class Atomic>
std::size_t BasicSpanQueue<Atomic>::ReadChunk(const std::function<void(const char* span)>& visit) {
  Chunk* chunk = oldest_;
  if (chunk == nullptr) return 0;
  const std::uint32_t next = chunk->next.load(std::memory_order_relaxed);
  oldest_ = next == 0 ? nullptr : at(next);
  if (oldest_ == nullptr) newest_ = nullptr;
  const std::uint32_t spans = chunk->spans;
  const char* at = chunk->bytes;
  for (std::uint32_t i = 0; i < spans; ++i) {
    const std::uint32_t size = SpanSize(at);
    visit(at);
    at += AlignedSpanSize(size);
  }
  PushTo(&free_, chunk);
  return spans;
}

template <template <class> class Atomic>
std::uint64_t BasicSpanQueue<Atomic>::Sum(Atomic<std::uint64_t> Slot::*count) const noexcept {
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < slots_; ++i) {
    sum += (slot_[i].*count).load(std::memory_order_relaxed);
  }
  return sum;
}

template <template <class> class Atomic>
void BasicSpanQueue<Atomic>::Reset() noexcept {
  for (std::uint32_t i = 0; i < slots_; ++i) {
    slot_[i].chunk = nullptr;
    slot_[i].accepted = 0;
    slot_[i].accepted_shared = 0;
    slot_[i].refused = 0;
  }
  oldest_ = nullptr;
  newest_ = nullptr;
  faulted_ = 0;
  free_.top = 0;
  full_.top = 0;
  fresh_ = 0;
}

template class BasicSpanQueue<std::atomic>;

}  // namespace tracekin::exporter
