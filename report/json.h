// SPDX-License-Identifier: Apache-2.0
// The answers of the analysis as JSON (RFC 8259), one object a line; docs/why.md has the schema.
//
// Thread-safety: functions of their arguments.
#ifndef TRACEKIN_REPORT_JSON_H
#define TRACEKIN_REPORT_JSON_H

#include <string>
#include <vector>

#include "analysis/engine.h"
#include "analysis/statistics.h"

namespace tracekin::report {

/// A span with the parts of its time. Ends with a line feed, as the others do.
std::string WhyJson(const analysis::Engine& engine, analysis::SpanIndex span);

/// A span without its parts, but with its tags, logs and scopes.
std::string SpanJson(const analysis::Engine& engine, analysis::SpanIndex span);

std::string GroupJson(const analysis::Group& group);

std::string ChangeJson(const analysis::Change& change);

}  // namespace tracekin::report

#endif  // TRACEKIN_REPORT_JSON_H
