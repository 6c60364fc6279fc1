// SPDX-License-Identifier: Apache-2.0
#include "exporter/pipeline/spool.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <memory>
#include <new>
#include <utility>

#include "base/crc32c.h"
#include "base/random_seed.h"
#include "base/standard_descriptors.h"
#include "base/strings.h"
#include "base/utf8.h"

namespace tracekin::exporter {

namespace {

constexpr std::string_view kMagic = "TKSPOOL3";
constexpr std::string_view kOldMagic = "TKSPOOL2";  // the magic number of tracekin 0.1
constexpr std::string_view kLockSuffix = ".lock";
constexpr std::string_view kSegmentSuffix = ".spool";

// The number of records that need not be sent any more. Both fields are written together.
struct Settled {
  std::uint32_t records;
  std::uint32_t crc;
};

struct SegmentHeader {
  char magic[8];
  Settled settled;
  std::uint32_t resource_size;
  std::uint32_t resource_crc;
};
static_assert(sizeof(SegmentHeader) == 24);

struct RecordHeader {
  std::uint32_t magic;
  std::uint32_t number;
  std::uint32_t size;
  std::uint32_t crc;
};
constexpr std::uint32_t kRecordMagic = 0x4E415053;  // "SPAN" in little-endian byte order

// Small enough to be read in one piece, and to be dropped in one piece when the spool is full.
constexpr std::uint64_t kSegmentBytes = 1 << 20;
// Our own segments are not larger, because at most one batch is written beyond kSegmentBytes.
constexpr std::uint64_t kMaxSegmentBytes = 4 * kSegmentBytes;

// Limits how many bytes are check-summed in vain to find the next whole record of a damaged file.
// Records that are really damaged need far less. Without a limit, it would take extremely long to
// read a file crafted to look like many overlapping records.
constexpr std::size_t kMaxEffort = 16 * kMaxSegmentBytes;

// A larger resource is cut to the service's name when it is written, and counts as damage when it
// is read.
constexpr std::size_t kMaxResourceBytes = 65536;
constexpr std::size_t kMaxServiceBytes = 1024;

template <class T>
bool ReadAt(std::string_view bytes, std::size_t at, T* value) {
  if (bytes.size() < sizeof(T) || at > bytes.size() - sizeof(T)) return false;
  std::memcpy(value, bytes.data() + at, sizeof(T));
  return true;
}

template <class T>
std::string_view BytesOf(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::uint32_t CheckSum(const RecordHeader& header, std::string_view span) {
  return Crc32c(span, Crc32c(BytesOf(header.size), Crc32c(BytesOf(header.number))));
}

Settled MakeSettled(std::uint32_t records) { return {records, Crc32c(BytesOf(records))}; }

// Returns the number of settled records, or 0 if its check sum is wrong: it is better to send spans
// twice than not at all.
std::uint32_t RecordsOf(const Settled& settled) {
  return MakeSettled(settled.records).crc == settled.crc ? settled.records : 0;
}

bool WriteAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (written == 0 || errno != EINTR) {
      return false;
    }
  }
  return true;
}

// Opens a regular file that belongs to this user. Returns -1 for any other file.
int OpenOurs(const std::string& path, int flags, std::uint64_t* bytes = nullptr) {
  const int descriptor =
      AboveStandardDescriptors(open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (descriptor == -1) return -1;
  struct stat file;
  if (fstat(descriptor, &file) != 0 || !S_ISREG(file.st_mode) || file.st_uid != geteuid()) {
    close(descriptor);
    errno = EPERM;
    return -1;
  }
  if (bytes != nullptr) *bytes = static_cast<std::uint64_t>(file.st_size);
  return descriptor;
}

bool ReadAll(int descriptor, std::uint64_t size, std::string* bytes) {
  bytes->resize(size);
  std::size_t have = 0;
  while (have < size) {
    const ssize_t got = read(descriptor, bytes->data() + have, size - have);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    have += static_cast<std::size_t>(got);
  }
  return true;
}

std::string CutResource(std::string_view entries) {
  if (entries.size() <= kMaxResourceBytes) return std::string(entries);
  const ResourceReader reader(entries);
  return ResourceBytes({TruncateUtf8(reader.resource().service_name, kMaxServiceBytes), {}});
}

// Converts a span written by tracekin 0.1 to the current format, in which every entry has a type.
// All values become text. REQUIRES: the check sum of the span is correct.
void MakeValuesText(char* span, std::size_t size) {
  std::size_t at = sizeof(SpanHeader);
  while (at < size && size - at >= sizeof(EntryHeader)) {
    span[at + offsetof(EntryHeader, value_type)] = static_cast<char>(ValueType::kText);
    at += ReadEntry(span + at).header.size();
  }
}

// Reads the record at the beginning of `bytes`. Returns false if there is no valid record. In that
// case, subtracts the number of bytes that were check-summed in vain from `effort`. A record that
// is larger than `effort` is not read.
bool ReadRecord(std::string_view bytes, bool old, RecordHeader* header, std::string_view* span,
                std::size_t* effort) {
  if (!ReadAt(bytes, 0, header) || header->magic != kRecordMagic) return false;
  bytes.remove_prefix(sizeof *header);
  if (header->size > std::min<std::size_t>({bytes.size(), kMaxSpanBytes, *effort})) return false;
  *span = bytes.substr(0, header->size);
  if (header->crc == CheckSum(*header, *span)) {
    if (old) MakeValuesText(const_cast<char*>(span->data()), span->size());
    if (IsWellFormedSpan(*span)) return true;
  }
  *effort -= header->size;
  return false;
}

std::vector<std::string> FilesOf(const std::string& folder) {
  std::vector<std::string> names;
  const StandardDescriptorsTaken taken;  // needed because opendir() opens a descriptor
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(opendir(folder.c_str()), closedir);
  if (dir == nullptr && errno == ENOMEM) throw std::bad_alloc();
  if (dir == nullptr) return names;
  while (const dirent* entry = readdir(dir.get())) names.emplace_back(entry->d_name);
  std::sort(names.begin(), names.end());
  return names;
}

std::string NewId() {
  char id[48];
  std::snprintf(id, sizeof id, "%ld-%016" PRIx64, static_cast<long>(getpid()), RandomSeed());
  return id;
}

}  // namespace

Spool::Spool(std::string folder, std::uint64_t max_bytes, std::string_view resource,
             ExporterCounts* counts)
    : folder_(std::move(folder)),
      max_bytes_(max_bytes),
      resource_(CutResource(resource)),
      counts_(counts) {}

Spool::~Spool() {
  const bool own_left = std::any_of(segments_.begin(), segments_.end(),
                                    [](const Segment& segment) { return !segment.adopted; });
  if (lock_.IsOurs() && !own_left) unlink(lock_path_.c_str());
}

bool Spool::Fail(const std::string& what, const std::string& path) {
  // Uses the English message, because strerror() would look in the environment for a language
  // (sender.cc).
  const char* const error = strerrordesc_np(errno);
  error_ =
      "spool: cannot " + what + ' ' + path + ": " + (error != nullptr ? error : "unknown error");
  return false;
}

// Makes the folder, and our lock file in it unless it exists. If somebody removed our lock file,
// our segments are gone as well, or another process will adopt them. In that case, starts again
// with an empty spool.
bool Spool::BeOwner() {
  if (lock_.IsOurs(true)) return true;
  writing_.Close();
  if (mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST) return Fail("make", folder_);
  // A process that looks for segments to adopt may take the lock first and remove the file.
  for (int tries = 0; tries < 5; ++tries) {
    id_ = NewId();
    lock_path_ = folder_ + '/' + id_ + ".lock";
    const int descriptor = AboveStandardDescriptors(
        open(lock_path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (descriptor == -1) return Fail("make", lock_path_);
    lock_.Set(descriptor);
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0 && lock_.IsOurs(true)) return true;
    lock_.Close();
  }
  errno = EAGAIN;
  return Fail("lock", folder_);
}

// Allocates all memory before it makes the file.
bool Spool::OpenSegment() {
  if (!BeOwner()) return false;
  const std::uint64_t limit = std::min(kSegmentBytes, max_bytes_ / 4);
  if (writing_.IsOurs(true) && segments_.back().bytes < limit) return true;
  writing_.Close();
  char suffix[32];
  std::snprintf(suffix, sizeof suffix, ".%08" PRIu64 ".spool", ++made_);
  SegmentHeader header{};
  header.settled = MakeSettled(0);
  kMagic.copy(header.magic, sizeof header.magic);
  header.resource_size = static_cast<std::uint32_t>(resource_.size());
  header.resource_crc = Crc32c(resource_);
  const std::string text = std::string(BytesOf(header)) + resource_;
  std::list<Segment> made;
  made.push_back({folder_ + '/' + id_ + suffix, text.size(), 0, true, false});
  if (!WriteSegment(made.back().path, text)) return false;
  segments_.splice(segments_.end(), made);
  bytes_ += text.size();
  next_number_ = 0;
  return true;
}

// Makes the file to which spans are written from now on.
bool Spool::WriteSegment(const std::string& path, std::string_view header) {
  const int descriptor = AboveStandardDescriptors(
      open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600));
  if (descriptor == -1) return Fail("make", path);
  writing_.Set(descriptor);
  if (WriteAll(descriptor, header)) return true;
  const int error = errno;
  writing_.Close();
  unlink(path.c_str());
  errno = error;
  return Fail("write to", path);
}

bool Spool::Append(const Batch& batch) {
  if (!OpenSegment()) return false;
  scratch_.clear();
  std::uint32_t number = next_number_;
  batch.ForEach([&](const char* span) {
    RecordHeader header{kRecordMagic, number++, SpanSize(span), 0};
    header.crc = CheckSum(header, {span, header.size});
    scratch_.append(BytesOf(header)).append(span, header.size);
  });
  Segment& segment = segments_.back();
  if (!WriteAll(writing_.get(), scratch_)) {
    const int error = errno;
    // Otherwise the part that was written would be read as if its records were complete.
    if (ftruncate(writing_.get(), static_cast<off_t>(segment.bytes)) != 0) writing_.Close();
    errno = error;
    return Fail("write to", segment.path);
  }
  next_number_ = number;
  segment.bytes += scratch_.size();
  segment.spans += batch.spans;
  bytes_ += scratch_.size();
  ExporterCounts::Move(&counts_->in_flight, &counts_->spooled, batch.spans);
  MakeRoom();
  return true;
}

// Returns the oldest segment that is not being read.
std::list<Spool::Segment>::iterator Spool::FirstNotRead() noexcept {
  return reading_.get() != -1 ? std::next(segments_.begin()) : segments_.begin();
}

// Drops the oldest segments, except for the one that is being read and the one that is being
// written. A segment stays until the next call if there is no memory to count its spans.
void Spool::MakeRoom() noexcept {
  while (bytes_ > max_bytes_) {
    const auto oldest = FirstNotRead();
    if (oldest == segments_.end() || std::next(oldest) == segments_.end()) return;
    try {
      if (!oldest->counted) Load(&*oldest);
    } catch (const std::bad_alloc&) {
      return;
    }
    ExporterCounts::Move(&counts_->spooled, &counts_->dropped.spool_full, oldest->spans);
    Remove(oldest);
  }
}

bool Spool::ReadFile(const std::string& path, Content* content) {
  FileDescriptor file;
  std::uint64_t size = 0;
  file.Set(OpenOurs(path, O_RDONLY, &size));
  if (file.get() == -1) return Fail("open", path);
  if (size > kMaxSegmentBytes || !ReadAll(file.get(), size, &content->bytes)) {
    return Fail("read", path);
  }
  const std::string_view bytes = content->bytes;
  SegmentHeader header;
  const bool has_header = ReadAt(bytes, 0, &header);
  const std::string_view magic(header.magic, has_header ? kMagic.size() : 0);
  const bool old = magic == kOldMagic;
  const std::size_t at = sizeof header;
  if ((!old && magic != kMagic) ||
      header.resource_size > std::min(bytes.size() - at, kMaxResourceBytes)) {
    errno = EBADMSG;
    return Fail("read", path);
  }
  const std::string_view resource = bytes.substr(at, header.resource_size);
  if (Crc32c(resource) != header.resource_crc || (!old && !AreWellFormedEntries(resource))) {
    errno = EBADMSG;
    return Fail("read", path);
  }
  content->resource = old ? ResourceBytes({resource, {}}) : std::string(resource);
  ReadRecords(at + resource.size(), RecordsOf(header.settled), old, content);
  return true;
}

// Reads the records from offset `at` on. The first record that is not settled has the number
// `expected`.
void Spool::ReadRecords(std::size_t at, std::uint32_t expected, bool old, Content* content) {
  const std::string_view bytes = content->bytes;
  std::size_t effort = kMaxEffort;
  bool torn = false;
  while (at < bytes.size()) {
    RecordHeader record;
    std::string_view span;
    torn = !ReadRecord(bytes.substr(at), old, &record, &span, &effort);
    if (torn) {
      at = std::min(bytes.find(BytesOf(kRecordMagic), at + 1), bytes.size());
      continue;
    }
    if (record.number >= expected) {
      content->lost += record.number - expected;
      expected = record.number + 1;
      content->records.push_back({record.number, span});
    }
    at += sizeof record + span.size();
  }
  if (torn) ++content->lost;  // at least one
}

// Reads a segment and corrects the counts, because its content is known now.
Spool::Content Spool::Load(Segment* segment) {
  Content content;
  const bool read = ReadFile(segment->path, &content);
  if (!segment->counted) {
    if (!read) content.lost = 1;  // at least one
    segment->spans = content.records.size() + content.lost;
    segment->counted = true;
    ExporterCounts::Add(&counts_->adopted, segment->spans);
    ExporterCounts::Add(&counts_->spooled, segment->spans);
  }
  const std::uint64_t lost = segment->spans - content.records.size();
  if (lost != 0) ExporterCounts::Move(&counts_->spooled, &counts_->dropped.spool_corrupt, lost);
  segment->spans -= lost;
  return content;
}

bool Spool::OpenOldest() {
  while (reading_.get() == -1) {
    if (segments_.empty()) return false;
    if (segments_.size() == 1) writing_.Close();  // nothing is appended to a segment that is read
    content_ = Load(&segments_.front());
    read_ = settled_ = 0;
    if (!content_.records.empty()) {
      reading_.Set(OpenOurs(segments_.front().path, O_WRONLY));
      if (reading_.get() == -1) return Fail("open", segments_.front().path);
    } else {
      Remove(segments_.begin());
    }
  }
  CountOneAhead();
  return true;
}

// Counts the spans of the next segment, so that `spooled` is not 0 between two adopted segments.
// Counting the spans of all segments could take long.
void Spool::CountOneAhead() {
  const auto next = FirstNotRead();
  if (next != segments_.end() && !next->counted) Load(&*next);
}

bool Spool::Read(std::size_t max_spans, std::size_t max_bytes, Batch* batch) noexcept {
  std::size_t first = read_;
  try {
    if (!OpenOldest()) return false;
    first = read_;
    if (content_.resource != resource_) batch->resource = content_.resource;
    while (read_ < content_.records.size() && batch->spans < max_spans &&
           batch->bytes.size() < max_bytes) {
      batch->Add(content_.records[read_].span.data());
      ++read_;
    }
  } catch (const std::bad_alloc&) {
    read_ = first;
    return false;
  }
  return batch->spans != 0;
}

void Spool::Settle(std::size_t spans) noexcept {
  settled_ += spans;
  segments_.front().spans -= spans;
  if (settled_ == content_.records.size()) {
    reading_.Close();
    content_ = {};
    return Remove(segments_.begin());
  }
  // If this fails and the process dies now, the spans are sent twice.
  const Settled settled = MakeSettled(content_.records[settled_].number);
  if (!reading_.IsOurs()) return;
  [[maybe_unused]] const ssize_t written =
      pwrite(reading_.get(), &settled, sizeof settled, offsetof(SegmentHeader, settled));
}

void Spool::Remove(std::list<Segment>::iterator segment) noexcept {
  if (std::next(segment) == segments_.end()) writing_.Close();
  unlink(segment->path.c_str());
  bytes_ -= segment->bytes;
  segments_.erase(segment);
  const bool adopted_left = std::any_of(segments_.begin(), segments_.end(),
                                        [](const Segment& left) { return left.adopted; });
  if (adopted_lock_.get() != -1 && !adopted_left) {
    unlink(adopted_lock_path_.c_str());
    adopted_lock_.Close();
  }
}

// Adopts the segments of one dead process at a time. Its lock is held until its segments are gone.
void Spool::Adopt() {
  if (adopted_lock_.get() != -1) return;
  const std::vector<std::string> names = FilesOf(folder_);
  for (const std::string& name : names) {
    if (!EndsWith(name, kLockSuffix)) continue;
    const std::string id = name.substr(0, name.size() - kLockSuffix.size());
    if (id == id_) continue;
    std::string path = folder_ + '/' + name;
    if (!TakeLock(path)) continue;
    std::list<Segment> found;
    try {
      found = SegmentsOf(id, names);
    } catch (...) {
      adopted_lock_.Close();
      throw;
    }
    if (found.empty()) {
      unlink(path.c_str());
      adopted_lock_.Close();
      continue;
    }
    adopted_lock_path_ = std::move(path);
    for (const Segment& segment : found) bytes_ += segment.bytes;
    // They are older than ours, except for the segment that is being read.
    segments_.splice(FirstNotRead(), found);
    CountOneAhead();
    return MakeRoom();
  }
}

// Returns whether the process that made the lock file is dead and no other process has adopted its
// segments.
bool Spool::TakeLock(const std::string& path) noexcept {
  adopted_lock_.Set(OpenOurs(path, O_RDWR));
  if (adopted_lock_.get() == -1) return false;
  if (flock(adopted_lock_.get(), LOCK_EX | LOCK_NB) != 0 || !adopted_lock_.IsOurs(true)) {
    adopted_lock_.Close();
    return false;
  }
  return true;
}

// Returns the segments of process `id` among the sorted file names of the folder.
std::list<Spool::Segment> Spool::SegmentsOf(const std::string& id,
                                            const std::vector<std::string>& names) const {
  std::list<Segment> found;
  const std::string prefix = id + '.';
  for (auto name = std::lower_bound(names.begin(), names.end(), prefix);
       name != names.end() && name->compare(0, prefix.size(), prefix) == 0; ++name) {
    if (!EndsWith(*name, kSegmentSuffix)) continue;
    std::string path = folder_ + '/' + *name;
    FileDescriptor file;
    std::uint64_t bytes = 0;
    file.Set(OpenOurs(path, O_RDONLY, &bytes));
    if (file.get() != -1) found.push_back({std::move(path), bytes, 0, false, true});
  }
  return found;
}

void Spool::AbandonAfterFork() noexcept {
  for (FileDescriptor* descriptor : {&lock_, &writing_, &reading_, &adopted_lock_}) {
    descriptor->Close();
  }
}

}  // namespace tracekin::exporter
