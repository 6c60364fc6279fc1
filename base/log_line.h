// SPDX-License-Identifier: Apache-2.0
// A log entry as one line of text, because Zipkin's annotations and the LTTng event span_log have no
// fields.
//
// Thread-safety: a pure function.
#ifndef TRACEKIN_BASE_LOG_LINE_H
#define TRACEKIN_BASE_LOG_LINE_H

#include <string>

#include "tracekin/span_record.h"

namespace tracekin {

/// Appends the text bare (or else the value of the first field `message`), then the other fields as
/// key=value, with single blanks between them. Quotes as in JSON those values that hold a blank, a
/// quote or an equals sign, unless they are JSON already. `line` then has 32 KiB at most. Text must be
/// valid UTF-8. Throws std::bad_alloc.
void AppendLogLine(const SpanRecord::Annotation& annotation, std::string* line);

}  // namespace tracekin

#endif  // TRACEKIN_BASE_LOG_LINE_H
