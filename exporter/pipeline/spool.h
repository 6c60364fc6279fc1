// SPDX-License-Identifier: Apache-2.0
// A folder on disk where finished spans wait while the collector is away, and for another process if
// this one dies.
//
//   ID.lock        held by flock(2) while the process that ID names lives
//   ID.N.spool     its segments, N = 00000001, 00000002, ...
//
//   segment: "TKSPOOL2" | u32 settled | u32 check sum of it | u32 size of service | u32 check sum of service
//            | service | record ...
//   record:  u32 "SPAN" | u32 number in the segment | u32 size | u32 check sum of number, size, span | span
//
// A span is as span_bytes.h has it; numbers are in the machine's byte order, for nobody reads the
// files but tracekin on the same machine. Check sums are CRC-32C. `settled` says how many records
// need not be sent any more, none if it is damaged; with its check sum it is all that is ever
// changed in place. A record that is damaged is passed over to the next whole one, and the numbers
// tell how many were lost. Another process of the same user may have written anything: a file costs
// memory and time in proportion to its size, which is 4 MiB at most, and its text is made valid
// UTF-8.
//
// Whoever gets the lock of another ID has the segments of a process that is dead: they are adopted by
// exactly one. Nothing is synced to the disk: what was spooled survives the process, not the machine.
// Files have mode 0600; those of other users are left alone.
//
// Ownership: one a process (and exporter), its files are its own. Thread-safety: the exporter thread's;
// AbandonAfterFork in the child.
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

namespace tracekin {

class Spool {
 public:
  /// Touches nothing yet. Of `counts`, it is spooled, adopted, spool_full and spool_corrupt that
  /// change here. `service` is that of the spans to come; files have 1024 bytes of it at most.
  Spool(std::string folder, std::uint64_t max_bytes, std::string_view service,
        ExporterCounts* counts);

  /// The files stay for whoever comes next.
  ~Spool();

  /// Takes the spans of `batch`, which are counted as in flight, or changes nothing and returns
  /// false: error() says why. If there are too many bytes then, the oldest spans go. Changes
  /// nothing either when it throws std::bad_alloc.
  bool Append(const Batch& batch);

  /// What went wrong last, with the name of the file.
  const std::string& error() const { return error_; }

  /// Fills `batch` with the oldest spans, up to `max_spans` or, but for the last one, `max_bytes` of
  /// them. Returns false if there are none. They stay in the files, counted as spooled, until they are settled. REQUIRES: what was
  /// read before is settled. Without the memory it returns false, too.
  bool Read(std::size_t max_spans, std::size_t max_bytes, Batch* batch) noexcept;

  /// The first `spans` of those read and not settled yet need not be sent again. Counting them is the
  /// caller's.
  void Settle(std::size_t spans) noexcept;

  /// As long as this is false, spans are counted as spooled, though not all of a dead process's are
  /// from the start.
  bool empty() const { return segments_.empty(); }

  /// Whether spans of a dead process are left, which Adopt() has taken over.
  bool adopting() const { return adopted_lock_.get() != -1; }

  /// Looks for what a dead process has left, and takes it over. May be called again after it has
  /// thrown std::bad_alloc.
  void Adopt();

  /// Closes this process's copies of the parent's descriptors.
  void AbandonAfterFork() noexcept;

 private:
  struct Segment {
    std::string path;
    std::uint64_t bytes;  // of the file
    std::uint64_t spans;  // not settled; if `counted`
    bool counted;         // in adopted and spooled
    bool adopted;
  };
  struct Record {
    std::uint32_t number;
    std::string_view span;  // of `bytes` below
  };
  // What a file has.
  struct Content {
    std::string bytes;
    std::string service;
    std::vector<Record> records;  // that are whole and not settled
    std::uint64_t lost = 0;       // that are not whole, as far as the numbers of the others tell
  };

  bool BeOwner();
  bool OpenSegment();
  bool WriteSegment(const std::string& path, std::string_view header);
  bool Fail(const std::string& what, const std::string& path);
  void MakeRoom() noexcept;
  bool OpenOldest();
  void CountOneAhead();
  bool ReadFile(const std::string& path, Content* content);
  Content Load(Segment* segment);
  void Remove(std::list<Segment>::iterator segment) noexcept;
  std::list<Segment>::iterator FirstNotRead() noexcept;
  bool TakeLock(const std::string& path) noexcept;
  std::list<Segment> SegmentsOf(const std::string& id, const std::vector<std::string>& names) const;

  const std::string folder_;
  const std::uint64_t max_bytes_;
  const std::string service_;
  ExporterCounts* const counts_;
  std::string error_;

  std::string id_;
  std::string lock_path_;
  FileDescriptor lock_;
  std::uint64_t made_ = 0;  // segments

  FileDescriptor writing_;  // the last segment, if it is open
  std::uint32_t next_number_ = 0;
  std::string scratch_;

  std::list<Segment> segments_;  // oldest first
  std::uint64_t bytes_ = 0;      // of all of them

  // The first segment, while it is read:
  FileDescriptor reading_;
  Content content_;
  std::size_t read_ = 0;     // of its records
  std::size_t settled_ = 0;  // of its records

  FileDescriptor adopted_lock_;
  std::string adopted_lock_path_;
};

}  // namespace tracekin

#endif  // TRACEKIN_EXPORTER_PIPELINE_SPOOL_H
