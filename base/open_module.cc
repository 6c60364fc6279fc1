// SPDX-License-Identifier: Apache-2.0
#include "base/open_module.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <memory>

namespace tracekin {
namespace {

// The child of a fork has the loader's lists as another thread was changing them, and a new lock in
// place of the one that protected them: dlopen() crashes there. So a fork waits until no module is
// being loaded.
constexpr time_t kLongestWaitSeconds = 1;

pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
bool stopped = false;  // of the thread that forks

void BeforeFork() {
  timespec deadline;
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += kLongestWaitSeconds;
  stopped = pthread_mutex_timedlock(&loading, &deadline) == 0;
}

void AfterForkInParent() {
  if (stopped) pthread_mutex_unlock(&loading);
}

void AfterForkInChild() { loading = PTHREAD_MUTEX_INITIALIZER; }

__attribute__((constructor)) void RegisterForkHandlers() {
  pthread_atfork(BeforeFork, AfterForkInParent, AfterForkInChild);
}

constexpr char kHere = 0;  // in the object that holds this code

// Empty if our folder is not known (a program found through $PATH) or nothing is there.
std::string PathBesideUs(const std::string& file) {
  Dl_info us;
  if (dladdr(&kHere, &us) == 0 || std::strchr(us.dli_fname, '/') == nullptr) return {};
  const std::unique_ptr<char, decltype(&std::free)> object{realpath(us.dli_fname, nullptr),
                                                           &std::free};
  if (object == nullptr) return {};
  std::string path{object.get(), std::strrchr(object.get(), '/') + 1};
  path += file;
  return access(path.c_str(), F_OK) == 0 ? path : std::string{};
}

}  // namespace

void* OpenModule(const std::string& file) {
  const std::string beside = PathBesideUs(file);
  pthread_mutex_lock(&loading);
  void* const module = dlopen(beside.empty() ? file.c_str() : beside.c_str(), kModuleMode);
  pthread_mutex_unlock(&loading);
  return module;
}

}  // namespace tracekin
