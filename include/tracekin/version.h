/* SPDX-License-Identifier: Apache-2.0 */
/* The version of the headers that a program is compiled with. In plain C. This is where the project
 * has its version; CMakeLists.txt reads it here. */
#ifndef TRACEKIN_VERSION_H
#define TRACEKIN_VERSION_H

#define TRACEKIN_VERSION_MAJOR 0
#define TRACEKIN_VERSION_MINOR 2
#define TRACEKIN_VERSION_PATCH 0
#define TRACEKIN_VERSION "0.2.0"

#endif /* TRACEKIN_VERSION_H */
