// SPDX-License-Identifier: Apache-2.0
// Reads a file that an operator names, and never blocks on a FIFO. A plain open() of a FIFO waits
// until another process opens it for writing.
//
// Thread-safety: any thread may call the function.
#ifndef TRACEKIN_BASE_REGULAR_FILE_H
#define TRACEKIN_BASE_REGULAR_FILE_H

#include <sys/stat.h>

#include <cstddef>
#include <string>

namespace tracekin {

/// Reads the regular file `path` into `*content`, and its attributes into `*file` unless that is
/// null. Returns "" on success, and otherwise the reason for the failure. Examples are "No such
/// file or directory", "not a regular file" and "longer than 65536 bytes". Throws std::bad_alloc.
std::string ReadRegularFile(const std::string& path, std::size_t max_bytes, std::string* content,
                            struct stat* file = nullptr);

}  // namespace tracekin

#endif  // TRACEKIN_BASE_REGULAR_FILE_H
