// SPDX-License-Identifier: Apache-2.0
#include "tools/recording.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/number.h"
#include "base/terminal.h"
#include "ctf/source.h"
#include "report/text.h"
#include "tools/parallel.h"
#include "tools/progress.h"

namespace tracekin::tools {

namespace {

namespace fs = std::filesystem;
using analysis::Engine;
using analysis::Time;

constexpr Time kSecond = 1'000'000'000;
constexpr Time kDay = 86'400 * kSecond;

void Say(const std::string& text) {
  std::fprintf(stderr, "tracekin: %s\n", ForTerminal(text).c_str());
}

// A host is known at its first event or earlier.
void TellHosts(const ctf::Found& found, std::size_t* told, Engine* engine) {
  for (; *told < found.hosts.size(); ++*told) {
    const auto host = static_cast<std::uint16_t>(*told);
    const bool kernel =
        std::any_of(found.traces.begin(), found.traces.end(),
                    [&](const ctf::Trace& trace) { return trace.kernel && trace.host == host; });
    engine->SetHost(host, found.hosts[*told].clock, kernel);
  }
}

void SayWhatIsMissing(const ctf::Found& found, const Engine& engine) {
  if (!found.why.empty()) Say("read with libbabeltrace2, which is slower: " + found.why);
  for (const std::string& damage : found.damage) Say(damage);
  const auto say = [](const ctf::Missing& missing, const char* whose) {
    if (missing.discarded > 0) {
      Say(std::to_string(missing.discarded) + " events of " + whose + " were discarded");
    }
    if (missing.discarded_before > 0) {
      Say(std::to_string(missing.discarded_before) + " events of " + whose +
          " were discarded before the first packets");
    }
    if (missing.lost_packets > 0) {
      Say(std::to_string(missing.lost_packets) + " packets of " + whose + " were overwritten");
    }
  };
  say(found.kernel, "the kernel");
  say(found.programs, "programs");
  if (engine.counts().backwards > 0) {
    Say(std::to_string(engine.counts().backwards) +
        " events are earlier than their predecessors: a clock went back");
  }
  const auto refused = engine.counts().segments_refused + engine.counts().threads_refused;
  if (refused > 0) Say("the recording is too large: its end is not analysed");
  const bool kernel = std::any_of(found.traces.begin(), found.traces.end(),
                                  [](const ctf::Trace& trace) { return trace.kernel; });
  if (!kernel) {
    Say("the kernel was not recorded, so thread activities are unknown; use record --kernel");
  }
}

Time Begin(const Engine& engine) {
  Time begin = ~Time{0};
  for (const auto& span : engine.spans().all()) begin = std::min(begin, span.start);
  return begin;
}

Time TimeOption(const char* option, const std::string& text, Time begin) {
  const std::optional<Time> time = ParseTime(text, begin);
  if (time.has_value()) return *time;
  throw std::runtime_error(std::string(option) + ": " + ForTerminal(text) +
                           " is neither HH:MM:SS nor ns since the Unix epoch");
}

bool IsFolder(const std::string& word) {
  std::error_code ignored;
  return fs::is_directory(word, ignored) || word.find('/') != std::string::npos;
}

std::string NewestRecording() {
  std::error_code ignored;
  fs::path newest;
  fs::file_time_type newest_time;
  for (const fs::directory_entry& entry : fs::directory_iterator(".", ignored)) {
    const bool fits = entry.path().filename().string().rfind("tracekin-", 0) == 0;
    if (!fits || !entry.is_directory(ignored)) continue;
    const fs::file_time_type time = entry.last_write_time(ignored);
    if (newest.empty() || time > newest_time) {
      newest = entry.path();
      newest_time = time;
    }
  }
  if (newest.empty()) throw std::runtime_error("there is no recording ./tracekin-*; name a folder");
  return newest.string();
}

// Returns the value of 1 to 19 digits, or nullopt for any other text.
std::optional<Time> Digits(const std::string& text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text.empty() || text.size() > 19 || !std::all_of(text.begin(), text.end(), is_digit)) {
    return std::nullopt;
  }
  return std::stoull(text);
}

}  // namespace

void AddQuestion(CLI::App* app, const char* words, Question* question) {
  app->add_option("--service", question->service, "Only spans of this service")->type_name("NAME");
  app->add_option("--operation", question->operation, "Only spans of this operation")
      ->type_name("NAME");
  app->add_option("--tag", question->tags, "Only spans with this tag; may be given several times")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  app->add_flag("--errors", question->errors, "Only spans with an error");
  app->add_option("--since", question->since, "Only spans that end at this time or later")
      ->type_name("TIME");
  app->add_option("--until", question->until, "Only spans that start before this time")
      ->type_name("TIME");
  app->add_flag("--json", question->json, "Print one JSON object per line");
  app->add_flag("--no-color", question->no_color, "Print without colours");
  app->add_option("TRACE", question->words, words)->type_name("");
}

std::vector<std::string> TakeFolders(Question* question) {
  auto& words = question->words;
  const auto end = std::find_if_not(words.begin(), words.end(), IsFolder);
  std::vector<std::string> folders(words.begin(), end);
  words.erase(words.begin(), end);
  if (folders.empty()) folders.push_back(NewestRecording());
  return folders;
}

void RefuseWords(const Question& question) {
  if (question.words.empty()) return;
  throw std::runtime_error("there is no folder " + ForTerminal(question.words.front()));
}

std::unique_ptr<Engine> ReadRecording(const std::vector<std::string>& folders) {
  constexpr std::uint64_t kEventsPerUpdate = 1 << 16;
  auto engine = std::make_unique<Engine>();
  ctf::Found found;
  {
    Progress progress("reading");
    const std::unique_ptr<ctf::Source> source = ctf::Open(folders);
    std::size_t told = 0;
    std::uint64_t events = 0;
    source->Read([&](const analysis::Event& event) {
      if (event.host >= told) TellHosts(source->found(), &told, engine.get());
      engine->Take(event);
      if (++events % kEventsPerUpdate == 0) progress.Update(source->Progress());
    });
    engine->Finish();
    found = source->found();
  }
  SayWhatIsMissing(found, *engine);
  return engine;
}

report::Style StyleFor(const Question& question) {
  report::Style style;
  if (isatty(STDOUT_FILENO) == 0) return style;
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) style.width = size.ws_col;
  const char* const no_color = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  const bool plain = terminal == nullptr || std::string_view(terminal) == "dumb";
  style.color = !question.no_color && !plain && (no_color == nullptr || *no_color == '\0');
  return style;
}

void ExplainAll(const Engine& engine, const std::vector<analysis::SpanIndex>& spans,
                const std::function<void(analysis::SpanIndex, const analysis::Explanation&)>& use) {
  Progress progress("explaining");
  InOrder(
      spans.size(), &progress, [&](std::size_t i) { return engine.Why(spans[i]); },
      [&](std::size_t i, const analysis::Explanation& explanation) { use(spans[i], explanation); });
}

std::optional<Time> ParseTime(const std::string& text, Time begin) {
  unsigned hours = 0, minutes = 0;
  char rest[32] = "";
  int length = 0;
  if (std::sscanf(text.c_str(), "%2u:%2u:%31[0-9.]%n", &hours, &minutes, rest, &length) != 3) {
    return Digits(text);
  }
  if (static_cast<std::size_t>(length) != text.size()) return std::nullopt;
  const std::string seconds = rest;
  const std::size_t point = std::min(seconds.find('.'), seconds.size());
  std::string fraction = seconds.substr(std::min(point + 1, seconds.size()));
  fraction.resize(9, '0');
  const std::optional<Time> whole = Digits(seconds.substr(0, point)), ns = Digits(fraction);
  if (!whole || !ns || hours > 23 || minutes > 59 || *whole > 59) return std::nullopt;
  return begin / kDay * kDay + (hours * 3600 + minutes * 60 + *whole) * kSecond + *ns;
}

std::vector<analysis::SpanIndex> SelectSpans(const Question& question, const Engine& engine) {
  analysis::Filter filter;
  filter.service = question.service;
  filter.operation = question.operation;
  filter.errors = question.errors;
  for (const std::string& tag : question.tags) {
    const std::size_t equals = tag.find('=');
    if (equals == std::string::npos) {
      throw std::runtime_error("--tag: " + ForTerminal(tag) + " is not KEY=VALUE");
    }
    filter.tags.emplace_back(tag.substr(0, equals), tag.substr(equals + 1));
  }
  const Time begin = Begin(engine);
  if (!question.since.empty()) filter.since = TimeOption("--since", question.since, begin);
  if (!question.until.empty()) filter.until = TimeOption("--until", question.until, begin);
  return Select(filter, engine.spans());
}

analysis::Named FindSpan(const Engine& engine, const std::string& word) {
  analysis::Named named = FindByPrefix(engine.spans(), word);
  if (named.span != analysis::kNoSpan) return named;
  if (named.candidates.empty()) {
    Say("no trace and no span has an id that begins with " + word);
    return named;
  }
  std::string message = "several ids begin with " + ForTerminal(word) + ":";
  for (const std::string& id : named.candidates) message += ' ' + id;
  throw std::runtime_error(message);
}

}  // namespace tracekin::tools
