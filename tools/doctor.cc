// SPDX-License-Identifier: Apache-2.0
// `tracekin doctor`: looks for what prevents spans from being recorded or exported.
#include <grp.h>
#include <pwd.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/regular_file.h"
#include "base/terminal.h"
#include "tools/collector.h"
#include "tools/processes.h"
#include "tools/record/session.h"
#include "tools/subcommand.h"
#include "tracekin/configuration.h"

namespace tracekin::tools {

namespace {

namespace fs = std::filesystem;

enum class Level { kOk, kWarning, kProblem };

constexpr std::size_t kMaxConfiguration = 1 << 20;

class Doctor {
 public:
  void LookAtDaemon();
  void LookAtGroup();
  void LookAtKernelTracer();
  void LookAtPrograms();
  void LookAtConfiguration(const std::string& file);

  bool found_problem() const { return found_problem_; }

 private:
  void Say(Level level, const char* what, const std::string& text);

  bool daemon_answers_ = false;
  bool found_problem_ = false;
};

void Doctor::Say(Level level, const char* what, const std::string& text) {
  constexpr const char* kNames[] = {"ok", "warning", "problem"};
  std::printf("%-8s %-15s %s\n", kNames[static_cast<int>(level)], what, text.c_str());
  found_problem_ = found_problem_ || level == Level::kProblem;
}

// Returns the process id in a session daemon's file, or 0 if that process does not run.
pid_t RunningDaemon(const std::string& folder) {
  std::ifstream file(folder + "/lttng-sessiond.pid");
  pid_t pid = 0;
  std::error_code ignored;
  return file >> pid && fs::exists("/proc/" + std::to_string(pid), ignored) ? pid : 0;
}

std::string OwnDaemonFolder() {
  const char* home = std::getenv("LTTNG_HOME");
  if (home == nullptr) home = std::getenv("HOME");
  return std::string(home == nullptr ? "" : home) + "/.lttng";
}

bool IsInPath(const std::string& program) {
  const char* const variable = std::getenv("PATH");
  const std::string path = variable == nullptr ? "" : variable;
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find(':', at), path.size());
    if (access((path.substr(at, end - at) + '/' + program).c_str(), X_OK) == 0) return true;
    at = end + 1;
  }
  return false;
}

void Doctor::LookAtDaemon() {
  constexpr const char* kWhat = "session daemon";
  daemon_answers_ = lttng_session_daemon_alive() == 1;
  const pid_t roots = RunningDaemon("/run/lttng"), own = RunningDaemon(OwnDaemonFolder());
  if (daemon_answers_) {
    const pid_t pid = roots != 0 ? roots : own;
    const std::string whose = roots != 0 ? "root's daemon" : "your own daemon";
    return Say(Level::kOk, kWhat,
               whose + (pid == 0 ? "" : ", process " + std::to_string(pid)) + ", answers");
  }
  if (!IsInPath("lttng-sessiond")) {
    return Say(Level::kProblem, kWhat, "lttng-sessiond is not installed: install lttng-tools");
  }
  if (roots != 0) {
    return Say(Level::kOk, kWhat,
               "root's daemon runs, but you cannot use it; `tracekin record` starts your own");
  }
  Say(Level::kOk, kWhat, "none runs; `tracekin record` starts one");
}

// Returns whether the database of groups lists this user as a member.
bool IsListed(const group& entry) {
  const passwd* const user = getpwuid(geteuid());
  if (user == nullptr) return false;
  for (char** member = entry.gr_mem; *member != nullptr; ++member) {
    if (std::string(*member) == user->pw_name) return true;
  }
  return false;
}

bool IsMember(gid_t wanted) {
  std::vector<gid_t> groups(static_cast<std::size_t>(std::max(getgroups(0, nullptr), 0)));
  const int count = getgroups(static_cast<int>(groups.size()), groups.data());
  groups.resize(static_cast<std::size_t>(std::max(count, 0)));
  return getegid() == wanted || std::count(groups.begin(), groups.end(), wanted) != 0;
}

void Doctor::LookAtGroup() {
  constexpr const char* kWhat = "group tracing";
  if (geteuid() == 0) return Say(Level::kOk, kWhat, "root does not need it");
  const group* const tracing = getgrnam("tracing");
  if (tracing == nullptr) {
    return Say(Level::kWarning, kWhat,
               "it does not exist, so only root can record the kernel: install lttng-tools");
  }
  if (IsMember(tracing->gr_gid)) return Say(Level::kOk, kWhat, "you are a member");
  if (IsListed(*tracing)) {
    return Say(Level::kWarning, kWhat, "you are a member, but not in this session: log in again");
  }
  Say(Level::kWarning, kWhat,
      "you are not a member, so you can record neither the kernel nor other users' programs: "
      "sudo usermod -aG tracing YOU, and log in again");
}

// Returns whether LTTng's modules are installed for the running kernel, which root's session daemon
// would load.
bool HasKernelModules() {
  std::error_code error;
  if (fs::exists("/sys/module/lttng_tracer", error)) return true;
  utsname system{};
  uname(&system);
  for (auto entry =
           fs::recursive_directory_iterator(std::string("/lib/modules/") + system.release, error);
       !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (entry->path().filename().string().rfind("lttng-tracer.ko", 0) == 0) return true;
  }
  return false;
}

// Only warns if there is no kernel tracer, because spans can be recorded without it.
void Doctor::LookAtKernelTracer() {
  constexpr const char* kWhat = "kernel tracer";
  if (daemon_answers_) {
    try {
      record::RequireKernelTracer();
      return Say(Level::kOk, kWhat, "the session daemon has it");
    } catch (const record::RecordError& error) {
      return Say(Level::kWarning, kWhat, error.what());
    }
  }
  if (HasKernelModules()) return Say(Level::kOk, kWhat, "LTTng's modules are installed");
  utsname system{};
  uname(&system);
  Say(Level::kWarning, kWhat,
      std::string("LTTng's modules are not installed for the kernel ") + system.release +
          ": install lttng-modules-dkms and linux-headers-" + system.release);
}

void Doctor::LookAtPrograms() {
  constexpr const char* kWhat = "programs";
  const std::vector<Process> processes = TracedProcesses();
  if (processes.empty()) {
    const char* const others = geteuid() == 0 ? "" : "; root also sees other users' programs";
    return Say(Level::kWarning, kWhat,
               std::string("no program that has tracekin is running") + others);
  }
  for (const Process& process : processes) {
    const std::string reason = WhyNoEvents(process);
    const std::string name = ForTerminal(process.name) + '/' + std::to_string(process.pid) + ' ';
    const Level level = reason.empty() ? Level::kOk : Level::kWarning;
    Say(level, kWhat, name + (reason.empty() ? "emits events" : reason));
  }
}

void Doctor::LookAtConfiguration(const std::string& file) {
  constexpr const char* kWhat = "configuration";
  Options options;
  std::string content;
  std::string error = ReadRegularFile(file, kMaxConfiguration, &content);
  if (!error.empty()) return Say(Level::kProblem, kWhat, ForTerminal(error));
  if (!ParseConfiguration(content, &options, &error) || !ApplyEnvironment(&options, &error) ||
      !ValidateOptions(options, &error)) {
    return Say(Level::kProblem, kWhat, ForTerminal(file + ": " + error));
  }
  Say(Level::kOk, kWhat, ForTerminal(file));
  if (!options.ust.enabled) {
    Say(Level::kWarning, "events", "ust.enabled is not set, so LTTng records no spans");
  }
  const Reached reached = ReachCollector(options.exporter);
  Say(reached.good ? Level::kOk : Level::kProblem, "collector", reached.text);
}

int Run(const std::string& configuration) {
  Doctor doctor;
  doctor.LookAtDaemon();
  doctor.LookAtGroup();
  doctor.LookAtKernelTracer();
  doctor.LookAtPrograms();
  if (!configuration.empty()) doctor.LookAtConfiguration(configuration);
  return doctor.found_problem() ? kNothingFound : kFound;
}

std::function<int()> Add(CLI::App* app) {
  const auto configuration = std::make_shared<std::string>();
  app->footer(
      "The exit status is 1 if there is a problem. Examples:\n"
      "  tracekin doctor\n"
      "  sudo tracekin doctor --config /etc/haproxy/tracekin.json");
  app->add_option("-c,--config", *configuration,
                  "Also try the collector of this configuration, as JSON")
      ->type_name("FILE");
  return [configuration] { return Run(*configuration); };
}

}  // namespace

const Subcommand kDoctor = {"doctor",
                            "Look for what prevents spans from being recorded or exported", Add};

}  // namespace tracekin::tools
