// SPDX-License-Identifier: Apache-2.0
// Reads files that an operator names, without waiting for a writer: what is opened like any other file
// may be a FIFO, and open() of one waits until somebody writes to it.
//
// Thread-safety: any thread.
#ifndef TRACEKIN_BASE_REGULAR_FILE_H
#define TRACEKIN_BASE_REGULAR_FILE_H

#include <sys/stat.h>

#include <cstddef>
#include <string>

#include "base/private_api.h"

namespace tracekin {

/// Puts what the regular file `path` holds into `*content`, and its state into `*file` unless that is
/// null. Returns an empty text; or the reason why it cannot, such as "No such file or directory",
/// "not a regular file" or "longer than 65536 bytes". Throws std::bad_alloc.
TRACEKIN_PRIVATE_API std::string ReadRegularFile(const std::string& path, std::size_t max_bytes,
                                                 std::string* content, struct stat* file = nullptr);

}  // namespace tracekin

#endif  // TRACEKIN_BASE_REGULAR_FILE_H
