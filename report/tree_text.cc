// SPDX-License-Identifier: Apache-2.0
// Implements Tree(), which draws the spans of a trace over time. Below each span, it draws the
// activity of the span's threads.
#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "analysis/selection.h"
#include "base/terminal.h"
#include "report/format.h"
#include "report/text.h"

namespace tracekin::report {

namespace {

using analysis::Engine;
using analysis::Part;
using analysis::SpanIndex;
using analysis::ThreadIndex;
using analysis::Time;

constexpr std::size_t kNameColumns = 36;
constexpr std::size_t kTimeColumns = 10;
constexpr int kMaxDepth = 64;  // deeper spans are indented like this depth

struct Symbols {
  const char *span, *runs, *ready, *waits, *unknown, *log, *branch, *last, *line;
};
constexpr Symbols kUnicode = {"█", "━", "░", "▒", "·", "◆", "├─", "└─", "│ "};
constexpr Symbols kAscii = {"#", "=", ":", "-", ".", "*", "|-", "`-", "| "};

constexpr std::size_t kLooks = static_cast<std::size_t>(Look::kCount);
constexpr std::size_t kDefaultWidth = 100;

class Drawing {
 public:
  Drawing(const Engine& engine, const std::vector<SpanIndex>& trace, const Style& style)
      : engine_(engine), trace_(trace), style_(style), symbols_(style.ascii ? kAscii : kUnicode) {
    const std::size_t left = kNameColumns + 2 * kTimeColumns + 2;
    const std::size_t width = style.width == 0 ? kDefaultWidth : style.width;
    columns_ = std::max<std::size_t>(width > left ? width - left : 0, 10);
    begin_ = engine.spans()[trace.front()].start;
    end_ = begin_ + 1;
    for (const SpanIndex span : trace) end_ = std::max(end_, engine.spans()[span].end);
  }

  std::string Draw() {
    text_ = "trace " + analysis::TraceIdText(engine_.spans()[trace_.front()].ids) + "  " +
            std::to_string(trace_.size()) + (trace_.size() == 1 ? " span, " : " spans, ") +
            Duration(end_ - begin_) + '\n';
    Row("span, threads", "start", "ms", "", Tint::kBold);
    std::vector<SpanIndex> roots;
    for (const SpanIndex span : trace_) {
      const SpanIndex parent = engine_.spans()[span].parent;
      if (parent == analysis::kNoSpan || !InTrace(parent)) roots.push_back(span);
    }
    DrawAll(roots);
    text_ += Symbol(Look::kRuns) + " on a CPU   " + Symbol(Look::kReady) + " ready, but no CPU   " +
             Symbol(Look::kWaits) + " waits   " + Symbol(Look::kUnknown) + " not known   " +
             symbols_.log + " log\n";
    return std::move(text_);
  }

 private:
  struct Waiting {
    SpanIndex span;
    int depth;
    bool last;
    std::string before;  // the branches of the tree to the left of the span
  };

  bool InTrace(SpanIndex span) const {
    return std::find(trace_.begin(), trace_.end(), span) != trace_.end();
  }

  // Uses an explicit stack instead of recursion, because the depth of a trace is not limited.
  void DrawAll(const std::vector<SpanIndex>& roots) {
    std::vector<Waiting> stack;
    for (std::size_t i = roots.size(); i-- > 0;) stack.push_back({roots[i], 0, true, ""});
    while (!stack.empty()) {
      const Waiting now = stack.back();
      stack.pop_back();
      const auto& children = engine_.spans()[now.span].children;
      std::string below = now.before;
      if (now.depth > 0 && now.depth < kMaxDepth) below += now.last ? "  " : symbols_.line;
      DrawSpan(now, below + (children.empty() ? "  " : symbols_.line));
      for (std::size_t i = children.size(); i-- > 0;) {
        stack.push_back({children[i], now.depth + 1, i + 1 == children.size(), below});
      }
    }
  }

  void DrawSpan(const Waiting& now, const std::string& below) {
    const analysis::SpanRecord& span = engine_.spans()[now.span];
    const std::string branch = now.depth == 0 ? "" : now.last ? symbols_.last : symbols_.branch;
    const std::string error = span.error ? " (error)" : "";
    Row(now.before + branch + SpanName(engine_, now.span) + error, Offset(span.start),
        Milliseconds(static_cast<double>(span.duration())),
        Bar(span.start, span.end, symbols_.span), span.error ? Tint::kRed : Tint::kBold);
    std::map<ThreadIndex, std::vector<Part>> threads;
    for (const Part& part : engine_.Why(now.span).parts) {
      if (part.depth == 0) threads[part.thread].push_back(part);
    }
    for (const auto& [thread, parts] : threads) {
      Time time = 0;
      for (const Part& part : parts) time += part.length();
      Row(below + "  " + ThreadName(engine_, thread), Offset(parts.front().start),
          Milliseconds(static_cast<double>(time)), Looks(parts));
    }
    for (const analysis::SpanLog& log : span.logs) {
      Row(below + "  “" + ForTerminal(log.message) + "”", Offset(log.time), "",
          Bar(log.time, log.time, symbols_.log));
    }
  }

  void Row(const std::string& name, const std::string& start, const std::string& length,
           const std::string& bar, Tint tint = Tint::kNone) {
    const auto right = [](const std::string& text) {
      return std::string(kTimeColumns - std::min(kTimeColumns, text.size()), ' ') + text;
    };
    std::string line = Fit(name, kNameColumns) + right(start) + right(length) + "  " + bar;
    line.erase(line.find_last_not_of(' ') + 1);
    text_ += Tinted(std::move(line), tint, style_) + '\n';
  }

  std::string Offset(Time time) const {
    return Milliseconds(static_cast<double>(time - std::min(time, begin_)));
  }

  std::size_t Column(Time time) const {
    const Time offset = std::min(time, end_) - std::min(time, begin_);
    const double share = static_cast<double>(offset) / static_cast<double>(end_ - begin_);
    return std::min(static_cast<std::size_t>(share * static_cast<double>(columns_)), columns_ - 1);
  }

  std::string Bar(Time from, Time to, const char* symbol) const {
    std::string bar(Column(from), ' ');
    for (std::size_t i = Column(from); i <= Column(to > from ? to - 1 : to); ++i) bar += symbol;
    return bar;
  }

  // Returns a bar that shows in each column the activity that took most of its time.
  std::string Looks(const std::vector<Part>& parts) const {
    std::vector<std::array<Time, kLooks>> columns(columns_);
    const double ns = static_cast<double>(end_ - begin_) / static_cast<double>(columns_);
    for (const Part& part : parts) {
      for (std::size_t i = Column(part.start); i <= Column(part.end - 1); ++i) {
        const Time from = begin_ + static_cast<Time>(ns * static_cast<double>(i));
        const Time to = begin_ + static_cast<Time>(ns * static_cast<double>(i + 1));
        const Time begin = std::max(from, part.start), end = std::min(to, part.end);
        columns[i][static_cast<std::size_t>(LookOf(part.cause))] += end > begin ? end - begin : 1;
      }
    }
    std::string bar;
    for (const auto& column : columns) {
      const auto most = std::max_element(column.begin(), column.end());
      bar += *most == 0 ? " " : Symbol(static_cast<Look>(most - column.begin()));
    }
    return bar;
  }

  std::string Symbol(Look look) const {
    const char* const symbols[kLooks] = {symbols_.runs, symbols_.ready, symbols_.waits,
                                         symbols_.unknown};
    return Tinted(symbols[static_cast<std::size_t>(look)], TintOf(look), style_);
  }

  const Engine& engine_;
  const std::vector<SpanIndex>& trace_;
  const Style style_;
  const Symbols symbols_;
  std::size_t columns_;
  Time begin_, end_;
  std::string text_;
};

}  // namespace

std::string Tree(const Engine& engine, const std::vector<SpanIndex>& trace, const Style& style) {
  return trace.empty() ? "" : Drawing(engine, trace, style).Draw();
}

}  // namespace tracekin::report
