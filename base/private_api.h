// SPDX-License-Identifier: Apache-2.0
// Marks the symbols that libtracekin.so exports to the libraries that are delivered with it, such
// as libtracekin_blkin.so. These libraries share them, so that a process has one random seed, one
// state per thread and one set of fork handlers.
//
// This interface changes between releases. Therefore cmake/libtracekin.map gives these symbols a
// version that names the release, and the dynamic loader rejects a library of another release.
//
// Code outside of libtracekin.so that uses these symbols is compiled with
// TRACEKIN_IMPORTS_PRIVATE_API. Inside libtracekin.so, the symbols are bound when the library is
// linked. A call then costs the same as a call of a hidden function, and a variable costs one
// instruction more than a hidden one.
#ifndef TRACEKIN_BASE_PRIVATE_API_H
#define TRACEKIN_BASE_PRIVATE_API_H

#ifdef TRACEKIN_IMPORTS_PRIVATE_API
#define TRACEKIN_PRIVATE_API __attribute__((visibility("default")))
#else
#define TRACEKIN_PRIVATE_API __attribute__((visibility("protected")))
#endif

#endif  // TRACEKIN_BASE_PRIVATE_API_H
