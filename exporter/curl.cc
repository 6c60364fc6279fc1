#include "exporter/curl.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <stdexcept>
#include <string>

namespace tracekin {

namespace {

using Lock = std::shared_timed_mutex;

// A step of a handshake takes some milliseconds.
constexpr std::chrono::milliseconds kLongestForkWait{100};
constexpr std::chrono::seconds kLongestExitWait{1};

// Never destroyed, for threads may be at work while static objects are; not allocated, for nothing may throw.
alignas(Lock) unsigned char lock_memory[sizeof(Lock)];

Lock& AtWork() {
  static Lock* const lock = new (lock_memory) Lock;
  return *lock;
}

bool stopped = false;  // of the thread that forks
std::atomic<bool> initialised{false};

}  // namespace

void CheckCurl(CURLcode code) {
  if (code == CURLE_OK) return;
  if (code == CURLE_OUT_OF_MEMORY) throw std::bad_alloc();
  throw std::runtime_error(std::string("libcurl: ") + curl_easy_strerror(code));
}

void InitialiseCurl() {
  // Of the kind that a fork during another thread's first use does not leave locked for ever.
  static std::once_flag once;
  // What fails for lack of memory is tried again by the next call.
  std::call_once(once, [] { CheckCurl(curl_global_init(CURL_GLOBAL_DEFAULT)); });
  initialised = true;
}

bool CurlIsInitialised() noexcept { return initialised; }

CurlAtWork::CurlAtWork() noexcept { AtWork().lock_shared(); }

CurlAtWork::~CurlAtWork() { AtWork().unlock_shared(); }

void StopCurlForFork() noexcept { stopped = AtWork().try_lock_for(kLongestForkWait); }

void ResumeCurlAfterForkInParent() noexcept {
  if (stopped) AtWork().unlock();
}

void ResumeCurlAfterForkInChild() noexcept { new (&AtWork()) Lock; }

void StopCurlForExit() noexcept {
  [[maybe_unused]] const bool locked = AtWork().try_lock_for(kLongestExitWait);  // for ever
}

}  // namespace tracekin
