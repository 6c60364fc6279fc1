// SPDX-License-Identifier: Apache-2.0
// Stores finished spans in a folder on disk while the collector is away. If this process dies,
// another one can send them.
//
//   ID.lock        locked with flock(2) while the process with this ID lives
//   ID.N.spool     segments of that process, N = 00000001, 00000002, ...
//
//   segment: "TKSPOOL2" | u32 settled | u32 check sum of settled | u32 size of service
//            | u32 check sum of service | service | record ...
//   record:  u32 "SPAN" | u32 number in the segment | u32 size
//            | u32 check sum of number, size and span | span
//
// Spans have the format of span_bytes.h. Numbers are in the machine's byte order, because only
// tracekin on the same machine reads the files. Check sums are CRC-32C. `settled` is the number of
// records that need not be sent any more; a damaged value counts as 0. Only this number and its
// check sum are ever changed in place.
//
// After a damaged record, reading continues at the next whole one, and the record numbers show how
// many were lost. Another process of the same user may have written anything into a file. A file
// therefore costs memory and time in proportion to its size, which is limited to 4 MiB, and its
// text is converted to valid UTF-8.
//
// A process that gets the lock of another ID adopts the segments of that dead process; no other
// process can. Nothing is synced to the disk: spooled spans survive the process, but not the
// machine. Files have mode 0600. Files of other users are left alone.
//
// Ownership: each process (and exporter) has its own spool and files. Thread-safety: used by the
// exporter thread only, except for AbandonAfterFork() in the child of a fork.
#ifndef TRACEKIN_EXPORTER_PIPELINE_SPOOL_H
#define TRACEKIN_EXPORTER_PIPELINE_SPOOL_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_descriptor.h"
#include "exporter/pipeline/batch.h"
#include "exporter/pipeline/totals.h"

namespace tracekin::exporter {

class Spool {
 public:
  /// Does not access the disk yet. Changes only spooled, adopted, in_flight, spool_full and
  /// spool_corrupt of `counts`. `resource` is the resource of later spans, encoded as entries
  /// (span_bytes.h). If it is larger than 64 KiB, the files contain only the beginning of the
  /// service name.
  Spool(std::string folder, std::uint64_t max_bytes, std::string_view resource,
        ExporterCounts* counts);

  /// Keeps the files for the next process.
  ~Spool();

  /// Stores the spans of `batch`, which are counted as in flight. On failure, changes nothing and
  /// returns false, and error() has the reason. If the spool becomes too large, drops the oldest
  /// spans. Changes nothing if it throws std::bad_alloc.
  bool Append(const Batch& batch);

  /// Returns the last error message, which names the file.
  const std::string& error() const { return error_; }

  /// Fills `batch` with the oldest spans, up to `max_spans` of them, or until they reach
  /// `max_bytes`. They stay in the files, counted as spooled, until they are settled. Returns false
  /// if there are no spans or no memory. REQUIRES: all spans read before are settled.
  bool Read(std::size_t max_spans, std::size_t max_bytes, Batch* batch) noexcept;

  /// Marks the first `spans` unsettled spans as not to be sent again. The caller counts them.
  void Settle(std::size_t spans) noexcept;

  /// Returns whether there are no segments. While there are any, at least some of their spans are
  /// counted as spooled. The spans of an adopted segment are counted when it is loaded.
  bool empty() const { return segments_.empty(); }

  /// Returns whether adopted spans of a dead process are left.
  bool adopting() const { return adopted_lock_.get() != -1; }

  /// Looks for segments of a dead process and adopts them. May be called again after it has thrown
  /// std::bad_alloc.
  void Adopt();

  /// Closes this process's copies of the parent's descriptors.
  void AbandonAfterFork() noexcept;

 private:
  struct Segment {
    std::string path;
    std::uint64_t bytes;  // size of the file
    std::uint64_t spans;  // number of unsettled spans, valid if `counted`
    bool counted;         // true if the counts adopted and spooled include `spans`
    bool adopted;
  };
  struct Record {
    std::uint32_t number;
    std::string_view span;  // points into `bytes` below
  };
  // The content of a segment's file.
  struct Content {
    std::string bytes;
    std::string resource;
    std::vector<Record> records;  // undamaged records that are not settled
    std::uint64_t lost = 0;       // number of damaged or missing records, judging by the numbers
  };

  bool BeOwner();
  bool OpenSegment();
  bool WriteSegment(const std::string& path, std::string_view header);
  bool Fail(const std::string& what, const std::string& path);
  void MakeRoom() noexcept;
  bool OpenOldest();
  void CountOneAhead();
  bool ReadFile(const std::string& path, Content* content);
  static void ReadRecords(std::size_t at, std::uint32_t expected, bool old, Content* content);
  Content Load(Segment* segment);
  void Remove(std::list<Segment>::iterator segment) noexcept;
  std::list<Segment>::iterator FirstNotRead() noexcept;
  bool TakeLock(const std::string& path) noexcept;
  std::list<Segment> SegmentsOf(const std::string& id, const std::vector<std::string>& names) const;

  const std::string folder_;
  const std::uint64_t max_bytes_;
  const std::string resource_;
  ExporterCounts* const counts_;
  std::string error_;

  std::string id_;
  std::string lock_path_;
  FileDescriptor lock_;
  std::uint64_t made_ = 0;  // number of segments made

  FileDescriptor writing_;  // the last segment, while it is being written
  std::uint32_t next_number_ = 0;
  std::string scratch_;

  std::list<Segment> segments_;  // oldest first
  std::uint64_t bytes_ = 0;      // total size of all segments

  // The first segment, while it is being read:
  FileDescriptor reading_;
  Content content_;
  std::size_t read_ = 0;     // number of its records that were read
  std::size_t settled_ = 0;  // number of its records that are settled

  FileDescriptor adopted_lock_;
  std::string adopted_lock_path_;
};

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_PIPELINE_SPOOL_H
