// SPDX-License-Identifier: Apache-2.0
// Functions for the subcommands that analyse a recording: they select the recording and its spans.
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

/// The words and options that select a recording and its spans.
struct Question {
  std::vector<std::string> words;  // TRACE, then ids, in the order of the command line
  std::string service, operation, since, until;
  std::vector<std::string> tags;
  bool errors = false;
  bool json = false;
};

/// Adds the filters, --json and the positional arguments to `app`. `words` describes the arguments
/// for --help.
void AddQuestion(CLI::App* app, const char* words, Question* question);

/// If the first word of the question is a folder or contains a slash, removes and returns it.
/// Otherwise returns the newest ./tracekin-*. Throws std::runtime_error if there is none.
std::string TakeFolder(Question* question);

/// Reads a recording. Reports missing data on standard error. Throws ctf::ReadError.
std::unique_ptr<analysis::Engine> ReadRecording(const std::string& folder);

/// Returns the spans that match the filters. Throws std::runtime_error if a filter is not valid.
std::vector<analysis::SpanIndex> SelectSpans(const Question& question,
                                             const analysis::Engine& engine);

/// Parses a point in time: HH:MM:SS[.FRACTION] in UTC, on the day on which the recording begins, or
/// ns since the Unix epoch. Returns nullopt if `text` is neither.
std::optional<analysis::Time> ParseTime(const std::string& text, analysis::Time begin);

/// Finds the span or the trace whose id is `word` or begins with it. Prints a message to standard
/// error if there is none. Throws std::runtime_error if there are several.
analysis::Named FindSpan(const analysis::Engine& engine, const std::string& word);

}  // namespace tracekin::tools

#endif  // TRACEKIN_TOOLS_RECORDING_H
