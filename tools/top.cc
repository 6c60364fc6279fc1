// SPDX-License-Identifier: Apache-2.0
// Implements `tracekin top`, which sums up the time of spans by operation.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string_view>

#include "analysis/contrast.h"
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
  std::string causes = "share";
  bool blockers = false;
  std::size_t limit = 0;
};

constexpr std::string_view kTagPrefix = "tag:";

analysis::GroupKey KeyOf(const std::string& by, const analysis::Engine& engine) {
  if (by == "service") return analysis::ByService(engine);
  if (by == "thread") return analysis::ByThread(engine);
  if (by.rfind(kTagPrefix, 0) == 0) return ByTag(engine, by.substr(kTagPrefix.size()));
  return analysis::ByOperation(engine);
}

void Sort(const std::string& by, std::vector<analysis::Group>* groups) {
  if (by == "total") return;
  const auto rank = [&](const analysis::Group& group) -> analysis::Time {
    if (by == "count") return group.durations.size();
    return group.Quantile(by == "max" ? 1 : by == "p99" ? 0.99 : 0.95);
  };
  std::stable_sort(groups->begin(), groups->end(),
                   [&](const auto& a, const auto& b) { return rank(a) > rank(b); });
}

report::CauseColumns ColumnsOf(const std::string& causes) {
  if (causes == "p50") return report::CauseColumns::kP50;
  if (causes == "p95") return report::CauseColumns::kP95;
  if (causes == "p99") return report::CauseColumns::kP99;
  if (causes == "max") return report::CauseColumns::kMax;
  return report::CauseColumns::kShare;
}

// Shortens `items` to the limit and returns whether there are any.
template <typename Item>
bool Limit(std::size_t limit, std::vector<Item>* items) {
  if (limit != 0 && limit < items->size()) items->erase(items->begin() + limit, items->end());
  return !items->empty();
}

bool PrintBlockers(const Options& options, const analysis::Engine& engine,
                   const std::vector<analysis::SpanIndex>& spans) {
  std::vector<analysis::Explained> explained;
  ExplainAll(engine, spans, [&](analysis::SpanIndex span, const analysis::Explanation& why) {
    explained.push_back(analysis::DirectParts(span, why));
  });
  auto blockers = FindBlockers(engine, explained);
  constexpr std::size_t kMostForPeople = 20;
  const std::size_t most = options.question.json ? 0 : kMostForPeople;
  if (!Limit(options.limit == 0 ? most : options.limit, &blockers)) return false;
  if (options.question.json) {
    for (const auto& each : blockers) std::fputs(report::BlockingJson(each).c_str(), stdout);
  } else {
    std::fputs(report::Blockers(blockers, StyleFor(options.question)).c_str(), stdout);
  }
  return true;
}

bool PrintGroups(const Options& options, const analysis::Engine& engine,
                 const std::vector<analysis::SpanIndex>& spans) {
  analysis::Groups all(engine, KeyOf(options.by, engine));
  ExplainAll(engine, spans, [&](analysis::SpanIndex span, const analysis::Explanation& why) {
    all.Add(span, why);
  });
  auto groups = all.Take();
  Sort(options.sort, &groups);
  if (!Limit(options.limit, &groups)) return false;
  if (options.question.json) {
    for (const auto& group : groups) std::fputs(report::GroupJson(group).c_str(), stdout);
  } else {
    const report::Style style = StyleFor(options.question);
    std::fputs(report::Top(groups, ColumnsOf(options.causes), style).c_str(), stdout);
  }
  return true;
}

int Run(Options options) {
  const auto folders = TakeFolders(&options.question);
  RefuseWords(options.question);
  const auto engine = ReadRecording(folders);
  const auto spans = SelectSpans(options.question, *engine);
  const bool found = options.blockers ? PrintBlockers(options, *engine, spans)
                                      : PrintGroups(options, *engine, spans);
  return found ? kFound : kNothingFound;
}

bool IsGrouping(const std::string& by) {
  return by == "operation" || by == "service" || by == "thread" ||
         (by.size() > kTagPrefix.size() && by.rfind(kTagPrefix, 0) == 0);
}

std::function<int()> Add(CLI::App* app) {
  const auto options = std::make_shared<Options>();
  app->footer(
      "The columns of causes show shares of the total time, or with --causes the time per span\n"
      "in ms. Examples:\n"
      "  tracekin top slow\n"
      "  tracekin top --by tag:http.status_code --causes p99\n"
      "  tracekin top --blockers --operation order");
  app->add_option("--by", options->by, "Group by operation, service, thread or tag:KEY")
      ->type_name("WHAT")
      ->check([](const std::string& by) {
        return IsGrouping(by) ? "" : by + " is not operation, service, thread or tag:KEY";
      });
  app->add_option("-s,--sort", options->sort, "Sort by total, count, p95, p99 or max")
      ->type_name("ORDER")
      ->check(CLI::IsMember({"total", "count", "p95", "p99", "max"}).description(""));
  app->add_option("--causes", options->causes, "Show causes by share, p50, p95, p99 or max")
      ->type_name("WHAT")
      ->check(CLI::IsMember({"share", "p50", "p95", "p99", "max"}).description(""));
  app->add_flag("--blockers", options->blockers, "Show which threads made spans wait");
  app->add_option("-n,--limit", options->limit, "Print at most N lines")
      ->type_name("N")
      ->check(CLI::PositiveNumber.description(""));
  AddQuestion(app, "The recordings (default: the newest ./tracekin-*)", &options->question);
  return [options] { return Run(*options); };
}

}  // namespace

const Subcommand kTop = {"top", "Show where the time of all spans went, by operation", Add};

}  // namespace tracekin::tools
