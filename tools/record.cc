// SPDX-License-Identifier: Apache-2.0
// Implements `tracekin record`, which records kernel events and tracekin's events in an LTTng
// session.
#include <sys/statvfs.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "base/terminal.h"
#include "tools/record/output_folder.h"
#include "tools/record/plan.h"
#include "tools/record/program.h"
#include "tools/record/session.h"
#include "tools/record/summary.h"
#include "tools/subcommand.h"

namespace tracekin::record {

namespace {

using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kProgressInterval{500};
constexpr int kNotFound = 127;  // the exit status that shells use
// LTTng's consumer does not report a full disk. It loses the events that it cannot write.
constexpr std::uintmax_t kLeastFreeBytes = 64 << 20;
constexpr double kLongestS = 1e9;  // 31 years
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
void Await(const Options& options, const Session& session, Program* program) {
  const Clock::time_point start = Clock::now();
  bool asked = false;
  for (;;) {
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (options.duration_s > 0 && seconds >= options.duration_s) return EndProgress();
    ShowProgress(seconds, options, session);
    if (!options.snapshot && DiskIsFull(options.output)) {
      EndProgress();
      std::fprintf(stderr, "record: the disk is full; the recording was stopped\n");
      return;
    }
    auto wait = kProgressInterval;
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

CLI::Validator Duration() {
  const auto check = [](const std::string& text) {
    double seconds = 0;
    const bool good =
        CLI::detail::lexical_cast(text, seconds) && seconds > 0 && seconds <= kLongestS;
    return good ? std::string() : "expected more than 0 and up to a billion seconds, found " + text;
  };
  return CLI::Validator(check, "");
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
  const std::string folder = fs::absolute(output).lexically_normal().string();
  const auto is_control = [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; };
  if (std::any_of(folder.begin(), folder.end(), is_control)) {
    throw RecordError("the folder " + ForTerminal(folder) + " has control characters in its name.");
  }
  return folder;
}

int Run(Options options) {
  options.output = AbsoluteFolder(options.output.empty() ? "tracekin-" + Now() : options.output);
  const std::string name = "tracekin-" + Now() + "-" + std::to_string(getpid());
  if (options.dry_run) {
    for (const std::string& command : LttngCommands(MakePlan(options, name))) {
      std::puts(command.c_str());
    }
    return 0;
  }
  options.output = PrepareOutputFolder(options.output);
  const Plan plan = MakePlan(options, name);
  NoticeEndsOfChildren();
  EnsureDaemon();  // before Program changes anything that the daemon would inherit
  Program program;
  Session session(plan);
  if (!options.command.empty() && !program.Start(options.command)) return kNotFound;
  Await(options, session, &program);
  session.Finish();
  if (options.summary) {
    std::fputs(Describe(Summarize(options.output), options.buffer_bytes).c_str(), stderr);
  }
  std::fprintf(stderr, "record: the trace is in %s\n", ForTerminal(options.output).c_str());
  return program.status();
}

std::function<int()> Add(CLI::App* app) {
  const auto options = std::make_shared<Options>();
  app->footer(
      "The exit status is that of COMMAND. Examples:\n"
      "  tracekin record -- ./server --port 8080\n"
      "  sudo tracekin record --kernel -o /tmp/slow --duration 10 --pid 4711\n"
      "Open the folder in Trace Compass, or read it with babeltrace2(1).");
  app->add_flag("-k,--kernel", options->kernel,
                "Also record kernel events (as root or in group tracing)");
  app->add_flag("-s,--snapshot", options->snapshot,
                "Keep only the last events, in memory, and write them at the end");
  app->add_option("-o,--output", options->output, "Folder for the trace")
      ->type_name("FOLDER")
      ->default_str("./tracekin-DATE-TIME");
  app->add_option("-p,--pid", options->pids,
                  "Record the spans of these processes only, but all kernel events")
      ->type_name("PID")
      ->delimiter(',');
  app->add_option("-d,--duration", options->duration_s, "Stop after this many seconds")
      ->type_name("SECONDS")
      ->check(Duration());
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
