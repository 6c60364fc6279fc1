// SPDX-License-Identifier: Apache-2.0
// A file descriptor that other code in the process may close. Daemons close all descriptors that
// they do not know, and may then open their own file under the same number.
//
// Thread-safety: one thread at a time, except for Close() in the child of a fork.
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

  /// Takes ownership of `descriptor`, unless it is -1.
  void Set(int descriptor) noexcept {
    Close();
    struct stat file;
    if (descriptor == -1 || fstat(descriptor, &file) != 0) return;
    // These change only while there is no descriptor, so that they are consistent in the child of a
    // fork.
    device_ = file.st_dev;
    inode_ = file.st_ino;
    descriptor_ = descriptor;
  }

  int get() const noexcept { return descriptor_; }

  /// Returns whether `file` is the file of the descriptor, or its last file if it is closed.
  bool Is(const struct stat& file) const noexcept {
    return file.st_dev == device_ && file.st_ino == inode_;
  }

  /// Returns whether the descriptor still refers to the same file. With `linked`, the file must
  /// also have a name.
  bool IsOurs(bool linked = false) const noexcept {
    struct stat file;
    return descriptor_ != -1 && fstat(descriptor_, &file) == 0 && Is(file) &&
           (!linked || file.st_nlink > 0);
  }

  /// Closes the descriptor unless its number now belongs to other code.
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
