// SPDX-License-Identifier: Apache-2.0
#include "tools/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <functional>
#include <iostream>
#include <string>
#include <string_view>

#include "base/edit_distance.h"
#include "base/terminal.h"
#include "tools/completion.h"

namespace tracekin::tools {

namespace {

constexpr std::size_t kOptionsWidth = 28;
constexpr const char* kComplete = "__complete";

// Returns the name that begins with `word` or differs from it by at most two characters, or "" if
// there is none.
std::string NearestName(const std::vector<Subcommand>& subcommands, const std::string& word) {
  std::string nearest;
  std::size_t nearest_distance = std::min<std::size_t>(3, word.size());
  for (const Subcommand& subcommand : subcommands) {
    const std::string_view name = subcommand.name;
    const std::size_t distance = name.substr(0, word.size()) == word ? 1 : EditDistance(word, name);
    if (distance >= nearest_distance) continue;
    nearest = name;
    nearest_distance = distance;
  }
  return nearest;
}

int UnknownSubcommand(const std::vector<Subcommand>& subcommands, const std::string& word) {
  const std::string nearest = NearestName(subcommands, word);
  std::fprintf(stderr, "tracekin: there is no subcommand %s%s\n", ForTerminal(word).c_str(),
               nearest.empty() ? "; `tracekin --help` lists them"
                               : ("; did you mean " + nearest + "?").c_str());
  return kTrouble;
}

// CLI11 also reports --help and --version as errors. The message of a real error contains words of
// the command line, which may be untrusted input of a script.
int Exit(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return app.exit(error);
  const std::vector<const CLI::App*> chosen =
      app.get_subcommands([](const CLI::App* subcommand) { return subcommand->parsed(); });
  const std::string command =
      app.get_name() + (chosen.empty() ? "" : " " + chosen.front()->get_name());
  std::fprintf(stderr, "%s: %s; see `%s --help`\n", command.c_str(),
               ForTerminal(error.what()).c_str(), command.c_str());
  return kTrouble;
}

int Run(const std::string& name, const std::function<int()>& run) {
  try {
    return run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), error.what());
    return kTrouble;
  }
}

}  // namespace

int RunCommandLine(const std::vector<Subcommand>& subcommands, int argc, const char* const* argv) {
  CLI::App app("Tools for tracekin's spans and their LTTng events.", "tracekin");
  app.get_formatter()->column_width(kOptionsWidth);
  app.set_help_flag("-h,--help", "Print this help");
  app.set_version_flag("--version", "tracekin " TRACEKIN_VERSION, "Print the version");
  app.require_subcommand(1);
  std::vector<std::function<int()>> runs;
  runs.reserve(subcommands.size());
  for (const Subcommand& subcommand : subcommands) {
    runs.push_back(subcommand.add(app.add_subcommand(subcommand.name, subcommand.summary)));
  }
  if (argc < 2) {
    std::cerr << app.help();
    return kTrouble;
  }
  const std::string first = argv[1];
  if (first == kComplete) {
    std::cout << Complete(app, {argv + 2, argv + argc});
    return kFound;
  }
  const auto is_first = [&](const Subcommand& each) { return first == each.name; };
  if (first.rfind('-', 0) != 0 && std::none_of(subcommands.begin(), subcommands.end(), is_first)) {
    return UnknownSubcommand(subcommands, first);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return Exit(app, error);
  }
  const auto chosen = std::find_if(subcommands.begin(), subcommands.end(),
                                   [&](const auto& each) { return app.got_subcommand(each.name); });
  return Run(chosen->name, runs[static_cast<std::size_t>(chosen - subcommands.begin())]);
}

}  // namespace tracekin::tools
