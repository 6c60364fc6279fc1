// SPDX-License-Identifier: Apache-2.0
// Implements `tracekin top`, which sums up the time of spans by operation.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>

#include "analysis/statistics.h"
#include "report/json.h"
#include "report/text.h"
#include "tools/recording.h"
#include "tools/subcommand.h"

namespace tracekin::tools {

namespace {

struct Options {
  Question question;
  std::string by = "operation";
  std::string sort = "total";
  std::size_t limit = 0;
};

analysis::GroupKey KeyOf(const std::string& by, const analysis::Engine& engine) {
  if (by == "service") return analysis::ByService(engine);
  if (by == "thread") return analysis::ByThread(engine);
  return analysis::ByOperation(engine);
}

void Sort(const std::string& by, std::vector<analysis::Group>* groups) {
  if (by == "total") return;
  const auto rank = [&](const analysis::Group& group) -> analysis::Time {
    return by == "count" ? group.durations.size() : group.Quantile(by == "max" ? 1 : 0.95);
  };
  std::stable_sort(groups->begin(), groups->end(),
                   [&](const auto& a, const auto& b) { return rank(a) > rank(b); });
}

int Run(Options options) {
  const auto folders = TakeFolders(&options.question);
  RefuseWords(options.question);
  const auto engine = ReadRecording(folders);
  auto groups =
      GroupSpans(*engine, SelectSpans(options.question, *engine), KeyOf(options.by, *engine));
  if (groups.empty()) return kNothingFound;
  Sort(options.sort, &groups);
  if (options.limit != 0 && options.limit < groups.size()) groups.resize(options.limit);
  if (options.question.json) {
    for (const auto& group : groups) std::fputs(report::GroupJson(group).c_str(), stdout);
  } else {
    std::fputs(report::Top(groups, StyleFor(options.question)).c_str(), stdout);
  }
  return kFound;
}

std::function<int()> Add(CLI::App* app) {
  const auto options = std::make_shared<Options>();
  app->footer(
      "Shares are relative to the total. Examples:\n"
      "  tracekin top slow\n"
      "  tracekin top --by thread --sort p95");
  app->add_option("--by", options->by, "Group by operation, service or thread")
      ->type_name("WHAT")
      ->check(CLI::IsMember({"operation", "service", "thread"}).description(""));
  app->add_option("-s,--sort", options->sort, "Sort by total, count, p95 or max, largest first")
      ->type_name("ORDER")
      ->check(CLI::IsMember({"total", "count", "p95", "max"}).description(""));
  app->add_option("-n,--limit", options->limit, "Print at most N lines")
      ->type_name("N")
      ->check(CLI::PositiveNumber.description(""));
  AddQuestion(app, "The recordings (default: the newest ./tracekin-*)", &options->question);
  return [options] { return Run(*options); };
}

}  // namespace

const Subcommand kTop = {"top", "Show where the time of all spans went, by operation", Add};

}  // namespace tracekin::tools
