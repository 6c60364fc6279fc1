// SPDX-License-Identifier: Apache-2.0
// Implements `tracekin compare`, which shows how the times of operations changed from one recording
// to another, and why.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <stdexcept>

#include "analysis/statistics.h"
#include "report/json.h"
#include "report/text.h"
#include "tools/recording.h"
#include "tools/subcommand.h"

namespace tracekin::tools {

namespace {

std::vector<analysis::Group> Groups(const Question& question, const analysis::Engine& engine) {
  return GroupSpans(engine, SelectSpans(question, engine), analysis::ByOperation(engine));
}

int Run(const Question& question) {
  if (question.words.size() != 2) throw std::runtime_error("name two recordings: BEFORE AFTER");
  const auto before = ReadRecording({question.words[0]}),
             after = ReadRecording({question.words[1]});
  const auto groups_before = Groups(question, *before), groups_after = Groups(question, *after);
  const auto changes = analysis::Compare(groups_before, groups_after);
  if (changes.empty()) return kNothingFound;
  if (question.json) {
    for (const auto& change : changes) std::fputs(report::ChangeJson(change).c_str(), stdout);
  } else {
    std::fputs(report::Comparison(changes, StyleFor(question)).c_str(), stdout);
  }
  return kFound;
}

std::function<int()> Add(CLI::App* app) {
  const auto question = std::make_shared<Question>();
  app->footer(
      "The columns from `mean ms` on show changes of the mean per span, by cause. Example:\n"
      "  tracekin compare good slow --service shop");
  AddQuestion(app, "The two recordings to compare: BEFORE AFTER", question.get());
  return [question] { return Run(*question); };
}

}  // namespace

const Subcommand kCompare = {"compare", "Compare two recordings by operation and cause", Add};

}  // namespace tracekin::tools
