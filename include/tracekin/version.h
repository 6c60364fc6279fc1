/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the version of the headers that a program is compiled with. Can be included in C.
 * CMakeLists.txt reads the version of the project from this file. */
#ifndef TRACEKIN_VERSION_H
#define TRACEKIN_VERSION_H

#define TRACEKIN_VERSION_MAJOR 0
#define TRACEKIN_VERSION_MINOR 2
#define TRACEKIN_VERSION_PATCH 0
#define TRACEKIN_VERSION "0.2.0"

#endif /* TRACEKIN_VERSION_H */
