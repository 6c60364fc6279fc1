// SPDX-License-Identifier: Apache-2.0
// Functions for the subcommands that analyse a recording: they select the recording and its spans.
//
// Thread-safety: one thread.
#ifndef TRACEKIN_TOOLS_RECORDING_H
#define TRACEKIN_TOOLS_RECORDING_H

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/engine.h"
#include "analysis/selection.h"
#include "report/style.h"

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
  bool no_color = false;
};

/// Adds the filters, --json and the positional arguments to `app`. `words` describes the arguments
/// for --help.
void AddQuestion(CLI::App* app, const char* words, Question* question);

/// Removes the folders at the beginning of the question's words, and returns them. If the first
/// word is not a folder, returns the newest ./tracekin-* of the working directory. A word with a
/// slash counts as a folder. Throws std::runtime_error if there is no recording.
std::vector<std::string> TakeFolders(Question* question);

/// Throws std::runtime_error if words are left after the folders were taken. Used by subcommands
/// that do not accept ids.
void RefuseWords(const Question& question);

/// Reads the traces in all the folders as one recording. Shows its progress, and reports missing
/// data on standard error. Throws ctf::ReadError.
std::unique_ptr<analysis::Engine> ReadRecording(const std::vector<std::string>& folders);

/// Returns the style for standard output. Limits the width and uses colours only if that is a
/// terminal. Uses no colours if the question or the environment variable NO_COLOR excludes them.
report::Style StyleFor(const Question& question);

/// Returns the spans that match the filters. Throws std::runtime_error if a filter is not valid.
std::vector<analysis::SpanIndex> SelectSpans(const Question& question,
                                             const analysis::Engine& engine);

/// Explains the spans on all processors, and calls `use` with each span and its explanation, in the
/// order of `spans`. Shows its progress.
void ExplainAll(const analysis::Engine& engine, const std::vector<analysis::SpanIndex>& spans,
                const std::function<void(analysis::SpanIndex, const analysis::Explanation&)>& use);

/// A point in time: HH:MM:SS[.FRACTION] in UTC, on the day on which the recording begins, or ns
/// since the Unix epoch. Nothing if it is neither.
std::optional<analysis::Time> ParseTime(const std::string& text, analysis::Time begin);

/// Finds the span or the trace whose id is `word` or begins with it. Prints a message to standard
/// error if there is none. Throws std::runtime_error if there are several.
analysis::Named FindSpan(const analysis::Engine& engine, const std::string& word);

}  // namespace tracekin::tools

#endif  // TRACEKIN_TOOLS_RECORDING_H
