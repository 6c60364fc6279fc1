// SPDX-License-Identifier: Apache-2.0
// Appends batches of lines to a file.
//
// Each batch is appended with one write, so that processes can share the file without mixing their
// lines. The file is created with mode 0600 when the first batch is sent. A batch is accepted when
// the kernel has it; nothing is synced to the disk.
//
// A file system that fills up may accept only part of a batch. That batch fails although some of
// its lines are in the file. When it is sent again, these lines are omitted. The next write begins
// on a new line, so that at most one line is damaged (two if another process writes in between).
//
// A file that would exceed the size limit is rotated first. PATH.1 becomes PATH.2 and so on, PATH
// becomes PATH.1, and the old PATH.N is deleted. Processes that share the file coordinate with a
// lock (flock) on the file itself, which is held only during these renames. A process that does not
// get the lock within 100 ms keeps writing to the old file.
//
// A file may exceed the limit by one batch per process, and by more while a process is stopped
// during a rotation. If files cannot be renamed, the file grows.
#ifndef TRACEKIN_EXPORTER_TRANSPORT_FILE_TRANSPORT_H
#define TRACEKIN_EXPORTER_TRANSPORT_FILE_TRANSPORT_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/file_descriptor.h"
#include "exporter/transport/earliest_deadline.h"
#include "tracekin/transport.h"

namespace tracekin::exporter {

/// Looks the file up again before each batch. If it was rotated or removed, a new one is created.
/// If the host has closed the descriptor and reused its number for its own file, that file is not
/// touched. Daemons that close all unknown descriptors do this.
///
/// Pipes and terminals are supported besides regular files (/dev/stdout, a FIFO that has a reader).
/// Writes to them wait until the deadline, and long batches may mix with the output of other
/// writers. All failures are SendStatus::kFailed.
class FileTransport final : public Transport {
 public:
  /// Rotates the file at `rotate_bytes` unless that is 0, and keeps `rotate_files` >= 1 old files.
  explicit FileTransport(std::string path, std::uint64_t rotate_bytes = 0,
                         std::uint64_t rotate_files = 1);

  SendResult Send(const std::string& body, Clock::time_point deadline) override;
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
  bool in_mid_line_ = false;  // the file ends with one of our lines, which is incomplete
  std::size_t written_ = 0;   // bytes written by the last Write()

  // The last batch, if it failed after a part of it was written:
  std::size_t cut_size_ = 0;
  std::uint32_t cut_sum_ = 0;
  std::size_t cut_lines_ = 0;  // bytes of its complete lines in the file
};

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_TRANSPORT_FILE_TRANSPORT_H
