// SPDX-License-Identifier: Apache-2.0
// Implements `tracekin why`, which explains the time of spans.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "report/json.h"
#include "report/text.h"
#include "tools/parallel.h"
#include "tools/recording.h"
#include "tools/subcommand.h"

namespace tracekin::tools {

namespace {

struct Options {
  Question question;
  std::size_t slowest = 1;
  bool all = false;
};

// Returns the spans that the ids name. Without ids, returns the spans that match the filters, the
// slowest first.
std::vector<analysis::SpanIndex> Choose(const Options& options, const analysis::Engine& engine) {
  std::vector<analysis::SpanIndex> chosen;
  for (const std::string& word : options.question.words) {
    const analysis::Named named = FindSpan(engine, word);
    if (named.span == analysis::kNoSpan) continue;
    if (!options.all || !named.is_trace) {
      chosen.push_back(named.span);
    } else {
      for (const auto span : TraceOf(engine.spans(), named.span)) chosen.push_back(span);
    }
  }
  if (!options.question.words.empty()) return chosen;
  chosen = SelectSpans(options.question, engine);
  return options.all ? chosen : Slowest(engine.spans(), chosen, options.slowest);
}

int Run(Options options) {
  const auto engine = ReadRecording(TakeFolders(&options.question));
  const std::vector<analysis::SpanIndex> spans = Choose(options, *engine);
  const report::Style style = StyleFor(options.question);
  const bool json = options.question.json;
  Progress progress("explaining");
  InOrder(
      spans.size(), &progress,
      [&](std::size_t i) {
        return json ? report::WhyJson(*engine, spans[i]) : report::Why(*engine, spans[i], style);
      },
      [&](std::size_t i, const std::string& text) {
        if (!json && i > 0) std::puts("");
        std::fputs(text.c_str(), stdout);
      });
  return spans.empty() ? kNothingFound : kFound;
}

std::function<int()> Add(CLI::App* app) {
  const auto options = std::make_shared<Options>();
  app->footer(
      "An ID is the id of a span or a trace, or a unique prefix. A trace stands for its root.\n"
      "Without an ID, explains the slowest span. Examples:\n"
      "  tracekin why slow 68557226\n"
      "  tracekin why slow --service shop --errors --slowest 3\n"
      "  tracekin why slow --all --json");
  app->add_option("--slowest", options->slowest, "Explain the N slowest spans")
      ->type_name("N")
      ->check(CLI::PositiveNumber.description(""));
  app->add_flag("--all", options->all, "Explain all spans; with an ID, all spans of its trace");
  AddQuestion(app, "The recordings (default: the newest ./tracekin-*), then IDs",
              &options->question);
  return [options] { return Run(*options); };
}

}  // namespace

const Subcommand kWhy = {"why", "Show where the time of spans went", Add};

}  // namespace tracekin::tools
