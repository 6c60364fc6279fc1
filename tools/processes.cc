// SPDX-License-Identifier: Apache-2.0
#include "tools/processes.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "base/strings.h"
#include "base/terminal.h"

namespace tracekin::tools {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kProvider = "libtracekin_ust.so";
constexpr const char* kSetting = "TRACEKIN_UST_ENABLED";

std::string FolderOf(pid_t pid) { return "/proc/" + std::to_string(pid); }

std::string Content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The libraries that contain the tracer: for C++ programs, for hosts of plugins, and for programs
// that were written for BlkKin. Their names may be followed by a version.
bool HasTracer(std::string_view file) {
  for (const std::string_view library :
       {"libtracekin.so", "libtracekin_plugin.so", "libtracekin_blkin.so"}) {
    if (file.substr(0, library.size()) == library) return true;
  }
  return false;
}

// The last column of a line of /proc/PID/maps is a path, which may contain blanks.
void TakeMappedFile(const std::string& line, Process* process) {
  const std::size_t begin = line.find('/');
  if (begin == std::string::npos) return;
  const std::string path = line.substr(begin);
  const std::string_view file = std::string_view(path).substr(path.rfind('/') + 1);
  if (file.substr(0, kProvider.size()) == kProvider) process->provider = true;
  if (HasTracer(file)) process->tracer = path;
}

std::string Variable(const std::string& environment, const std::string& name) {
  const std::string wanted = name + "=";
  for (std::size_t at = 0; at < environment.size();) {
    const std::size_t end = std::min(environment.find('\0', at), environment.size());
    if (environment.compare(at, wanted.size(), wanted) == 0) {
      return environment.substr(at + wanted.size(), end - at - wanted.size());
    }
    at = end + 1;
  }
  return "";
}

std::string OwnVariable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string LttngHome(const std::string& lttng_home, const std::string& home) {
  return lttng_home.empty() ? home : lttng_home;
}

// The tracer loads the provider from its own folder or, if it is not there, from the dynamic
// loader's search path.
bool ProviderIsInstalled(const Process& process) {
  std::error_code ignored;
  const std::string root = FolderOf(process.pid) + "/root";
  const fs::path own = fs::path(process.tracer).parent_path();
  for (const fs::path& folder :
       {own, fs::path("/usr/lib/x86_64-linux-gnu"), fs::path("/usr/lib/aarch64-linux-gnu"),
        fs::path("/usr/local/lib"), fs::path("/usr/lib")}) {
    if (fs::exists(root + (folder / kProvider).string(), ignored)) return true;
  }
  return false;
}

fs::path MountNamespace(const std::string& folder) {
  std::error_code ignored;
  return fs::read_symlink(folder + "/ns/mnt", ignored);
}

// Returns false if the process has no memory, because it has ended or is a thread of the kernel.
bool TakeDetails(Process* process) {
  const std::string folder = FolderOf(process->pid);
  std::ifstream maps(folder + "/maps");
  if (!maps.is_open()) return true;
  for (std::string line; std::getline(maps, line);) {
    process->readable = true;
    TakeMappedFile(line, process);
  }
  if (!process->readable) return false;
  const std::string environment = Content(folder + "/environ");
  process->setting = Variable(environment, kSetting);
  process->lttng_home =
      LttngHome(Variable(environment, "LTTNG_HOME"), Variable(environment, "HOME"));
  process->other_files = MountNamespace(folder) != MountNamespace("/proc/self");
  process->provider_installed = ProviderIsInstalled(*process);
  return true;
}

std::string WhyNoProvider(const Process& process) {
  if (process.setting == "false" || process.setting == "0") {
    return std::string("has tracekin, but its events are switched off by ") + kSetting + "=" +
           process.setting;
  }
  if (process.setting.empty()) {
    return std::string("has tracekin, but without ust.enabled: set that key, or ") + kSetting +
           "=true";
  }
  if (!process.provider_installed) {
    return "has tracekin, but " + std::string(kProvider) +
           " is missing: install the package libtracekin-ust0";
  }
  return "has tracekin, but none of its tracers has ust.enabled";
}

}  // namespace

std::optional<Process> LookAt(pid_t pid) {
  Process process;
  process.pid = pid;
  struct stat status {};
  if (stat(FolderOf(pid).c_str(), &status) != 0) return std::nullopt;
  process.user = status.st_uid;
  process.name = Content(FolderOf(pid) + "/comm");
  if (!process.name.empty()) process.name.pop_back();  // the line feed
  if (!TakeDetails(&process)) return std::nullopt;
  return process;
}

std::vector<Process> LookAtTree(pid_t pid) {
  std::vector<Process> found;
  std::vector<pid_t> waiting = {pid};
  while (!waiting.empty()) {
    const pid_t next = waiting.back();
    waiting.pop_back();
    if (const auto process = LookAt(next)) found.push_back(*process);
    std::error_code error;
    for (auto task = fs::directory_iterator(FolderOf(next) + "/task", error);
         !error && task != fs::directory_iterator(); task.increment(error)) {
      std::ifstream children(task->path() / "children");
      for (pid_t child = 0; children >> child;) waiting.push_back(child);
    }
  }
  return found;
}

std::vector<Process> TracedProcesses() {
  std::vector<Process> found;
  std::error_code error;
  for (auto entry = fs::directory_iterator("/proc", error);
       !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto process = LookAt(static_cast<pid_t>(std::atoi(name.c_str())));
    if (process.has_value() && process->traced()) found.push_back(*process);
  }
  return found;
}

std::string WhyNoEvents(const Process& process) {
  if (!process.readable) return "belongs to another user, so only root can examine it";
  if (!process.traced()) return "has not loaded tracekin";
  if (!process.provider) return WhyNoProvider(process);
  if (geteuid() != 0 && process.user != geteuid()) {
    return "belongs to another user: record as root";
  }
  if (process.other_files) {
    return "is in a container or another mount namespace: it needs this machine's /run/lttng and "
           "/dev/shm";
  }
  const std::string home = LttngHome(OwnVariable("LTTNG_HOME"), OwnVariable("HOME"));
  if (geteuid() != 0 && process.lttng_home != home) {
    return "looks for the session daemon below " + ForTerminal(process.lttng_home) +
           ", not below " + ForTerminal(home) + ": it needs the same HOME or LTTNG_HOME";
  }
  return "";
}

}  // namespace tracekin::tools
