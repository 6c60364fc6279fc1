// SPDX-License-Identifier: Apache-2.0
#include "tests/support/interleavings.h"

namespace tracekin::testing {

namespace {

thread_local Interleavings* current = nullptr;
thread_local int self = 0;

}  // namespace

Interleavings::Interleavings(int threads, int preemptions)
    : preemptions_(preemptions), turns_(static_cast<std::size_t>(threads) + 1) {
  for (sem_t& turn : turns_) sem_init(&turn, 0, 0);
  for (int thread = 0; thread < threads; ++thread) {
    threads_.emplace_back([this, thread] { Serve(thread); });
  }
}

Interleavings::~Interleavings() {
  body_ = nullptr;
  for (sem_t& turn : turns_) sem_post(&turn);
  for (std::thread& thread : threads_) thread.join();
  for (sem_t& turn : turns_) sem_destroy(&turn);
}

// Depth-first search: changes the last choice that has another option.
bool Interleavings::Next() {
  if (count_ != 0) {
    while (!choices_.empty() && choices_.back().taken + 1 == choices_.back().options) {
      choices_.pop_back();
    }
    if (choices_.empty()) return false;
    ++choices_.back().taken;
  }
  ++count_;
  return true;
}

void Interleavings::Run(const std::function<void(int thread)>& body) {
  body_ = &body;
  depth_ = 0;
  preempted_ = 0;
  ended_.assign(threads_.size(), false);
  schedule_.clear();
  std::vector<int> all;
  for (std::size_t thread = 0; thread < threads_.size(); ++thread) {
    all.push_back(static_cast<int>(thread));
  }
  sem_post(&turns_[static_cast<std::size_t>(Choose(all))]);
  sem_wait(&turns_.back());
}

void Interleavings::Serve(int thread) {
  current = this;
  self = thread;
  const auto index = static_cast<std::size_t>(thread);
  for (;;) {
    sem_wait(&turns_[index]);
    if (body_ == nullptr) return;
    (*body_)(thread);
    ended_[index] = true;
    GoOn();
  }
}

void Interleavings::Point() {
  if (current != nullptr) current->GoOn();
}

// Called by the thread whose turn it is. That thread is the first option, so that the first order
// contains no preemptions.
void Interleavings::GoOn() {
  const auto index = static_cast<std::size_t>(self);
  std::vector<int> options;
  if (!ended_[index]) options.push_back(self);
  if (ended_[index] || preempted_ < preemptions_) {
    for (std::size_t other = 0; other < threads_.size(); ++other) {
      if (other != index && !ended_[other]) options.push_back(static_cast<int>(other));
    }
  }
  if (options.empty()) {
    sem_post(&turns_.back());
    return;
  }
  const int chosen = Choose(options);
  if (chosen == self) return;
  const bool ended = ended_[index];
  if (!ended) ++preempted_;
  sem_post(&turns_[static_cast<std::size_t>(chosen)]);
  if (!ended) sem_wait(&turns_[index]);
}

int Interleavings::Choose(const std::vector<int>& options) {
  std::size_t taken = 0;
  if (options.size() > 1) {
    if (depth_ == choices_.size()) choices_.push_back({0, options.size()});
    taken = choices_[depth_++].taken;
  }
  schedule_ += static_cast<char>('0' + options[taken]);
  return options[taken];
}

}  // namespace tracekin::testing
