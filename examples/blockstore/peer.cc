// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

namespace blockstore {

namespace {

constexpr std::chrono::milliseconds kRound{100};
constexpr std::chrono::seconds kPatience{10};

}  // namespace

Peer::Peer(const std::string& segment, PortNumber port) : segment_(segment), port_(port) {}

void Peer::Run() {
  segment_.Own(port_);
  unanswered_ = segment_.Unanswered(port_);
  predecessors_ = segment_.Adopt(port_);
  for (std::uint32_t i = 0; i < kSlotsOfAPort; ++i) {
    Slot* const slot = segment_.slot(port_ * kSlotsOfAPort + i);
    if (slot->request.state == State::kFree) Free(slot);
  }
  while (!stop_) {
    if (predecessors_ == 0 && !unanswered_.empty()) TakeUp();
    Step();
    LookAfterReceivers();
  }
}

// Must not run before everything that the predecessor sent for these requests has ended, because a
// late write of the predecessor would undo later writes.
void Peer::TakeUp() {
  for (Slot* slot : unanswered_) {
    again_.insert(slot);
    segment_.Submit(slot);
  }
  unanswered_.clear();
}

void Peer::Step() {
  bool ok = false;
  Slot* const slot = segment_.Take(port_, kRound, &ok);
  if (slot == nullptr) return;
  if (slot->request.src_portno == port_) {
    Answered(slot, ok);
  } else {
    Serve(slot);
  }
}

void Peer::Answered(Slot* slot, bool ok) {
  Done done;
  {
    const std::lock_guard lock(mutex_);
    const auto called = called_.find(slot);
    if (called != called_.end()) {
      done = std::move(called->second);
      called_.erase(called);
    }
  }
  if (done != nullptr) {
    done(slot, ok);
  } else {
    --predecessors_;
  }
  Free(slot);
}

// Gives the slot to the next call that waits for one, or adds it to the free slots.
void Peer::Free(Slot* slot) {
  Waiting next;
  {
    const std::lock_guard lock(mutex_);
    slot->request.state = State::kFree;
    if (waiting_.empty()) return free_.push_back(slot);
    next = std::move(waiting_.front());
    waiting_.pop_front();
    called_[slot] = std::move(next.done);
  }
  Send(slot, next.message, *next.trace);
}

void Peer::Call(const Message& message, const Trace& trace, Done done) {
  Slot* slot = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) {
      waiting_.push_back({message, &trace, std::move(done)});
      return;
    }
    slot = free_.back();
    free_.pop_back();
    called_[slot] = std::move(done);
  }
  Send(slot, message, trace);
}

void Peer::Send(Slot* slot, const Message& message, const Trace& trace) {
  Request& request = slot->request;
  request.serial = ++serial_;
  request.op = message.op;
  request.offset = message.offset;
  request.size = message.size;
  request.serviced = 0;
  request.dst_portno = message.to;
  request.targetlen = static_cast<std::uint32_t>(message.target.copy(slot->target, kMaxTarget));
  request.target = segment_.PlaceOf(slot->target);
  request.data = message.data != 0 ? message.data : segment_.PlaceOf(slot->data);
  if (message.copied != nullptr) std::memcpy(slot->data, message.copied, message.size);
  trace.Stamp(&request);
  trace.Event("send");
  segment_.Submit(slot);
}

// Fails requests whose receiver has been gone for too long. A receiver that was killed is usually
// restarted and serves the requests that it left.
void Peer::LookAfterReceivers() {
  const Clock::time_point now = Clock::now();
  if (now < next_look_) return;
  next_look_ = now + kRound;
  for (std::uint32_t to = port_ + 1; to < kPorts; ++to) {
    Clock::time_point& seen = last_seen_[to];
    if (seen == Clock::time_point{} || segment_.HasOwner(PortNumber(to))) seen = now;
  }
  for (std::uint32_t i = 0; i < kSlotsOfAPort; ++i) {
    Slot* const slot = segment_.slot(port_ * kSlotsOfAPort + i);
    const Request& request = slot->request;
    if (request.state != State::kSubmitted && request.state != State::kAccepted) continue;
    if (now - last_seen_[request.dst_portno] < kPatience) continue;
    if (segment_.Cancel(slot)) Answered(slot, false);
  }
}

Trace Peer::Accept(const char* operation, const Slot& slot) {
  Trace trace = Trace::Accept(operation, slot.request);
  trace.Event("accept");
  if (again_.erase(&slot) != 0) trace.Tag("again", "a peer that was killed had accepted it");
  return trace;
}

namespace {

sigset_t EndSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

}  // namespace

void BlockSignals() {
  const sigset_t signals = EndSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

void RunUntilSignal(Peer* peer) {
  std::thread waiter([peer] {
    const sigset_t signals = EndSignals();
    int signal = 0;
    sigwait(&signals, &signal);
    peer->Stop();
  });
  peer->Run();
  waiter.join();
}

}  // namespace blockstore
