// SPDX-License-Identifier: Apache-2.0
// Implements `tracekin show`, which draws a trace as a tree over time.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "report/json.h"
#include "report/text.h"
#include "tools/recording.h"
#include "tools/subcommand.h"

namespace tracekin::tools {

namespace {

struct Options {
  Question question;
  std::size_t slowest = 1;
  std::size_t width = 0;
  bool ascii = false;
};

// Returns one span of each trace to show.
std::vector<analysis::SpanIndex> Choose(const Options& options, const analysis::Engine& engine) {
  std::vector<analysis::SpanIndex> chosen;
  for (const std::string& word : options.question.words) {
    const analysis::Named named = FindSpan(engine, word);
    if (named.span != analysis::kNoSpan) chosen.push_back(named.span);
  }
  if (!options.question.words.empty()) return chosen;
  const auto spans = SelectSpans(options.question, engine);
  return Roots(engine.spans(), spans, options.slowest);
}

int Run(Options options) {
  const auto engine = ReadRecording(TakeFolders(&options.question));
  const std::vector<analysis::SpanIndex> chosen = Choose(options, *engine);
  report::Style style = StyleFor(options.question);
  style.ascii = options.ascii;
  if (options.width != 0) style.width = options.width;
  for (const analysis::SpanIndex span : chosen) {
    const auto trace = TraceOf(engine->spans(), span);
    if (options.question.json) {
      for (const auto each : trace) std::fputs(report::SpanJson(*engine, each).c_str(), stdout);
    } else {
      if (span != chosen.front()) std::puts("");
      std::fputs(report::Tree(*engine, trace, style).c_str(), stdout);
    }
  }
  return chosen.empty() ? kNothingFound : kFound;
}

std::function<int()> Add(CLI::App* app) {
  const auto options = std::make_shared<Options>();
  app->footer(
      "An ID is the id of a trace or of one of its spans, or a unique prefix.\n"
      "Without an ID, shows the slowest trace. Examples:\n"
      "  tracekin show slow 6855\n"
      "  tracekin show --slowest 3 --ascii");
  app->add_option("--slowest", options->slowest, "Show the N traces with the slowest spans")
      ->type_name("N")
      ->check(CLI::PositiveNumber.description(""));
  app->add_option("--width", options->width, "Width of the output (default: the terminal's)")
      ->type_name("N")
      ->check(CLI::Range(70, 1000).description(""));
  app->add_flag("--ascii", options->ascii, "Draw with ASCII characters");
  AddQuestion(app, "The recordings (default: the newest ./tracekin-*), then IDs",
              &options->question);
  return [options] { return Run(*options); };
}

}  // namespace

const Subcommand kShow = {"show", "Show a trace as a tree over time", Add};

}  // namespace tracekin::tools
