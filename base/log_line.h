// SPDX-License-Identifier: Apache-2.0
// Formats a log entry as one line of text, because Zipkin's annotations and the LTTng event
// span_log do not have fields.
//
// Thread-safety: the function only accesses its arguments.
#ifndef TRACEKIN_BASE_LOG_LINE_H
#define TRACEKIN_BASE_LOG_LINE_H

#include <string>

#include "tracekin/span_record.h"

namespace tracekin {

/// Appends the text of the annotation, or the value of its first field `message` if the text is
/// empty. Then appends the other fields as key=value, separated by single spaces. Quotes values
/// like JSON strings if they contain a space, a quote or an equals sign, unless they are already
/// JSON. Cuts `line` to 32 KiB. Throws std::bad_alloc.
/// REQUIRES: all text is valid UTF-8.
void AppendLogLine(const SpanRecord::Annotation& annotation, std::string* line);

}  // namespace tracekin

#endif  // TRACEKIN_BASE_LOG_LINE_H
