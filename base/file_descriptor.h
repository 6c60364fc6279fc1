// SPDX-License-Identifier: Apache-2.0
// A file descriptor that somebody else in the process may close: daemons close all that they do not
// know, and the number may then be a file of theirs.
//
// Thread-safety: one thread at a time, but for Close() in the child of a fork.
#ifndef TRACEKIN_BASE_FILE_DESCRIPTOR_H
#define TRACEKIN_BASE_FILE_DESCRIPTOR_H

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>

namespace tracekin {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  ~FileDescriptor() { Close(); }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;

  /// Owns `descriptor` from now on; -1 for none.
  void Set(int descriptor) noexcept {
    Close();
    struct stat file;
    if (descriptor == -1 || fstat(descriptor, &file) != 0) return;
    // These change only while there is no descriptor, so that the child of a fork finds them in order.
    device_ = file.st_dev;
    inode_ = file.st_ino;
    descriptor_ = descriptor;
  }

  int get() const noexcept { return descriptor_; }

  /// Whether `file` is what the descriptor is, or, if it is closed, was.
  bool Is(const struct stat& file) const noexcept {
    return file.st_dev == device_ && file.st_ino == inode_;
  }

  /// Whether it still is what it was. With `linked`, also whether the file has a name.
  bool IsOurs(bool linked = false) const noexcept {
    struct stat file;
    return descriptor_ != -1 && fstat(descriptor_, &file) == 0 && Is(file) &&
           (!linked || file.st_nlink > 0);
  }

  /// Closes it, unless it is another's.
  void Close() noexcept {
    const bool ours = IsOurs();
    const int descriptor = descriptor_.exchange(-1);
    if (ours) close(descriptor);
  }

 private:
  std::atomic<int> descriptor_{-1};
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace tracekin

#endif  // TRACEKIN_BASE_FILE_DESCRIPTOR_H
