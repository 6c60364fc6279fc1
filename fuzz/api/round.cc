// SPDX-License-Identifier: Apache-2.0
#include "fuzz/api/round.h"

#include <string.h>
#include <unistd.h>

#include <atomic>
#include <deque>
#include <thread>
#include <utility>

#include "fuzz/api/walk.h"
#include "tracekin/blkin.h"

namespace tracekin {

namespace {

std::atomic<const std::deque<Walk>*> round_now{nullptr};

void Print(const char* text) noexcept {
  // A failure cannot be handled here.
  if (write(STDERR_FILENO, text, strlen(text)) < 0) return;
}

}  // namespace

std::uint64_t RunRound(const std::vector<Choices>& choices, std::uint64_t calls,
                       const World::Limits& limits) {
  World world(limits);
  opentracing::Tracer::InitGlobal(world.tracers.Get(0));
  std::deque<Walk> walks;
  for (const Choices& decisions : choices) walks.emplace_back(&world, decisions);
  round_now = &walks;
  std::vector<std::thread> threads;
  for (Walk& walk : walks) threads.emplace_back([&walk, calls] { walk.Run(calls); });
  for (std::thread& thread : threads) thread.join();
  opentracing::Tracer::InitGlobal(nullptr);
  SetBlkinTracer(nullptr);
  world.End();
  round_now = nullptr;
  return world.forks();
}

void PrintRound() noexcept {
  const auto* const walks = round_now.load();
  if (walks == nullptr) return;
  for (const Walk& walk : *walks) {
    Print("a thread is in: ");
    Print(walk.doing());
    Print("\n");
  }
}

}  // namespace tracekin
