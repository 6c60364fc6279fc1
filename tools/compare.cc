// SPDX-License-Identifier: Apache-2.0
// Implements `tracekin compare`, which shows how the times of operations changed from one recording
// to another, and why.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>

#include "analysis/contrast.h"
#include "analysis/statistics.h"
#include "report/describe.h"
#include "report/json.h"
#include "report/text.h"
#include "tools/recording.h"
#include "tools/subcommand.h"

namespace tracekin::tools {

namespace {

std::vector<analysis::Group> GroupsOf(const Question& question, const analysis::Engine& engine) {
  analysis::Groups groups(engine, analysis::ByOperation(engine));
  ExplainAll(
      engine, SelectSpans(question, engine),
      [&](analysis::SpanIndex span, const analysis::Explanation& why) { groups.Add(span, why); });
  return groups.Take();
}

int CompareRecordings(const Question& question, const std::string& one, const std::string& other) {
  const auto before = ReadRecording({one}), after = ReadRecording({other});
  const auto groups_before = GroupsOf(question, *before), groups_after = GroupsOf(question, *after);
  const auto changes = analysis::Compare(groups_before, groups_after);
  if (changes.empty()) return kNothingFound;
  if (question.json) {
    for (const auto& change : changes) std::fputs(report::ChangeJson(change).c_str(), stdout);
  } else {
    std::fputs(report::Comparison(changes, StyleFor(question)).c_str(), stdout);
  }
  return kFound;
}

using Operations = std::map<std::pair<std::string, std::string>, std::vector<analysis::Explained>>;

Operations ExplainByOperation(const Question& question, const analysis::Engine& engine) {
  Operations operations;
  const analysis::GroupKey key = analysis::ByOperation(engine);
  ExplainAll(engine, SelectSpans(question, engine),
             [&](analysis::SpanIndex span, const analysis::Explanation& why) {
               operations[key(span)].push_back(analysis::DirectParts(span, why));
             });
  return operations;
}

int CompareSlowAndFast(const Question& question, const std::string& folder) {
  const auto engine = ReadRecording({folder});
  const auto phraser = [&](const analysis::Part& part) {
    return report::DescribeKind(*engine, part);
  };
  std::vector<analysis::Contrast> contrasts;
  for (auto& [operation, spans] : ExplainByOperation(question, *engine)) {
    contrasts.push_back(CompareSlow(*engine, std::move(spans), phraser));
  }
  std::stable_sort(contrasts.begin(), contrasts.end(), [](const auto& a, const auto& b) {
    return a.slow_mean - a.fast_mean > b.slow_mean - b.fast_mean;
  });
  for (const analysis::Contrast& contrast : contrasts) {
    if (question.json) {
      std::fputs(report::ContrastJson(contrast).c_str(), stdout);
      continue;
    }
    if (&contrast != contrasts.data()) std::puts("");
    std::fputs(report::SlowAndFast(contrast, StyleFor(question)).c_str(), stdout);
  }
  return contrasts.empty() ? kNothingFound : kFound;
}

int Run(Question question) {
  const std::vector<std::string> folders = TakeFolders(&question);
  RefuseWords(question);
  if (folders.size() > 2) throw std::runtime_error("name one recording, or two: BEFORE AFTER");
  return folders.size() == 2 ? CompareRecordings(question, folders[0], folders[1])
                             : CompareSlowAndFast(question, folders[0]);
}

std::function<int()> Add(CLI::App* app) {
  const auto question = std::make_shared<Question>();
  app->footer(
      "For two recordings, the columns from `mean ms` on show changes of the mean per span. For\n"
      "one recording, compares the slowest twentieth of an operation with its faster half.\n"
      "Examples:\n"
      "  tracekin compare good slow --service shop\n"
      "  tracekin compare slow --operation order");
  AddQuestion(app, "One recording (default: the newest ./tracekin-*), or two: BEFORE AFTER",
              question.get());
  return [question] { return Run(*question); };
}

}  // namespace

const Subcommand kCompare = {"compare", "Compare slow spans with fast ones, or two recordings",
                             Add};

}  // namespace tracekin::tools
