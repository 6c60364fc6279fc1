// SPDX-License-Identifier: Apache-2.0
// Marks what libtracekin.so exports; everything else in it is hidden.
#ifndef TRACEKIN_EXPORT_H
#define TRACEKIN_EXPORT_H

#define TRACEKIN_API __attribute__((visibility("default")))

#endif  // TRACEKIN_EXPORT_H
