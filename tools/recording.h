// SPDX-License-Identifier: Apache-2.0
// What the subcommands that ask about a recording have in common: which recording, which spans.
//
// Thread-safety: one thread.
#ifndef TRACEKIN_TOOLS_RECORDING_H
#define TRACEKIN_TOOLS_RECORDING_H

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/engine.h"
#include "analysis/selection.h"

namespace CLI {
class App;
}

namespace tracekin::tools {

/// The words and options that say what a question is about.
struct Question {
  std::vector<std::string> words;  // TRACE, then ids, as the command line has them
  std::string service, operation, since, until;
  std::vector<std::string> tags;
  bool errors = false;
  bool json = false;
};

/// Adds the filters, --json, and, unless it is empty, the positional arguments as `--help` names
/// them.
void AddQuestion(CLI::App* app, const char* words, Question* question);

/// If the first word of the question is a folder, takes it away and returns it; else returns the
/// newest ./tracekin-*. Throws std::runtime_error if there is none.
std::string TakeFolder(Question* question);

/// Reads a recording. Says on standard error what is missing in it. Throws ctf::ReadError.
std::unique_ptr<analysis::Engine> ReadRecording(const std::string& folder);

/// The spans that the filters let pass. Throws std::runtime_error if a filter is not understood.
std::vector<analysis::SpanIndex> SelectSpans(const Question& question,
                                             const analysis::Engine& engine);

/// A point in time: HH:MM:SS[.FRACTION] in UTC, on the day on which the recording begins, or ns
/// since the Unix epoch. Nothing if it is neither.
std::optional<analysis::Time> ParseTime(const std::string& text, analysis::Time begin);

/// The span that a word names by its id or the beginning of one. Says on standard error if it names
/// none, or several. Throws std::runtime_error for several.
analysis::Named FindSpan(const analysis::Engine& engine, const std::string& word);

}  // namespace tracekin::tools

#endif  // TRACEKIN_TOOLS_RECORDING_H
