// SPDX-License-Identifier: Apache-2.0
#include "exporter/transport/curl.h"

#include <sys/auxv.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <stdexcept>
#include <string>

#include "base/no_destructor.h"

namespace tracekin {

namespace {

using Lock = std::shared_timed_mutex;

// A step of a handshake takes some milliseconds.
constexpr std::chrono::milliseconds kLongestForkWait{100};
constexpr std::chrono::seconds kLongestExitWait{1};

Lock& AtWork() {
  static NoDestructor<Lock> lock;
  return *lock;
}

bool stopped = false;  // of the thread that forks
// Not std::call_once(): libcurl may fail for lack of memory, and glibc needs memory to unwind its frame.
std::mutex initialising;
std::atomic<bool> initialised{false};

// libcurl opens the file that the variable names when it is initialised, and cannot be told not to.
void RefuseKeyLogOfUser() {
  if (getauxval(AT_SECURE) == 0) return;
  const char* const file = std::getenv("SSLKEYLOGFILE");
  if (file == nullptr || *file == '\0') return;
  throw std::runtime_error(
      "SSLKEYLOGFILE is set in a set-user-ID program: libcurl would write the keys of connections "
      "to "
      "that file");
}

// OpenSSL asks for dates while it verifies a certificate, and at the first one the C library reads TZ. Nobody but
// the host's own threads may read its environment, so it is done here.
void ReadTimeZone() {
  const std::time_t now = std::time(nullptr);
  std::tm date;
  gmtime_r(&now, &date);
}

}  // namespace

void CheckCurl(CURLcode code) {
  if (code == CURLE_OK) return;
  if (code == CURLE_OUT_OF_MEMORY) throw std::bad_alloc();
  throw std::runtime_error(std::string("libcurl: ") + curl_easy_strerror(code));
}

void InitialiseCurl() {
  const CurlAtWork at_work;
  const std::lock_guard<std::mutex> lock(initialising);
  if (initialised) return;
  RefuseKeyLogOfUser();
  ReadTimeZone();
  CheckCurl(curl_global_init(CURL_GLOBAL_DEFAULT));
  initialised = true;
}

bool CurlIsInitialised() noexcept { return initialised; }

CurlAtWork::CurlAtWork() noexcept { AtWork().lock_shared(); }

CurlAtWork::~CurlAtWork() { AtWork().unlock_shared(); }

void StopCurlForFork() noexcept { stopped = AtWork().try_lock_for(kLongestForkWait); }

void ResumeCurlAfterForkInParent() noexcept {
  if (stopped) AtWork().unlock();
}

void ResumeCurlAfterForkInChild() noexcept {
  new (&AtWork()) Lock;
  new (&initialising) std::mutex;
}

void StopCurlForExit() noexcept {
  [[maybe_unused]] const bool locked = AtWork().try_lock_for(kLongestExitWait);  // for ever
}

}  // namespace tracekin
