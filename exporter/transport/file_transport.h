// SPDX-License-Identifier: Apache-2.0
// Appends batches of lines to a file.
//
// Each batch is one write at the end of the file, so that processes may share it: lines of two
// processes do not mix. The file is created with mode 0600 when the first batch is sent. It is "in
// the file" when the kernel has it; nothing is synced to the disk.
//
// A file system that fills up may take a part of a batch. The batch has failed then, though some of
// its lines are there; when it is sent again they are left out. What comes next begins on a fresh line,
// so that one line at most is damaged (two, if another process writes in between).
//
// A file that would grow beyond a limit is rotated first: PATH.1 becomes PATH.2 and so on, PATH
// becomes PATH.1, and what was PATH.N is gone. Processes that share the file agree by a lock
// (flock) on the file itself, which is held for these renames alone; who does not get it within
// 100 ms writes on. A file may exceed the limit by a batch of each process, and more while a process
// is stopped in mid-rotation; where files cannot be renamed it grows.
#ifndef TRACEKIN_EXPORTER_TRANSPORT_FILE_TRANSPORT_H
#define TRACEKIN_EXPORTER_TRANSPORT_FILE_TRANSPORT_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/file_descriptor.h"
#include "exporter/transport/earliest_deadline.h"
#include "tracekin/transport.h"

namespace tracekin {

/// Before each batch the file is looked up anew. If it was rotated away or removed, a new one is
/// made; if the host has closed the descriptor behind our back, and perhaps got its number for a
/// file of its own (as daemons do that close all they do not know), that one is left alone. Beside
/// regular files, pipes and terminals are written to (/dev/stdout, a FIFO that has a reader); they
/// are waited for until the deadline, and long batches may mix with what others write there. All
/// failures are SendStatus::kFailed.
class FileTransport final : public Transport {
 public:
  /// Rotates the file at `rotate_bytes`, unless that is 0, and keeps `rotate_files` >= 1 old ones.
  explicit FileTransport(std::string path, std::uint64_t rotate_bytes = 0,
                         std::uint64_t rotate_files = 1);

  SendResult Send(const std::string& body, std::size_t spans, Clock::time_point deadline) override;
  void Interrupt(Clock::time_point deadline) noexcept override;
  void AbandonAfterFork() noexcept override;

 private:
  // These return 0 or an errno.
  int EnsureOpen() noexcept;
  int Open() noexcept;
  int Rotate(std::size_t coming, Clock::time_point deadline);
  int Write(std::string_view bytes, Clock::time_point deadline) noexcept;
  int WriteRest(std::string_view body, Clock::time_point deadline) noexcept;

  bool IsTooLong(std::size_t coming) const noexcept;
  void ShiftOldFiles() const;
  bool HasItsName() const noexcept;

  const std::string path_;
  const std::uint64_t rotate_bytes_;
  const std::uint64_t rotate_files_;
  EarliestDeadline interrupt_;

  FileDescriptor file_;
  bool in_mid_line_ = false;  // the file ends with a part of a line of ours
  std::size_t written_ = 0;   // by the last Write()

  // Of the last batch, if it failed after a part of it was written:
  std::size_t cut_size_ = 0;
  std::uint32_t cut_sum_ = 0;
  std::size_t cut_lines_ = 0;  // bytes of the lines that are there
};

}  // namespace tracekin

#endif  // TRACEKIN_EXPORTER_TRANSPORT_FILE_TRANSPORT_H
