// SPDX-License-Identifier: Apache-2.0
// Marks the symbols that libtracekin.so exports. All others are hidden.
#ifndef TRACEKIN_EXPORT_H
#define TRACEKIN_EXPORT_H

#define TRACEKIN_API __attribute__((visibility("default")))

#endif  // TRACEKIN_EXPORT_H
