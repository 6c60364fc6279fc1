// SPDX-License-Identifier: Apache-2.0
// Implements Why(). Adds up the parts that have the same phrase and explain the same phrase.
#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "analysis/selection.h"
#include "report/describe.h"
#include "report/format.h"
#include "report/text.h"

namespace tracekin::report {

namespace {

using analysis::Engine;
using analysis::Explanation;
using analysis::Part;
using analysis::SpanRecord;
using analysis::Time;

constexpr std::size_t kMaxLines = 6;   // limit below one phrase; another line sums up the rest
constexpr Time kMinShare = 100;        // a phrase below another needs 1/kMinShare of the span
constexpr std::size_t kMaxDepth = 12;  // only the JSON output contains deeper parts

struct Phrase {
  Time total = 0;
  Tint tint = Tint::kNone;
  std::map<std::string, std::unique_ptr<Phrase>> below;
};

void AddTo(Phrase* phrase, const char* words, Time time) {
  if (time == 0) return;
  auto& below = phrase->below[words];
  if (below == nullptr) below = std::make_unique<Phrase>();
  below->total += time;
}

// Converts the parts to a tree of phrases.
Phrase AddUp(const Engine& engine, const std::vector<Part>& parts) {
  Phrase root;
  std::vector<Phrase*> path = {&root};
  for (const Part& part : parts) {
    if (part.depth >= kMaxDepth) continue;
    path.resize(part.depth + 1u);
    auto& phrase = path.back()->below[Describe(engine, part)];
    if (phrase == nullptr) phrase = std::make_unique<Phrase>();
    phrase->tint = TintOf(LookOf(part.cause));
    phrase->total += part.length();
    path.push_back(phrase.get());
    const analysis::DiskTime disk = DiskTimeOf(engine.timelines(), part);
    AddTo(phrase.get(), "in the kernel's queue", disk.queue);
    AddTo(phrase.get(), "in the device", disk.service);
  }
  return root;
}

// Breaks `words` at spaces into lines of at most `columns` columns, if that is possible. All lines
// but the first begin with `indent` spaces.
std::string Wrapped(const std::string& words, std::size_t columns, std::size_t indent) {
  std::string text;
  std::size_t used = 0;
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    const std::string word = words.substr(at, end - at);
    if (used > 0 && used + 1 + Columns(word) > columns) {
      text += '\n' + std::string(indent, ' ');
      used = 0;
    } else if (used > 0) {
      text += ' ';
      ++used;
    }
    text += word;
    used += Columns(word);
    at = end + 1;
  }
  return text;
}

// Formats a line: a duration, its share of `whole`, and the words that describe it.
std::string Line(Time time, Time whole, std::size_t depth, const std::string& words,
                 const Style& style, Tint tint = Tint::kNone) {
  constexpr std::size_t kDuration = 12, kPercent = 9, kGap = 2, kFewest = 20;
  const std::string duration = Duration(time), percent = Percent(time, whole);
  const std::size_t indent = kDuration + kPercent + kGap + 2 * depth;
  const std::size_t columns =
      style.width == 0 ? words.size() : std::max(style.width, indent + kFewest) - indent;
  return std::string(kDuration - std::min(kDuration, Columns(duration)), ' ') + duration +
         std::string(kPercent - std::min(kPercent, percent.size()), ' ') + percent +
         std::string(kGap + 2 * depth, ' ') + Tinted(Wrapped(words, columns, indent), tint, style) +
         '\n';
}

void Print(const Phrase& phrase, Time whole, std::size_t depth, const Style& style,
           std::string* text) {
  using Entry = std::pair<const std::string, std::unique_ptr<Phrase>>;
  std::vector<const Entry*> entries;
  for (const Entry& below : phrase.below) entries.push_back(&below);
  std::stable_sort(entries.begin(), entries.end(), [](const Entry* a, const Entry* b) {
    return a->second->total > b->second->total;
  });
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const bool small = depth > 0 && entries[i]->second->total < whole / kMinShare;
    if (small && i == 0) return;  // the line above has the sum
    if (small || (i + 1 == kMaxLines && entries.size() > kMaxLines)) {
      Time rest = 0;
      for (std::size_t j = i; j < entries.size(); ++j) rest += entries[j]->second->total;
      const std::size_t count = entries.size() - i;
      *text += Line(
          rest, whole, depth,
          "and " + std::to_string(count) + (count == 1 ? " other cause" : " other causes"), style);
      return;
    }
    const Phrase& below = *entries[i]->second;
    *text += Line(below.total, whole, depth, entries[i]->first, style, below.tint);
    Print(below, whole, depth + 1, style, text);
  }
}

// Lists the span's own time and its longest children. Children may overlap each other and may end
// after the span.
std::string Children(const Engine& engine, const SpanRecord& span, const Explanation& why,
                     const Style& style) {
  std::string text = Line(why.own, span.duration(), 0, "own time", style);
  const auto longest = analysis::Slowest(engine.spans(), span.children, kMaxLines);
  for (const analysis::SpanIndex child : longest) {
    text += Line(engine.spans()[child].duration(), span.duration(), 0,
                 "child " + SpanName(engine, child) + ' ' + ShortSpanId(engine, child), style);
  }
  const std::size_t rest = span.children.size() - longest.size();
  if (rest > 0) text += "and " + std::to_string(rest) + " shorter children\n";
  return text;
}

std::string Threads(const Engine& engine, const SpanRecord& span, const Explanation& why) {
  switch (why.basis) {
    case analysis::Basis::kScopes: {
      std::vector<analysis::ThreadIndex> threads;
      for (const auto& scope : span.scopes) threads.push_back(scope.thread);
      std::sort(threads.begin(), threads.end());
      threads.erase(std::unique(threads.begin(), threads.end()), threads.end());
      if (threads.size() != 1) return std::to_string(threads.size()) + " threads";
      return "thread " + ThreadName(engine, threads[0]);
    }
    case analysis::Basis::kThread:
      return "thread " +
             ThreadName(engine, analysis::IsThread(span.finish_thread) ? span.finish_thread
                                                                       : span.start_thread) +
             " (it has no scopes)";
    case analysis::Basis::kFinish:
      return "finished by thread " + ThreadName(engine, span.finish_thread) +
             ", started by another (it has no scopes)";
    default:
      return "no thread known";
  }
}

}  // namespace

std::string Why(const Engine& engine, analysis::SpanIndex index, const Style& style) {
  const SpanRecord& span = engine.spans()[index];
  const Explanation why = engine.Why(index);
  std::string text = Tinted(SpanName(engine, index) + ", " + Duration(span.duration()) + ", " +
                                Threads(engine, span, why),
                            Tint::kBold, style) +
                     '\n';
  text += "trace " + analysis::TraceIdText(span.ids) + ", span " +
          analysis::SpanIdText(span.ids.span) + (span.error ? ", with an error" : "") + '\n';
  if (!span.finish_seen) text += "its finish was not recorded: told until the recording ended\n";
  if (!span.start_seen) text += "its start was not recorded: told by its duration\n";
  if (!span.children.empty()) text += Children(engine, span, why, style) + "by causes:\n";
  Print(AddUp(engine, why.parts), span.duration(), 0, style, &text);
  if (why.cut) text += "too many parts: some of what others did meanwhile is left out\n";
  return text;
}

}  // namespace tracekin::report
