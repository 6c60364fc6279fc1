// SPDX-License-Identifier: Apache-2.0
#include "base/library_at_work.h"

#include <atomic>
#include <chrono>
#include <new>
#include <shared_mutex>

#include "base/no_destructor.h"

namespace tracekin {

namespace {

using Lock = std::shared_timed_mutex;

// One step of a handshake takes a few milliseconds.
constexpr std::chrono::milliseconds kLongestForkWait{100};
constexpr std::chrono::seconds kLongestExitWait{1};

Lock& AtWork() {
  static NoDestructor<Lock> lock;
  return *lock;
}

bool stopped = false;  // used by the forking thread only
std::atomic<std::uint32_t> initialised{0};

}  // namespace

LibraryAtWork::LibraryAtWork() noexcept { AtWork().lock_shared(); }

LibraryAtWork::~LibraryAtWork() { AtWork().unlock_shared(); }

void CountInitialisedLibrary() noexcept { ++initialised; }

std::uint32_t InitialisedLibraries() noexcept { return initialised; }

void StopLibrariesForFork() noexcept { stopped = AtWork().try_lock_for(kLongestForkWait); }

void ResumeLibrariesAfterForkInParent() noexcept {
  if (stopped) AtWork().unlock();
}

void ResumeLibrariesAfterForkInChild() noexcept { new (&AtWork()) Lock; }

void StopLibrariesForExit() noexcept {
  [[maybe_unused]] const bool locked = AtWork().try_lock_for(kLongestExitWait);  // never unlocked
}

}  // namespace tracekin
