// SPDX-License-Identifier: Apache-2.0
// Implements `tracekin ls`, which lists the traces of a recording, or its spans.
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
  std::string sort = "start";
  std::size_t limit = 0;
};

int Run(Options options) {
  const auto folders = TakeFolders(&options.question);
  RefuseWords(options.question);
  const auto engine = ReadRecording(folders);
  std::vector<analysis::SpanIndex> spans = SelectSpans(options.question, *engine);
  if (spans.empty()) return kNothingFound;
  if (options.question.json) {
    for (const auto span : spans) std::fputs(report::SpanJson(*engine, span).c_str(), stdout);
    return kFound;
  }
  const auto order = options.sort == "start" ? report::Order::kStart : report::Order::kDuration;
  std::fputs(
      report::Traces(*engine, spans, order, options.limit, StyleFor(options.question)).c_str(),
      stdout);
  return kFound;
}

std::function<int()> Add(CLI::App* app) {
  const auto options = std::make_shared<Options>();
  app->footer(
      "With filters, lists only traces with matching spans, and counts only these spans.\n"
      "With --json, prints all matching spans with their tags, logs and scopes. Examples:\n"
      "  tracekin ls slow --sort duration -n 10\n"
      "  tracekin ls --tag http.status_code=500");
  app->add_option("--sort", options->sort, "Sort by start, or by duration, longest first")
      ->type_name("ORDER")
      ->check(CLI::IsMember({"start", "duration"}).description(""));
  app->add_option("-n,--limit", options->limit, "List at most N traces")
      ->type_name("N")
      ->check(CLI::PositiveNumber.description(""));
  AddQuestion(app, "The recordings (default: the newest ./tracekin-*)", &options->question);
  return [options] { return Run(*options); };
}

}  // namespace

const Subcommand kLs = {"ls", "List the traces of a recording", Add};

}  // namespace tracekin::tools
