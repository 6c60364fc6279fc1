// SPDX-License-Identifier: Apache-2.0
// Implements `tracekin why`, which explains the time of spans.
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
  const auto engine = ReadRecording(TakeFolder(&options.question));
  const std::vector<analysis::SpanIndex> spans = Choose(options, *engine);
  bool first = true;
  for (const analysis::SpanIndex span : spans) {
    const bool json = options.question.json;
    if (!json && !first) std::puts("");
    first = false;
    std::fputs((json ? report::WhyJson(*engine, span) : report::Why(*engine, span)).c_str(),
               stdout);
  }
  return spans.empty() ? kNothingFound : kFound;
}

std::function<int()> Add(CLI::App* app) {
  const auto options = std::make_shared<Options>();
  app->footer(
      "An ID is that of a span, or of a trace, whose root is meant; its beginning is enough.\n"
      "Without one the slowest span is told of. Examples:\n"
      "  tracekin why slow 68557226\n"
      "  tracekin why slow --service shop --errors --slowest 3\n"
      "  tracekin why slow --all --json");
  app->add_option("--slowest", options->slowest, "The N slowest spans")
      ->type_name("N")
      ->check(CLI::PositiveNumber.description(""));
  app->add_flag("--all", options->all, "All spans; with an ID, all spans of its trace");
  AddQuestion(app, "The recording, if not the newest ./tracekin-*; then an ID, or several",
              &options->question);
  return [options] { return Run(*options); };
}

}  // namespace

const Subcommand kWhy = {"why", "Tell where the time of spans went", Add};

}  // namespace tracekin::tools
