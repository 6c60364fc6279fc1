// SPDX-License-Identifier: Apache-2.0
// Keeps the content of a file that an operator may replace while the process runs, and that the
// process may lose sight of.
//
// HAProxy makes its tracers after chroot() and setuid(), when tokens and certificates can no longer
// be read. PreloadFile() reads them earlier. A KeptFile uses the last known content until it can
// read the file again.
//
// Thread-safety: a KeptFile belongs to one thread. Any thread may call PreloadFile().
#ifndef TRACEKIN_EXPORTER_TRANSPORT_KEPT_FILE_H
#define TRACEKIN_EXPORTER_TRANSPORT_KEPT_FILE_H

#include <sys/stat.h>
#include <time.h>

#include <cstddef>
#include <optional>
#include <string>

namespace tracekin::exporter {

class KeptFile {
 public:
  /// Reads the file, which must be regular and not longer than `max_bytes`. If it cannot be opened,
  /// uses the content that PreloadFile() has read. Throws std::bad_alloc.
  KeptFile(std::string path, std::size_t max_bytes);

  /// Reads the file again if it has changed. Returns whether content() or error() changed. Throws
  /// std::bad_alloc.
  bool Refresh();

  /// Returns the last content, or nullopt if there is none. A file that can be opened but must not
  /// be used, because it is a FIFO or too long, has none.
  const std::optional<std::string>& content() const { return content_; }

  /// Returns why the file cannot be read now, or "".
  const std::string& error() const { return error_; }

  const std::string& path() const { return path_; }

 private:
  bool IsAsItWas() const;
  bool CanBeOpened() const;

  std::string path_;
  std::size_t max_bytes_;
  std::optional<std::string> content_;
  std::string error_;
  struct stat file_ = {};      // its metadata at the last read
  struct timespec read_ = {};  // time of the last read
};

/// Reads the file for the KeptFiles that this process and its children make later. Returns an error
/// message that names the file, or "". Throws std::bad_alloc.
std::string PreloadFile(const std::string& path, std::size_t max_bytes);

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_TRANSPORT_KEPT_FILE_H
