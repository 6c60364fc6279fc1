// SPDX-License-Identifier: Apache-2.0
// The bounded queue of finished spans between the application's threads and the exporter thread.
//
// Its memory is one mapping of chunks, touched only as it is used. A producer takes the chunk of
// its slot (one atomic exchange), appends its span, and puts the chunk back; a full chunk goes to
// the exporter and a free one replaces it. Whoever holds a chunk owns it alone, so no byte is ever
// shared while it changes; threads that share a slot merely use one more chunk. The exporter takes
// full chunks at any time and sweeps the slots when spans are due. Nothing blocks; a producer that
// finds no free chunk is told so.
//
// Bounds: at most `max_spans` spans and `max_bytes` bytes, each divided evenly among the chunks.
//
// `Atomic` is std::atomic, but where tests/exporter/pipeline/interleavings_test.cc runs the threads in every order.
//
// Thread-safety: Push from any thread; Collect and ReadChunk from one thread at a time; Reset only in
// the child of a fork before any other call.
#ifndef TRACEKIN_EXPORTER_PIPELINE_SPAN_QUEUE_H
#define TRACEKIN_EXPORTER_PIPELINE_SPAN_QUEUE_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "exporter/pipeline/span_bytes.h"

namespace tracekin {

template <template <class> class Atomic>
class BasicSpanQueue {
 public:
  /// REQUIRES: max_bytes >= 4 * kChunkBytes. Throws std::bad_alloc.
  BasicSpanQueue(std::uint64_t max_spans, std::uint64_t max_bytes);
  ~BasicSpanQueue();

  BasicSpanQueue(const BasicSpanQueue&) = delete;
  BasicSpanQueue& operator=(const BasicSpanQueue&) = delete;

  /// Copies a span, `size` <= kMaxSpanBytes bytes that begin with a SpanHeader. `thread` is a
  /// number that no other thread has; low numbers have a slot to themselves. Returns false if there
  /// is no room.
  bool Push(const char* span, std::uint32_t size, std::uint32_t thread) noexcept;

  enum class What { kFullChunks, kEverything };

  /// Has the kernel give memory for the chunks that come next, while they are few: else it is the
  /// producers who wait for each page that is touched for the first time (p99.9 of a span 19 µs rather
  /// than 6 while the queue fills up). To be called often, by the reader.
  void Prefault() noexcept;

  /// Puts what the producers have filled, or all that they have, in line for ReadChunk. It still counts
  /// against the bounds. Returns the number of spans.
  std::size_t Collect(What what) noexcept;

  /// Whether nothing is in line.
  bool drained() const noexcept { return oldest_ == nullptr; }

  /// Calls `visit(bytes)` for each span of the chunk that was collected first, in order, and makes its
  /// memory free again. Returns how many there were; 0 if no chunk is left. `visit` must not throw.
  std::size_t ReadChunk(const std::function<void(const char* span)>& visit);

  /// How many spans Push took, and how many it refused.
  std::uint64_t accepted() const noexcept {
    return Sum(&Slot::accepted) + Sum(&Slot::accepted_shared);
  }
  std::uint64_t refused() const noexcept { return Sum(&Slot::refused); }

  /// Empties the queue in the child of a fork, whatever the parent's other threads were doing with
  /// it.
  void Reset() noexcept;

  static constexpr std::size_t kChunkBytes = 65536;

 private:
  struct Chunk;
  struct alignas(128) Slot {
    Atomic<Chunk*> chunk{nullptr};
    // By the thread of this slot's number, without locked instructions, and by others.
    Atomic<std::uint64_t> accepted{0};
    Atomic<std::uint64_t> accepted_shared{0};
    Atomic<std::uint64_t> refused{0};
  };
  // A stack of chunks, lock-free. The upper half of its word counts changes, so that a pop cannot
  // mistake a chunk that went and came back for one that stayed.
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
  Stack free_;  // chunks that were used before
  Stack full_;
  // Collected, linked by `next`; the reader's own.
  Chunk* oldest_ = nullptr;
  Chunk* newest_ = nullptr;
  // Chunks beyond this number were never used.
  alignas(128) Atomic<std::uint32_t> fresh_{0};
  std::uint32_t faulted_ = 0;  // of them, those that have memory; the reader's own
};

using SpanQueue = BasicSpanQueue<std::atomic>;
extern template class BasicSpanQueue<std::atomic>;

}  // namespace tracekin

#endif  // TRACEKIN_EXPORTER_PIPELINE_SPAN_QUEUE_H
