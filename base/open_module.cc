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

// Makes a fork wait while a module is loaded. Otherwise the child could inherit the loader's lists
// in the middle of a change, protected by a new lock, and dlopen() would crash there.
constexpr time_t kLongestWaitSeconds = 1;

pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
bool stopped = false;  // used by the forking thread

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

constexpr char kHere = 0;  // an address in the object that contains this code

// Returns the path of `file` in our folder. Empty if the folder is unknown (for a program found
// through $PATH) or the file does not exist.
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
