// SPDX-License-Identifier: Apache-2.0
#include "report/format.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "analysis/selection.h"
#include "base/terminal.h"

namespace tracekin::report {

namespace {

using analysis::Engine;
using analysis::Time;

std::string Print(const char* format, double number, const char* unit) {
  char text[64];
  std::snprintf(text, sizeof text, format, number, unit);
  return text;
}

bool ContinuesCharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

std::string Duration(Time ns) {
  const auto number = static_cast<double>(ns);
  if (ns >= 1'000'000'000) return Print("%.3f %s", number / 1e9, "s");
  if (ns >= 1'000'000) return Print("%.3f %s", number / 1e6, "ms");
  if (ns >= 1'000) return Print("%.3f %s", number / 1e3, "µs");
  return std::to_string(ns) + " ns";
}

std::string Milliseconds(double ns) { return Print("%.2f%s", ns / 1e6, ""); }

std::string Percent(Time part, Time whole) {
  const double share = whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
  return Print("%.1f %s", 100 * share, "%");
}

std::string TimeOfDay(Time time) {
  const unsigned long long ms = time / 1'000'000;
  char text[64];
  std::snprintf(text, sizeof text, "%02llu:%02llu:%02llu.%03llu", ms / 3'600'000 % 24,
                ms / 60'000 % 60, ms / 1'000 % 60, ms % 1'000);
  return text;
}

std::string ThreadName(const Engine& engine, analysis::ThreadIndex thread) {
  if (!analysis::IsThread(thread)) return "?";
  const analysis::Thread& known = engine.timelines().threads[thread];
  const std::string_view name = engine.timelines().names[known.name];
  return ForTerminal(name) + '/' + std::to_string(known.tid);
}

std::string SpanName(const Engine& engine, analysis::SpanIndex span) {
  const analysis::Names& names = engine.spans().names();
  const analysis::SpanRecord& record = engine.spans()[span];
  return ForTerminal(names[record.service]) + ": " + ForTerminal(names[record.operation]);
}

std::string ShortSpanId(const Engine& engine, analysis::SpanIndex span) {
  return analysis::SpanIdText(engine.spans()[span].ids.span).substr(0, 8);
}

std::size_t Columns(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !ContinuesCharacter(c); }));
}

std::string Fit(std::string_view text, std::size_t columns) {
  const std::size_t has = Columns(text);
  if (has <= columns) return std::string(text) + std::string(columns - has, ' ');
  std::size_t bytes = 0;
  for (std::size_t left = columns; bytes < text.size(); ++bytes) {
    if (!ContinuesCharacter(text[bytes]) && left-- == 0) break;
  }
  return std::string(text.substr(0, bytes));
}

Look LookOf(analysis::Cause cause) {
  switch (cause) {
    case analysis::Cause::kRunning:
    case analysis::Cause::kInterrupted:
      return Look::kRuns;
    case analysis::Cause::kPreempted:
    case analysis::Cause::kReady:
      return Look::kReady;
    case analysis::Cause::kUnknown:
      return Look::kUnknown;
    default:
      return Look::kWaits;
  }
}

Tint TintOf(Look look) {
  switch (look) {
    case Look::kRuns:
      return Tint::kGreen;
    case Look::kReady:
      return Tint::kYellow;
    case Look::kWaits:
      return Tint::kRed;
    default:
      return Tint::kDim;
  }
}

std::string Table(const std::vector<std::vector<std::string>>& rows,
                  const std::vector<std::size_t>& left, const Style& style) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], Columns(row[i]));
    }
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string space(widths[i] - Columns(row[i]), ' ');
      const bool at_left = std::find(left.begin(), left.end(), i) != left.end();
      line += (i == 0 ? "" : "  ") + (at_left ? row[i] + space : space + row[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += Tinted(std::move(line), text.empty() ? Tint::kBold : Tint::kNone, style) + '\n';
  }
  return text;
}

}  // namespace tracekin::report
