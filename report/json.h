// SPDX-License-Identifier: Apache-2.0
// Formats the results of the analysis as JSON (RFC 8259), one object per line. docs/why.md defines
// the schema. Each result ends with a line feed.
//
// Thread-safety: the functions only access their arguments.
#ifndef TRACEKIN_REPORT_JSON_H
#define TRACEKIN_REPORT_JSON_H

#include <string>
#include <vector>

#include "analysis/contrast.h"
#include "analysis/engine.h"
#include "analysis/statistics.h"

namespace tracekin::report {

/// Returns a span with the parts of its time.
std::string WhyJson(const analysis::Engine& engine, analysis::SpanIndex span);

/// Returns a span without its parts, but with its tags, logs and scopes.
std::string SpanJson(const analysis::Engine& engine, analysis::SpanIndex span);

/// Returns a group of spans.
std::string GroupJson(const analysis::Group& group);

/// Returns who made spans of an operation wait.
std::string BlockingJson(const analysis::Blocking& blocking);

/// Returns how the slow spans of an operation differ from its fast ones.
std::string ContrastJson(const analysis::Contrast& contrast);

/// Returns the change of a group from one recording to another.
std::string ChangeJson(const analysis::Change& change);

}  // namespace tracekin::report

#endif  // TRACEKIN_REPORT_JSON_H
