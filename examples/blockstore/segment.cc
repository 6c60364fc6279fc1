// SPDX-License-Identifier: Apache-2.0
#include "segment.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>

namespace blockstore {

namespace {

[[noreturn]] void Fail(const char* what) {
  std::perror(what);
  std::exit(1);
}

void MakeMutex(pthread_mutex_t* mutex) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(mutex, &attributes);
  pthread_mutexattr_destroy(&attributes);
}

long Futex(std::atomic<std::uint32_t>* word, int operation, std::uint32_t value,
           const timespec* timeout) {
  return syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(word), operation, value, timeout,
                 nullptr, 0);
}

}  // namespace

// Holds a port's lock, and repairs the port if the last holder died while holding it.
class Segment::Lock {
 public:
  Lock(Segment* segment, std::uint32_t port) : mutex_(&segment->memory_->ports[port].lock) {
    if (pthread_mutex_lock(mutex_) != EOWNERDEAD) return;
    segment->Repair(port);
    pthread_mutex_consistent(mutex_);
  }
  ~Lock() { pthread_mutex_unlock(mutex_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  pthread_mutex_t* const mutex_;
};

Segment::Segment(const std::string& name) {
  const int file = shm_open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0 || flock(file, LOCK_EX) != 0 || ftruncate(file, sizeof(Memory)) != 0) {
    Fail(name.c_str());
  }
  void* const memory = mmap(nullptr, sizeof(Memory), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) Fail("mmap");
  memory_ = static_cast<Memory*>(memory);  // zeros if it is new
  if (memory_->ready == 0) Initialise();
  flock(file, LOCK_UN);  // needed because the mapping keeps the file open
  close(file);
}

Segment::~Segment() { munmap(memory_, sizeof(Memory)); }

void Segment::Initialise() {
  for (Port& port : memory_->ports) {
    MakeMutex(&port.owner);
    MakeMutex(&port.lock);
  }
  for (std::uint32_t i = 0; i < kSlots; ++i) {
    Request& request = memory_->slots[i].request;
    request.state = State::kFree;
    request.src_portno = i / kSlotsOfAPort;
  }
  memory_->ready = 1;
}

void Segment::Own(PortNumber port) {
  pthread_mutex_t* const owner = &memory_->ports[port].owner;
  if (pthread_mutex_lock(owner) == EOWNERDEAD) pthread_mutex_consistent(owner);
}

bool Segment::TryOwn(std::uint32_t port) {
  pthread_mutex_t* const owner = &memory_->ports[port].owner;
  const int result = pthread_mutex_trylock(owner);
  if (result == EOWNERDEAD) pthread_mutex_consistent(owner);
  return result != EBUSY;
}

bool Segment::HasOwner(PortNumber port) {
  if (!TryOwn(port)) return true;
  pthread_mutex_unlock(&memory_->ports[port].owner);
  return false;
}

void Segment::Submit(Slot* slot) { Queue(slot, State::kSubmitted, slot->request.dst_portno); }

void Segment::Respond(Slot* slot, bool ok) {
  Queue(slot, ok ? State::kServed : State::kFailed, slot->request.src_portno);
}

void Segment::Queue(Slot* slot, State state, std::uint32_t number) {
  Port& port = memory_->ports[number];
  {
    const Lock lock(this, number);
    slot->request.state = state;
    port.queue[port.tail % kSlots] = IndexOf(slot);
    ++port.tail;
  }
  ++port.bell;
  Futex(&port.bell, FUTEX_WAKE, 1, nullptr);
}

Slot* Segment::Take(PortNumber number, std::chrono::milliseconds timeout, bool* ok) {
  Port& port = memory_->ports[number];
  const std::uint32_t bell = port.bell;
  for (const bool last : {false, true}) {
    {
      const Lock lock(this, number);
      if (port.head != port.tail) {
        Slot* const taken = slot(port.queue[port.head % kSlots]);
        State& state = taken->request.state;
        *ok = state == State::kServed;
        state = state == State::kSubmitted ? State::kAccepted : State::kTaken;
        ++port.head;
        return taken;
      }
    }
    const auto ms = timeout.count();
    const timespec wait{static_cast<time_t>(ms / 1000), static_cast<long>(ms % 1000 * 1'000'000)};
    if (!last) Futex(&port.bell, FUTEX_WAIT, bell, &wait);
  }
  return nullptr;
}

// The port's ownership is held during this call, so no other process can become the receiver.
bool Segment::Cancel(Slot* slot) {
  const std::uint32_t number = slot->request.dst_portno;
  Port& port = memory_->ports[number];
  if (!TryOwn(number)) return false;
  {
    const Lock lock(this, number);
    State& state = slot->request.state;
    if (state == State::kSubmitted) {
      const std::uint64_t end = port.tail;
      port.tail = port.head;
      for (std::uint64_t i = port.head; i != end; ++i) {
        const std::uint32_t index = port.queue[i % kSlots];
        if (index != IndexOf(slot)) port.queue[port.tail++ % kSlots] = index;
      }
    }
    const bool answered = state != State::kSubmitted && state != State::kAccepted;
    if (!answered) state = State::kTaken;
    pthread_mutex_unlock(&port.owner);
    return !answered;
  }
}

std::vector<Slot*> Segment::Unanswered(PortNumber port) {
  std::vector<Slot*> unanswered;
  for (Slot& slot : memory_->slots) {
    const Request& request = slot.request;
    if (request.src_portno == port || request.dst_portno != port) continue;
    if (request.state == State::kAccepted) unanswered.push_back(&slot);
  }
  return unanswered;
}

std::uint32_t Segment::Adopt(PortNumber port) {
  std::uint32_t under_way = 0;
  for (std::uint32_t i = 0; i < kSlotsOfAPort; ++i) {
    State& state = slot(port * kSlotsOfAPort + i)->request.state;
    if (state == State::kTaken) state = State::kFree;
    if (state != State::kFree) ++under_way;
  }
  return under_way;
}

bool Segment::BelongsTo(const Slot& slot, std::uint32_t port) const {
  const Request& request = slot.request;
  if (request.state == State::kSubmitted) return request.dst_portno == port;
  return (request.state == State::kServed || request.state == State::kFailed) &&
         request.src_portno == port;
}

// A process that died may have set a slot's state without queueing it, or only begun to remove it
// from the queue.
void Segment::Repair(std::uint32_t number) {
  Port& port = memory_->ports[number];
  bool queued[kSlots] = {};
  std::uint64_t kept = port.head;
  for (std::uint64_t i = port.head; i != port.tail; ++i) {
    const std::uint32_t index = port.queue[i % kSlots];
    if (queued[index] || !BelongsTo(*slot(index), number)) continue;
    queued[index] = true;
    port.queue[kept++ % kSlots] = index;
  }
  for (std::uint32_t index = 0; index < kSlots; ++index) {
    if (queued[index] || !BelongsTo(*slot(index), number)) continue;
    port.queue[kept++ % kSlots] = index;
  }
  port.tail = kept;
  ++port.bell;
}

}  // namespace blockstore
