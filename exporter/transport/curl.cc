// SPDX-License-Identifier: Apache-2.0
#include "exporter/transport/curl.h"

#include <sys/auxv.h>

#include <cstdlib>
#include <ctime>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>

#include "base/library_at_work.h"
#include "base/spin_lock.h"

namespace tracekin::exporter {

namespace {

// std::call_once() is not used, because libcurl may fail for lack of memory, and glibc needs memory
// to unwind its frame. A std::mutex is not used, because the child of a fork could not renew it.
SpinLock initialising;
bool initialised = false;  // guarded by `initialising`

// libcurl opens the file that SSLKEYLOGFILE names when it is initialised, and no option prevents
// that.
void RefuseKeyLogOfUser() {
  if (getauxval(AT_SECURE) == 0) return;
  const char* const file = std::getenv("SSLKEYLOGFILE");
  if (file == nullptr || *file == '\0') return;
  throw std::runtime_error(
      "SSLKEYLOGFILE is set in a set-user-ID program: libcurl would write the keys of connections "
      "to that file");
}

// While OpenSSL verifies a certificate, it asks the C library for dates, and the first such call
// reads TZ. Only the host's own threads may read its environment, so this function makes that first
// call on one of them.
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
  const LibraryAtWork at_work;
  const std::lock_guard<SpinLock> lock(initialising);
  if (initialised) return;
  RefuseKeyLogOfUser();
  ReadTimeZone();
  CheckCurl(curl_global_init(CURL_GLOBAL_DEFAULT));
  initialised = true;
  CountInitialisedLibrary();
}

}  // namespace tracekin::exporter
