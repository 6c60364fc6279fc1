// SPDX-License-Identifier: Apache-2.0
// Implements `tracekin record`, which records kernel events and tracekin's events in an LTTng
// session.
#include <sys/statvfs.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/terminal.h"
#include "tools/record/account.h"
#include "tools/record/announcement.h"
#include "tools/record/duration.h"
#include "tools/record/output_folder.h"
#include "tools/record/plan.h"
#include "tools/record/program.h"
#include "tools/record/session.h"
#include "tools/record/summary.h"
#include "tools/record/watch.h"
#include "tools/subcommand.h"

namespace tracekin::record {

namespace {

using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kProgressInterval{500};
constexpr const char* kCaller = "$SUDO_USER";  // --user without a name
constexpr int kNotFound = 127;                 // the exit status that shells use
// LTTng's consumer does not report a full disk. It loses the events that it cannot write.
constexpr std::uintmax_t kLeastFreeBytes = 64 << 20;
constexpr std::uint64_t kMostBufferBytes = std::uint64_t{1} << 40;

std::string Now() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  char text[32];
  std::strftime(text, sizeof text, "%Y%m%d-%H%M%S", &local);
  return text;
}

std::uintmax_t BytesBelow(const std::string& folder) {
  std::uintmax_t bytes = 0;
  std::error_code error;  // files may appear and vanish
  for (auto entry = fs::recursive_directory_iterator(folder, error);
       !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code ignored;
    const std::uintmax_t size = entry->is_regular_file(ignored) ? entry->file_size(ignored) : 0;
    if (!ignored) bytes += size;
  }
  return bytes;
}

// Shows the progress on a terminal only, because that needs a walk through the folder and queries
// to the session daemon.
void ShowProgress(double seconds, const Options& options, const Session& session) {
  if (isatty(STDERR_FILENO) == 0) return;
  const std::uintmax_t bytes = BytesBelow(options.output);
  const std::uint64_t discarded = session.Discarded();
  std::fprintf(stderr, "\rrecord: %.1f s, %.1f MB, %llu events discarded ", seconds,
               static_cast<double>(bytes) / 1e6, static_cast<unsigned long long>(discarded));
}

void EndProgress() {
  if (isatty(STDERR_FILENO) != 0) std::fputc('\n', stderr);
}

bool DiskIsFull(const std::string& folder) {
  std::error_code error;
  const fs::space_info space = fs::space(folder, error);
  return !error && space.available < kLeastFreeBytes;
}

// Waits until the command ends, the time is over, or a signal arrives. The first signal asks the
// command to end. After a second one, the recording does not wait for the command.
void Await(const Options& options, const Session& session, Program* program, Watch* watch) {
  const Clock::time_point start = Clock::now();
  bool asked = false;
  for (;;) {
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    watch->Look(program->pid());
    if (options.duration_s > 0 && seconds >= options.duration_s) return EndProgress();
    ShowProgress(seconds, options, session);
    if (!options.snapshot && DiskIsFull(options.output)) {
      EndProgress();
      std::fprintf(stderr, "record: the disk is full; the recording was stopped\n");
      return;
    }
    auto wait = std::min(kProgressInterval, watch->interval());
    if (options.duration_s > 0) {
      const std::chrono::duration<double> left(options.duration_s - seconds);
      wait = std::min(wait, std::chrono::ceil<std::chrono::milliseconds>(left));
    }
    const Program::Event event = program->Wait(wait);
    if (event == Program::Event::kEnded) return EndProgress();
    if (event == Program::Event::kSignal) {
      if (asked || options.command.empty()) return EndProgress();
      asked = true;
      program->PassOn();
    }
  }
}

// These validators return "" if the value of an option is valid, and otherwise an error message.

// Turns a duration into seconds.
CLI::Validator Duration() {
  const auto transform = [](std::string& text) {
    const std::optional<double> seconds = ParseDuration(text);
    if (!seconds.has_value()) {
      return "expected a duration such as 500ms, 10s or 1m, up to a billion seconds, found " + text;
    }
    text = CLI::detail::to_string(*seconds);
    return std::string();
  };
  return CLI::Validator(transform, "");
}

CLI::Validator BufferSize() {
  const auto check = [](const std::string& text) {
    std::uint64_t bytes = 0;
    const bool good = CLI::detail::lexical_cast(text, bytes) && bytes <= kMostBufferBytes;
    return good ? std::string() : "expected at most 1T, found " + text + " bytes";
  };
  return CLI::Validator(check, "");
}

// Returns the absolute path. Refuses control characters, because messages would send them to the
// terminal, and the commands of --dry-run to a shell.
std::string AbsoluteFolder(const std::string& output) {
  std::string folder = fs::absolute(output).lexically_normal().string();
  const auto is_control = [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; };
  if (std::any_of(folder.begin(), folder.end(), is_control)) {
    throw RecordError("the folder " + ForTerminal(folder) + " has control characters in its name.");
  }
  return folder;
}

// Returns the user that the command runs as, or nullopt if it is the user who records.
std::optional<Account> UserOf(const Options& options, const std::optional<Account>& caller) {
  if (options.user.empty()) return std::nullopt;
  if (options.user != kCaller) return AccountOf(options.user);
  if (!caller.has_value()) throw RecordError("--user without a name needs sudo.");
  return caller;
}

void RequireProcesses(const std::vector<pid_t>& pids) {
  for (const pid_t pid : pids) {
    if (kill(pid, 0) == 0 || errno != ESRCH) continue;
    throw RecordError("there is no process " + std::to_string(pid) + ".");
  }
}

// Removes the folder of a recording that could not be made, unless something was written there.
struct FolderGuard {
  ~FolderGuard() {
    if (!kept) rmdir(folder.c_str());
  }
  const std::string folder;
  bool kept = false;
};

// Prints the summary and suggests the next commands. Returns whether there are spans.
bool Conclude(const Options& options, const Watch& watch) {
  const Summary summary = Summarize(options.output);
  std::fputs(Describe(summary, options.buffer_bytes).c_str(), stderr);
  if (summary.spans == 0) std::fputs(watch.WhyNoSpans().c_str(), stderr);
  const std::string folder = ForTerminal(options.output);
  std::fprintf(stderr, "record: the trace is in %s\n", folder.c_str());
  if (summary.spans > 0) {
    std::fprintf(stderr, "next: tracekin why %s\n      tracekin top %s\n", folder.c_str(),
                 folder.c_str());
  }
  return summary.spans > 0;
}

int DryRun(const Options& options, const std::string& session) {
  for (const std::string& command : ShellCommands(options, MakePlan(options, session))) {
    std::puts(command.c_str());
  }
  return tools::kFound;
}

// REQUIRES: the output folder is prepared. Removes it if there is no recording and `made` is true.
int Record(const Options& options, const std::string& session_name, bool made,
           const std::optional<Account>& caller, const std::optional<Account>& user) {
  FolderGuard guard{options.output, !made};
  const Plan plan = MakePlan(options, session_name);
  NoticeEndsOfChildren();
  const bool started = EnsureDaemon();  // before Program changes what the daemon would inherit
  Program program;
  Session session(plan);
  guard.kept = true;
  std::fputs(Announcement(options, started, caller ? caller->name : "").c_str(), stderr);
  if (!options.command.empty() && !program.Start(options.command, user)) return kNotFound;
  Watch watch(options.pids);
  Await(options, session, &program, &watch);
  session.Finish();
  const bool found = !options.summary || Conclude(options, watch);
  if (caller.has_value()) GiveOutputFolder(options.output, *caller);
  if (!options.command.empty()) return program.status();
  return found ? tools::kFound : tools::kNothingFound;
}

int Run(Options options) {
  options.output = AbsoluteFolder(options.output.empty() ? "tracekin-" + Now() : options.output);
  const std::string session = "tracekin-" + Now() + "-" + std::to_string(getpid());
  if (options.dry_run) return DryRun(options, session);
  const std::optional<Account> caller = SudoCaller(), user = UserOf(options, caller);
  RequireProcesses(options.pids);
  const bool made = !fs::exists(options.output);
  options.output = PrepareOutputFolder(options.output);
  return Record(options, session, made, caller, user);
}

std::function<int()> Add(CLI::App* app) {
  const auto options = std::make_shared<Options>();
  app->footer(
      "The exit status is the status of COMMAND. Examples:\n"
      "  tracekin record -- ./server --port 8080\n"
      "  sudo tracekin record --kernel --user -- ./server --port 8080\n"
      "  sudo tracekin record --kernel -o /tmp/slow --duration 10s --pid 4711\n"
      "Then ask with `tracekin why`, or open the folder in Trace Compass.");
  app->add_flag("-k,--kernel", options->kernel,
                "Also record kernel events (as root or in group tracing)");
  app->add_option("--profile", options->profile,
                  "Kernel events: those that `why` needs, or all that Trace Compass shows")
      ->type_name("{light,full}")
      ->transform(CLI::CheckedTransformer(std::map<std::string, Profile>{{"light", Profile::kLight},
                                                                         {"full", Profile::kFull}})
                      .description(""))
      ->default_str("light");
  app->add_flag("-s,--snapshot", options->snapshot,
                "Keep only the last events, in memory, and write them at the end");
  app->add_option("-o,--output", options->output, "Folder for the trace")
      ->type_name("FOLDER")
      ->default_str("./tracekin-DATE-TIME");
  app->add_option("-p,--pid", options->pids,
                  "Record the spans of these processes only, but all kernel events")
      ->type_name("PID")
      ->delimiter(',');
  app->add_option("-d,--duration", options->duration_s, "Stop after this time, such as 500ms or 1m")
      ->type_name("TIME")
      ->transform(Duration());
  app->add_option("-b,--buffer-size", options->buffer_bytes,
                  "Size of the event buffer per CPU and domain")
      ->type_name("BYTES")
      ->transform(CLI::AsSizeValue(false).description(""))
      ->check(BufferSize())
      ->default_str("16M");
  app->add_flag_callback(
      "--no-summary", [options] { options->summary = false; },
      "Do not print a summary of the trace");
  app->add_flag("-n,--dry-run", options->dry_run, "Only print the equivalent commands of lttng(1)");
  app->add_option("-u,--user", options->user,
                  "Run COMMAND as this user; without a name, as the user who called sudo")
      ->type_name("NAME")
      ->expected(0, 1)
      ->default_str(kCaller);
  app->add_option("COMMAND", options->command, "The program to run, with its arguments")
      ->type_name("");
  app->positionals_at_end();
  return [options] { return Run(*options); };
}

}  // namespace

}  // namespace tracekin::record

namespace tracekin::tools {

const Subcommand kRecord = {"record", "Record spans and kernel events into a folder", record::Add};

}  // namespace tracekin::tools
