// SPDX-License-Identifier: Apache-2.0
// A bounded queue of finished spans between the application's threads and the exporter thread.
//
// Its memory is one mapping of chunks, which is touched only as it is used. A producer takes the
// chunk from its slot (one atomic exchange), appends its span, and puts the chunk back. A full
// chunk goes to the exporter, and a free one replaces it. The thread that holds a chunk is its only
// user, so no byte is shared while it changes. Threads that share a slot only use one chunk more.
//
// The exporter takes full chunks at any time, and sweeps the slots when spans are due. No operation
// blocks. A push that finds no free chunk fails.
//
// Bounds: `max_spans` spans and `max_bytes` bytes, each divided evenly among the chunks.
//
// `Atomic` is std::atomic, except in tests/exporter/pipeline/interleavings_test.cc, which runs the
// threads in every possible order.
//
// Thread-safety: Push may be called from any thread. Collect, ReadChunk and Prefault belong to one
// thread at a time. Reset may only be called in the child of a fork, before any other call.
#ifndef TRACEKIN_EXPORTER_PIPELINE_SPAN_QUEUE_H
#define TRACEKIN_EXPORTER_PIPELINE_SPAN_QUEUE_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "exporter/pipeline/span_bytes.h"

namespace tracekin::exporter {

template <template <class> class Atomic>
class BasicSpanQueue {
 public:
  /// Throws std::bad_alloc. REQUIRES: max_bytes >= 4 * kChunkBytes.
  BasicSpanQueue(std::uint64_t max_spans, std::uint64_t max_bytes);
  ~BasicSpanQueue();

  BasicSpanQueue(const BasicSpanQueue&) = delete;
  BasicSpanQueue& operator=(const BasicSpanQueue&) = delete;

  /// Copies a span of `size` <= kMaxSpanBytes bytes, which begin with a SpanHeader. `thread` is a
  /// number that no other thread uses; threads with low numbers have a slot to themselves. Returns
  /// false if there is no room.
  bool Push(const char* span, std::uint32_t size, std::uint32_t thread) noexcept;

  enum class What { kFullChunks, kEverything };

  /// Makes the kernel provide memory for the next few unused chunks. Without this, producers wait
  /// for a page fault on each page that they touch first. (While the queue fills up, p99.9 of a
  /// span is then 19 µs instead of 6.) Called often, by the reader.
  void Prefault() noexcept;

  /// Hands the full chunks, or all chunks with spans, to ReadChunk. Their spans still count against
  /// the bounds. Returns the number of spans.
  std::size_t Collect(What what) noexcept;

  /// Returns whether all collected chunks were read.
  bool drained() const noexcept { return oldest_ == nullptr; }

  /// Calls `visit(span)` for each span of the oldest collected chunk, in order, and frees the
  /// chunk. Returns the number of spans, or 0 if no chunk is left. REQUIRES: `visit` does not
  /// throw.
  std::size_t ReadChunk(const std::function<void(const char* span)>& visit);

  /// The numbers of spans that Push accepted and refused.
  std::uint64_t accepted() const noexcept {
    return Sum(&Slot::accepted) + Sum(&Slot::accepted_shared);
  }
  std::uint64_t refused() const noexcept { return Sum(&Slot::refused); }

  /// Empties the queue in the child of a fork. The parent's other threads may have been in the
  /// middle of any operation on it.
  void Reset() noexcept;

  static constexpr std::size_t kChunkBytes = 65536;

 private:
  struct Chunk;
  struct alignas(128) Slot {
    Atomic<Chunk*> chunk{nullptr};
    // `accepted` is written without locked instructions by the one thread that owns the slot, and
    // `accepted_shared` by the others.
    Atomic<std::uint64_t> accepted{0};
    Atomic<std::uint64_t> accepted_shared{0};
    Atomic<std::uint64_t> refused{0};
  };
  // A lock-free stack of chunks. The upper half of its word counts changes, so that a pop notices
  // if a chunk was removed and pushed again.
  struct alignas(128) Stack {
    Atomic<std::uint64_t> top{0};
  };

  Chunk* at(std::uint32_t number) const;
  std::uint64_t Sum(Atomic<std::uint64_t> Slot::*count) const noexcept;
  void PushTo(Stack* stack, Chunk* chunk) noexcept;
  Chunk* PopFrom(Stack* stack) noexcept;
  std::uint32_t TakeAll(Stack* stack) noexcept;
  Chunk* Allocate() noexcept;
  bool Fits(const Chunk& chunk, std::uint32_t size) const noexcept;
  void Append(Chunk* first, Chunk* last) noexcept;

  const std::uint32_t chunks_;
  const std::uint32_t spans_per_chunk_;
  const std::uint32_t slots_;
  char* memory_;
  std::unique_ptr<Slot[]> slot_;
  Stack free_;  // chunks that were used before and are free now
  Stack full_;
  // Collected chunks, linked by `next`. Only the reader uses these.
  Chunk* oldest_ = nullptr;
  Chunk* newest_ = nullptr;
  // Chunks with greater numbers were never used.
  alignas(128) Atomic<std::uint32_t> fresh_{0};
  std::uint32_t faulted_ = 0;  // the unused chunks up to this number have memory; reader only
};

using SpanQueue = BasicSpanQueue<std::atomic>;
extern template class BasicSpanQueue<std::atomic>;

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_PIPELINE_SPAN_QUEUE_H
