// SPDX-License-Identifier: Apache-2.0
// Marks what libtracekin.so exports to the libraries that are delivered with it, such as
// libtracekin_blkin.so, so that a process has one random seed, one state per thread and one set of
// fork handlers. cmake/libtracekin.map gives it a symbol version that names the release, because it
// changes between releases: the dynamic loader then refuses a library of another release.
//
// What uses it from outside is compiled with TRACEKIN_IMPORTS_PRIVATE_API. Inside libtracekin.so
// such a symbol is bound when the library is linked: a function costs no more than a hidden one, a
// variable one instruction more.
#ifndef TRACEKIN_BASE_PRIVATE_API_H
#define TRACEKIN_BASE_PRIVATE_API_H

#ifdef TRACEKIN_IMPORTS_PRIVATE_API
#define TRACEKIN_PRIVATE_API __attribute__((visibility("default")))
#else
#define TRACEKIN_PRIVATE_API __attribute__((visibility("protected")))
#endif

#endif  // TRACEKIN_BASE_PRIVATE_API_H
