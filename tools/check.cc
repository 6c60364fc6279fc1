// SPDX-License-Identifier: Apache-2.0
// `tracekin check`: whether a configuration is valid, what it does, and what cannot work in a host
// with another root folder or another user.
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "base/terminal.h"
#include "configuration/check.h"
#include "configuration/describe.h"
#include "configuration/environment.h"
#include "configuration/file.h"
#include "configuration/table.h"
#include "configuration/url.h"
#include "exporter/destination.h"
#include "exporter/transport/resolver.h"
#include "tools/subcommand.h"
#include "tracekin/configuration.h"

namespace tracekin::tools {

namespace {

using configuration::Path;

struct CheckOptions {
  std::string file;
  std::string user;
  std::string root;
  bool json = false;
};

/// A setting that names a path.
struct NamedPath {
  std::string setting;
  Path::Use use;
  std::string path;
};

std::vector<NamedPath> PathsOf(const tracekin::Options& options) {
  std::vector<NamedPath> paths;
  const bool to_file = exporter::DestinationOf(options.exporter).type == "file";
  for (const configuration::Setting& setting : configuration::Settings()) {
    const Path* path = std::get_if<Path>(&setting.value);
    if (path == nullptr || path->In(options).empty()) continue;
    if (setting.path == "exporter.path" && !to_file) continue;
    paths.push_back({std::string(setting.path), path->use, path->In(options)});
  }
  return paths;
}

bool Allows(const std::string& path, int mode) {
  return faccessat(AT_FDCWD, path.c_str(), mode, AT_EACCESS) == 0;
}

/// Returns why this process cannot use the path, or "".
std::string WhyUnusable(const NamedPath& named) {
  const std::string folder = std::filesystem::path(named.path).parent_path().string();
  bool usable = false;
  switch (named.use) {
    case Path::Use::kRead:
    case Path::Use::kReadOnce:
      usable = Allows(named.path, R_OK);
      break;
    case Path::Use::kConnect:
      usable = Allows(named.path, W_OK);
      break;
    case Path::Use::kFolder:
      usable = Allows(named.path, W_OK | X_OK) ||
               (!Allows(named.path, F_OK) && errno == ENOENT && Allows(folder, W_OK | X_OK));
      break;
    case Path::Use::kWrite:
      usable = Allows(folder, W_OK | X_OK) || Allows(named.path, W_OK);
      break;
  }
  return usable ? "" : std::generic_category().message(errno);
}

/// Changes the root folder and the user of this process, like the host does. Throws
/// std::system_error.
void Enter(const std::string& root, const passwd* user) {
  const auto check = [](int result, const std::string& what) {
    if (result != 0) throw std::system_error(errno, std::generic_category(), what);
  };
  if (!root.empty()) {
    check(chroot(root.c_str()), "--chroot " + root);
    check(chdir("/"), "--chroot " + root);
  }
  if (user == nullptr) return;
  check(initgroups(user->pw_name, user->pw_gid), "--user");
  check(setgid(user->pw_gid), "--user");
  check(setuid(user->pw_uid), "--user");
}

const passwd* FindUser(const std::string& name) {
  if (name.empty()) return nullptr;
  const passwd* user = getpwnam(name.c_str());
  if (user == nullptr) throw std::runtime_error("there is no user " + ForTerminal(name));
  return user;
}

/// Returns whether the collector has a name that must be resolved.
bool HasName(const ExporterOptions& exporter) {
  return !exporter::DestinationOf(exporter).schemes.empty() &&
         exporter::Resolver::For(exporter) != nullptr;
}

/// Prints a line for each path that this process cannot use, and for a collector's name that it
/// cannot resolve. A line is only a note if the plugin can read the path earlier: `seen_outside`
/// lists the paths that can be read before the host changes its root folder and its user. Returns
/// whether any line is a problem.
bool PrintProblems(const tracekin::Options& options, const std::vector<std::string>& seen_outside) {
  bool problem = false;
  const std::string later =
      "; the plugin reads it only while it is loaded, if TRACEKIN_CONFIG is set";
  for (const NamedPath& named : PathsOf(options)) {
    const std::string why = WhyUnusable(named);
    if (why.empty()) continue;
    const bool preloaded =
        named.use == Path::Use::kRead &&
        std::find(seen_outside.begin(), seen_outside.end(), named.path) != seen_outside.end();
    problem = problem || !preloaded;
    std::printf("%s: %s: %s: %s%s\n", preloaded ? "note" : "problem", named.setting.c_str(),
                ForTerminal(named.path).c_str(), why.c_str(), preloaded ? later.c_str() : "");
  }
  if (HasName(options.exporter) && !Allows("/etc/resolv.conf", R_OK) &&
      !Allows("/etc/hosts", R_OK)) {
    std::printf(
        "note: exporter.endpoint: names cannot be resolved here, because there is no "
        "/etc/resolv.conf and no /etc/hosts; the plugin resolves it only while it is loaded, if "
        "TRACEKIN_CONFIG is set\n");
  }
  return problem;
}

/// Runs PrintProblems() in a child process, as the host's user and below its root folder. Returns
/// whether there is a problem.
bool CheckHost(const tracekin::Options& options, const CheckOptions& check) {
  std::vector<std::string> seen;
  for (const NamedPath& named : PathsOf(options)) {
    if (WhyUnusable(named).empty()) seen.push_back(named.path);
  }
  const passwd* user = FindUser(check.user);
  std::fflush(stdout);
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) {
    int status = kTrouble;
    try {
      Enter(check.root, user);
      status = PrintProblems(options, seen) ? kNothingFound : kFound;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "check: %s\n", error.what());
    }
    std::fflush(stdout);
    _exit(status);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) == kTrouble) {
    throw std::runtime_error("cannot check the host; --user and --chroot need root");
  }
  return WEXITSTATUS(status) == kNothingFound;
}

std::string Listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "nothing" : text;
}

bool HasNoPath(const ExporterOptions& exporter) {
  const std::string_view path = configuration::UrlPath(exporter.endpoint);
  return !exporter::FormatOf(exporter)->path.empty() && !exporter.endpoint.empty() &&
         (path.empty() || path == "/");
}

void PrintWords(const tracekin::Options& options) {
  const auto print = [](const char* what, const std::string& words) {
    std::printf("%-12s%s\n", what, words.c_str());
  };
  print("service", ForTerminal(options.service_name));
  print("spans to", configuration::DescribeDestination(options.exporter));
  if (HasNoPath(options.exporter)) {
    std::printf("note: exporter.endpoint has no path; Zipkin's is %s\n",
                std::string(exporter::FormatOf(options.exporter)->path).c_str());
  }
  print("sampler", configuration::DescribeSampler(options.sampler));
  print("writes", Listed(options.propagation.inject));
  print("reads", Listed(options.propagation.extract));
  print("LTTng", options.ust.enabled ? "records " + options.ust.spans + " spans" : "off");
  if (configuration::SendsCredentialsInClear(options.exporter)) {
    std::printf("note: credentials are sent unencrypted over http:// to another machine\n");
  }
}

void PrintUnknownVariables() {
  for (const std::string& warning : configuration::UnknownVariables()) {
    std::printf("note: %s\n", warning.c_str());
  }
}

/// Returns why no tracer can be made: a module is missing, or rejects its options.
std::string ModuleFault(const tracekin::Options& options) {
  if (!exporter::DestinationOf(options.exporter).sends()) return {};
  try {
    exporter::MakeExporter(options.exporter, exporter::ResourceOf(options),
                           [](LogLevel, const std::string&) {});
    return {};
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

int Run(const CheckOptions& check) {
  tracekin::Options options;
  std::string error = configuration::ReadConfigurationFile(check.file, &options);
  if (error.empty()) {
    configuration::MakePathsAbsolute(&options);
    error = ModuleFault(options);
    if (!error.empty()) error = check.file + ": " + error;
  }
  if (!error.empty()) {
    std::fprintf(stderr, "check: %s\n", ForTerminal(error).c_str());
    return kTrouble;
  }
  if (check.json) {
    std::puts(PrintConfiguration(options).c_str());
  } else {
    PrintWords(options);
    PrintUnknownVariables();
  }
  const bool problem = CheckHost(options, check);
  const bool asked = !check.user.empty() || !check.root.empty();
  return problem && asked ? kNothingFound : kFound;
}

std::function<int()> Add(CLI::App* app) {
  const auto options = std::make_shared<CheckOptions>();
  app->footer(
      "The exit status is 2 if the configuration is invalid. With --user or --chroot it is 1 if\n"
      "something cannot work in such a host. Environment variables apply.\n"
      "Examples:\n"
      "  tracekin check /etc/haproxy/tracekin.json\n"
      "  tracekin check --user haproxy --chroot /var/lib/haproxy /etc/haproxy/tracekin.json");
  app->add_option("FILE", options->file, "The configuration, in JSON")->required()->type_name("");
  app->add_option("--user", options->user, "The user as which the host runs")->type_name("USER");
  app->add_option("--chroot", options->root, "The root folder to which the host changes")
      ->type_name("FOLDER");
  app->add_flag("--json", options->json, "Print the effective configuration as JSON");
  return [options] { return Run(*options); };
}

}  // namespace

const Subcommand kCheck = {"check", "Check a configuration", Add};

}  // namespace tracekin::tools
