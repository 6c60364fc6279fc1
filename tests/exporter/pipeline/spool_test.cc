// SPDX-License-Identifier: Apache-2.0
#include "exporter/pipeline/spool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <thread>

#include "base/crc32c.h"
#include "exporter/encoding/zipkin_json_encoder.h"
#include "tests/exporter/pipeline/old_spool.h"
#include "tests/support/make_span.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait.h"

namespace tracekin::testing {
namespace {

using namespace exporter;

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using Ids = std::vector<std::uint64_t>;

constexpr std::size_t kNoLimit = std::size_t{1} << 30;
constexpr ValueType kInt = ValueType::kInt;

// The state of one process: a spool and its counts.
struct Process {
  explicit Process(const std::string& folder, std::uint64_t bytes = 1 << 26,
                   const std::string& service = "service")
      : spool(new Spool(folder, bytes, ResourceBytes({service, {}}), &counts)) {}

  bool Append(std::uint64_t first, std::uint64_t last, std::size_t name_bytes = 1) {
    Batch batch;
    const std::string name(name_bytes, 'n');
    for (std::uint64_t id = first; id <= last; ++id) batch.Add(MakeSpan(id, name).data());
    counts.in_flight += batch.spans;
    const bool good = spool->Append(batch);
    if (!good) counts.in_flight -= batch.spans;
    return good;
  }

  // Reads everything in batches of at most `at_once` spans, settles each, and returns the ids.
  Ids Drain(std::size_t at_once = 1000) {
    Ids ids;
    for (Batch batch; spool->Read(at_once, kNoLimit, &batch); batch.Clear()) {
      for (const std::uint64_t id : IdsOf(batch)) ids.push_back(id);
      Settle(batch.spans);
    }
    return ids;
  }

  void Settle(std::size_t spans) {
    ExporterCounts::Move(&counts.spooled, &counts.exported, spans);
    spool->Settle(spans);
  }

  Counters totals() const { return counts.Read(); }

  ExporterCounts counts;
  std::unique_ptr<Spool> spool;
};

class SpoolTest : public ::testing::Test {
 protected:
  std::vector<std::string> Files(const std::string& ending) const {
    std::vector<std::string> files;
    for (const auto& file : fs::directory_iterator(folder_)) {
      if (file.path().extension() == ending) files.push_back(file.path());
    }
    std::sort(files.begin(), files.end());
    return files;
  }

  const TempFolder temp_;
  const std::string folder_ = temp_.path();
};

std::string ServiceOf(const Batch& batch) {
  return std::string(ResourceReader(batch.resource).resource().service_name);
}

Ids Range(std::uint64_t first, std::uint64_t last) {
  Ids ids;
  for (std::uint64_t id = first; id <= last; ++id) ids.push_back(id);
  return ids;
}

TEST_F(SpoolTest, GivesBackWhatItTookInOrderAndLeavesNothing) {
  Process process(folder_);
  EXPECT_TRUE(process.Append(1, 10));
  EXPECT_TRUE(process.Append(11, 20));
  EXPECT_EQ(process.totals().spooled, 20U);
  EXPECT_EQ(process.Drain(7), Range(1, 20));
  EXPECT_EQ(process.totals().spooled, 0U);
  EXPECT_TRUE(process.spool->empty());
  EXPECT_TRUE(process.Append(21, 22));
  EXPECT_EQ(process.Drain(), Range(21, 22));
  process.spool.reset();
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(SpoolTest, TouchesNothingAsLongAsItIsNotNeeded) {
  Process process(folder_ + "/new");
  process.spool->Adopt();
  EXPECT_FALSE(fs::exists(folder_ + "/new"));
  EXPECT_TRUE(process.Append(1, 1));
  EXPECT_EQ(fs::status(folder_ + "/new").permissions(), fs::perms::owner_all);
  for (const auto& file : fs::directory_iterator(folder_ + "/new")) {
    EXPECT_EQ(file.status().permissions(), fs::perms::owner_read | fs::perms::owner_write);
  }
}

TEST_F(SpoolTest, WhatIsAddedWhileItIsReadComesLast) {
  Process process(folder_);
  EXPECT_TRUE(process.Append(1, 3));
  Batch batch;
  EXPECT_TRUE(process.spool->Read(2, kNoLimit, &batch));
  EXPECT_TRUE(process.Append(4, 5));
  process.Settle(batch.spans);
  EXPECT_EQ(process.Drain(), Range(3, 5));
}

TEST_F(SpoolTest, ADeadProcesssSpansAreAdoptedOnce) {
  auto dead = std::make_unique<Process>(folder_, 1 << 26, "other");
  EXPECT_TRUE(dead->Append(1, 100));
  Process first(folder_), second(folder_);
  first.spool->Adopt();
  EXPECT_EQ(first.Drain(), Ids{}) << "it lives";
  dead.reset();
  first.spool->Adopt();
  second.spool->Adopt();
  Batch batch;
  EXPECT_TRUE(first.spool->Read(40, kNoLimit, &batch));
  EXPECT_EQ(ServiceOf(batch), "other");
  EXPECT_EQ(first.totals().adopted, 100U);
  first.Settle(batch.spans);
  EXPECT_EQ(first.Drain(), Range(41, 100));
  EXPECT_EQ(second.Drain(), Ids{});
  EXPECT_EQ(second.totals().adopted, 0U);
  EXPECT_TRUE(fs::is_empty(folder_));
}

// In a large spool only a part is counted at first, but the count is never 0 before the end.
TEST_F(SpoolTest, ThereAreSpooledSpansAsLongAsAnyAreLeft) {
  {
    Process dead(folder_);
    for (std::uint64_t i = 0; i < 40; ++i) dead.Append(100 * i + 1, 100 * i + 100, 1000);
  }
  Process process(folder_);
  process.spool->Adopt();
  Ids ids;
  Batch batch;
  while (ids.size() < 4000) {
    EXPECT_GT(process.totals().spooled, 0U) << ids.size();
    ASSERT_TRUE(process.spool->Read(10, kNoLimit, &batch));
    for (const std::uint64_t id : IdsOf(batch)) ids.push_back(id);
    process.Settle(batch.spans);
    batch.Clear();
  }
  EXPECT_EQ(ids, Range(1, 4000));
  EXPECT_EQ(process.totals().spooled, 0U);
}

TEST_F(SpoolTest, ManyProcessesAdoptEachSpanOnce) {
  for (std::uint64_t i = 0; i < 10; ++i) Process(folder_).Append(100 * i + 1, 100 * i + 100);
  std::vector<std::thread> threads;
  std::vector<Ids> found(4);
  for (Ids& ids : found) {
    threads.emplace_back([this, &ids] {
      Process process(folder_);
      for (int i = 0; i < 20; ++i) {
        process.spool->Adopt();
        for (const std::uint64_t id : process.Drain()) ids.push_back(id);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  Ids all;
  for (const Ids& ids : found) all.insert(all.end(), ids.begin(), ids.end());
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, Range(1, 1000));
  EXPECT_TRUE(fs::is_empty(folder_));
}

// Spans that were settled are not sent again by the process that adopts the rest.
TEST_F(SpoolTest, RemembersWhatIsSettledThoughItsProcessDies) {
  {
    Process dead(folder_);
    EXPECT_TRUE(dead.Append(1, 10));
    Batch batch;
    EXPECT_TRUE(dead.spool->Read(4, kNoLimit, &batch));
    dead.Settle(batch.spans);
    batch.Clear();
    EXPECT_TRUE(dead.spool->Read(4, kNoLimit, &batch));  // these are being sent
  }
  Process process(folder_);
  process.spool->Adopt();
  EXPECT_EQ(process.Drain(), Range(5, 10));
  EXPECT_EQ(process.totals().adopted, 6U);
}

// If the damaged number were trusted, a few flipped bits would lose spans without counting them.
TEST_F(SpoolTest, SendsAgainWhatADamagedFileSaysIsSettled) {
  { EXPECT_TRUE(Process(folder_).Append(1, 10)); }
  {
    std::fstream file(Files(".spool").front(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(8);  // after the magic number
    file.put('\x09');
  }
  Process process(folder_);
  process.spool->Adopt();
  EXPECT_EQ(process.Drain(), Range(1, 10));
  EXPECT_EQ(process.totals().adopted, 10U);
}

TEST_F(SpoolTest, SurvivesKill) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    Process process(folder_);
    process.Append(1, 1000, 100);
    [[maybe_unused]] const ssize_t told = write(ready[1], "x", 1);
    pause();
  }
  char c;
  ASSERT_EQ(read(ready[0], &c, 1), 1);
  Process process(folder_);
  process.spool->Adopt();
  EXPECT_TRUE(process.spool->empty()) << "its process lives";
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  process.spool->Adopt();
  EXPECT_EQ(process.Drain(), Range(1, 1000));
}

TEST_F(SpoolTest, AForkedChildLeavesItsParentsFilesAlone) {
  Process parent(folder_);
  EXPECT_TRUE(parent.Append(1, 5));
  const pid_t child = fork();
  if (child == 0) {
    parent.spool->AbandonAfterFork();
    Process own(folder_);
    own.spool->Adopt();
    const bool good = own.Drain().empty() && own.Append(6, 7);
    _exit(good ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(parent.Append(8, 8));
  parent.spool->Adopt();
  EXPECT_THAT(parent.Drain(), ::testing::UnorderedElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_EQ(parent.totals().adopted, 2U);
}

TEST_F(SpoolTest, DropsTheOldestWhenItIsFull) {
  Process process(folder_, 1 << 22);
  constexpr std::uint64_t kBatches = 100;
  for (std::uint64_t i = 0; i < kBatches; ++i) {
    EXPECT_TRUE(process.Append(100 * i + 1, 100 * i + 100, 1000));
    std::uint64_t bytes = 0;
    for (const std::string& file : Files(".spool")) bytes += fs::file_size(file);
    EXPECT_LE(bytes, 1U << 22);
  }
  const Counters totals = process.totals();
  EXPECT_GT(totals.dropped.spool_full, 0U);
  EXPECT_EQ(totals.spooled + totals.dropped.spool_full, 100 * kBatches);
  EXPECT_GT(totals.spooled * 1080, 3U << 20) << "most of the room is used";
  EXPECT_EQ(process.Drain(), Range(totals.dropped.spool_full + 1, 100 * kBatches));
}

// An adopted segment that has not been read yet is counted before it is deleted.
TEST_F(SpoolTest, DropsAdoptedSpansFirst) {
  { Process(folder_, 1 << 22).Append(1, 1000, 1000); }
  Process process(folder_, 1 << 22);
  process.spool->Adopt();
  for (std::uint64_t i = 0; i < 40; ++i) {
    EXPECT_TRUE(process.Append(2000 + 100 * i, 2000 + 100 * i + 99, 1000));
  }
  const Counters totals = process.totals();
  EXPECT_EQ(totals.adopted, 1000U);
  EXPECT_EQ(totals.dropped.spool_full + totals.spooled, 5000U);
  EXPECT_EQ(process.Drain().size(), totals.spooled);
}

TEST_F(SpoolTest, ATornTailLosesOneSpan) {
  { Process(folder_).Append(1, 10); }
  const std::string file = Files(".spool").at(0);
  fs::resize_file(file, fs::file_size(file) - 3);
  Process process(folder_);
  process.spool->Adopt();
  EXPECT_EQ(process.Drain(), Range(1, 9));
  EXPECT_EQ(process.totals().dropped.spool_corrupt, 1U);
  EXPECT_EQ(process.totals().adopted, 10U);
}

// A flipped bit may be anywhere. No new span may appear, and the spans of other records must be
// found.
TEST_F(SpoolTest, AFlippedBitLosesOneSpanAtMost) {
  { Process(folder_).Append(1, 3); }
  const std::string file = Files(".spool").at(0);
  std::string whole;
  {
    std::ifstream in(file, std::ios::binary);
    whole.assign(std::istreambuf_iterator<char>(in), {});
  }
  constexpr std::size_t kSettled = 8;
  constexpr std::size_t kServiceSize = 16;
  constexpr std::size_t kHeader = 24 + sizeof(EntryHeader) + 8;  // "service"
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    std::ofstream(file, std::ios::binary) << damaged;
    std::ofstream(fs::path(file).replace_extension().replace_extension(".lock"));
    Process process(folder_);
    process.spool->Adopt();
    const Ids ids = process.Drain();
    const Counters totals = process.totals();
    if (bit / 8 >= kHeader) {
      EXPECT_EQ(ids.size(), 2U) << bit;
      EXPECT_EQ(totals.dropped.spool_corrupt, 1U) << bit;
    } else if (bit / 8 >= kSettled && bit / 8 < kServiceSize) {
      EXPECT_EQ(ids, Range(1, 3)) << bit;
    }
    for (const std::uint64_t id : ids) EXPECT_TRUE(id >= 1 && id <= 3) << bit;
    EXPECT_EQ(totals.adopted, totals.exported + totals.dropped.spool_corrupt) << bit;
  }
}

// A segment with valid checksums, as another program may write it.
class ForeignSegment {
 public:
  explicit ForeignSegment(std::string_view resource, std::string_view magic = "TKSPOOL3") {
    Put(magic);
    const std::uint32_t settled = 0;
    Put(BytesOf(settled));
    Put(BytesOf(Crc32c(BytesOf(settled))));
    Put(BytesOf(static_cast<std::uint32_t>(resource.size())));
    Put(BytesOf(Crc32c(resource)));
    Put(resource);
  }

  void AddSpan(std::uint64_t id) { AddSpan(MakeSpan(id)); }

  void AddSpan(const std::string& span) {
    const auto size = static_cast<std::uint32_t>(span.size());
    AddHeader(size, Crc32c(span, Crc32c(BytesOf(size), Crc32c(BytesOf(records_)))));
    Put(span);
  }

  // Adds the header of a record. The caller computes its checksum.
  void AddHeader(std::uint32_t size, std::uint32_t crc) {
    Put("SPAN");
    Put(BytesOf(records_++));
    Put(BytesOf(size));
    Put(BytesOf(crc));
  }

  std::size_t size() const { return bytes_.size(); }

  void Leave(const std::string& folder) const {
    std::ofstream(folder + "/1-1.lock");
    std::ofstream(folder + "/1-1.00000001.spool", std::ios::binary) << bytes_;
  }

 private:
  template <class Integer>
  static std::string_view BytesOf(const Integer& value) {
    return {reinterpret_cast<const char*>(&value), sizeof value};
  }
  void Put(std::string_view bytes) { bytes_ += bytes; }

  std::string bytes_;
  std::uint32_t records_ = 0;
};

// Otherwise each of thousands of spans would contain a copy of the resource.
TEST_F(SpoolTest, AResourceNeverMultipliesTheMemoryOfAFile) {
  ForeignSegment segment(ResourceBytes({std::string(3 << 20, 'S'), {}}));
  for (std::uint64_t id = 1; id <= 10; ++id) segment.AddSpan(id);
  segment.Leave(folder_);
  Process process(folder_);
  process.spool->Adopt();
  EXPECT_EQ(process.Drain(), Ids{});
  EXPECT_GE(process.totals().dropped.spool_corrupt, 1U);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(SpoolTest, ALargeResourceOfOnesOwnIsCutAndItsSpansComeBack) {
  const std::string service = std::string(1023, 's') + "\xC3\xA4" + std::string(65536, '.');
  {
    Process dead(folder_, 1 << 26, service);
    EXPECT_TRUE(dead.Append(1, 3));
    EXPECT_TRUE(dead.Append(4, 4));
    Batch batch;
    EXPECT_TRUE(dead.spool->Read(1, kNoLimit, &batch));
    EXPECT_EQ(batch.resource, "") << "the process's own, uncut";
  }
  Process process(folder_);
  process.spool->Adopt();
  Batch batch;
  EXPECT_TRUE(process.spool->Read(10, kNoLimit, &batch));
  EXPECT_EQ(ServiceOf(batch), std::string(1023, 's'));
  EXPECT_EQ(IdsOf(batch), Range(1, 4));
}

TEST_F(SpoolTest, ResourcesAreKeptWithTheirTags) {
  {
    ExporterCounts counts;
    const std::string resource = ResourceBytes({"other", {{"zone", "a"}, {"cpus", "4", kInt}}});
    Spool spool(folder_, 1 << 26, resource, &counts);
    Batch batch;
    batch.Add(MakeSpan(1).data());
    EXPECT_TRUE(spool.Append(batch));
  }
  Process process(folder_);
  process.spool->Adopt();
  Batch batch;
  ASSERT_TRUE(process.spool->Read(10, kNoLimit, &batch));
  const ResourceReader reader(batch.resource);
  EXPECT_EQ(reader.resource().service_name, "other");
  ASSERT_EQ(reader.resource().tags.size(), 2U);
  EXPECT_EQ(reader.resource().tags[1].key, "cpus");
  EXPECT_EQ(reader.resource().tags[1].value, "4");
  EXPECT_EQ(reader.resource().tags[1].type, kInt);
  process.Settle(batch.spans);
}

TEST_F(SpoolTest, AResourceThatIsNoneIsNeverRead) {
  ForeignSegment segment("no entries");
  segment.AddSpan(1);
  segment.Leave(folder_);
  Process process(folder_);
  process.spool->Adopt();
  EXPECT_EQ(process.Drain(), Ids{});
  EXPECT_EQ(process.totals().adopted, 1U);
  EXPECT_EQ(process.totals().dropped.spool_corrupt, 1U);
}

// Version 0.1 wrote three spans of a tracer with two tags; see old_spool.h.
TEST_F(SpoolTest, SpansThatVersion01WroteAreRead) {
  std::ofstream(folder_ + "/1-1.lock");
  std::ofstream(folder_ + "/1-1.00000001.spool", std::ios::binary) << OldSpool();
  Process process(folder_);
  process.spool->Adopt();
  Batch batch;
  ASSERT_TRUE(process.spool->Read(10, kNoLimit, &batch));
  EXPECT_EQ(ServiceOf(batch), "veteran");
  EXPECT_EQ(batch.spans, 3U);
  const ResourceReader reader(batch.resource);
  SpanDecoder decoder;
  ZipkinJsonEncoder encoder(ZipkinJsonEncoder::Framing::kArray);
  std::string body;
  encoder.Begin(reader.resource(), &body);
  batch.ForEach([&](const char* span) {
    SpanRecord record = decoder.Decode(span);
    record.trace_id_high = record.trace_id_low = record.span_id = 1;
    record.duration_ns = 1000;
    encoder.Add(record, &body);
  });
  encoder.End(3, &body);
  EXPECT_EQ(body, kOldSpoolAsJson);
  process.Settle(batch.spans);
  EXPECT_TRUE(fs::is_empty(folder_));
  EXPECT_EQ(process.totals().dropped.spool_corrupt, 0U);
}

// The byte that now contains a value's type was unused in version 0.1 and could have any value.
TEST_F(SpoolTest, WhatVersion01LeftBetweenFieldsIsNeverTakenForAType) {
  std::string span = MakeSpan(1);
  span[sizeof(SpanHeader) + 1] = '\xff';
  for (const bool old : {true, false}) {
    ForeignSegment segment(old ? "veteran" : ResourceBytes({"veteran", {}}),
                           old ? "TKSPOOL2" : "TKSPOOL3");
    segment.AddSpan(span);
    segment.Leave(folder_);
    Process process(folder_);
    process.spool->Adopt();
    EXPECT_EQ(process.Drain(), old ? Range(1, 1) : Ids{});
    EXPECT_EQ(process.totals().dropped.spool_corrupt, old ? 0U : 1U);
  }
}

TEST_F(SpoolTest, TheNameOfAServiceIsNeverInvalidUtf8) {
  ForeignSegment segment(ResourceBytes({"bad\xff\xfe\"name", {}}));
  segment.AddSpan(1);
  segment.Leave(folder_);
  Process process(folder_);
  process.spool->Adopt();
  Batch batch;
  EXPECT_TRUE(process.spool->Read(10, kNoLimit, &batch));
  EXPECT_EQ(ServiceOf(batch), "bad\xEF\xBF\xBD\xEF\xBF\xBD\"name");
  process.Settle(batch.spans);
}

// Each of the headers in this 4 MiB file requests a checksum of everything that follows it.
// Computing all of them would take a minute.
TEST_F(SpoolTest, AFileOfNothingButHeadersIsNeverReadAgainAndAgain) {
  ForeignSegment segment(ResourceBytes({"service", {}}));
  segment.AddSpan(1);
  constexpr std::size_t kBytes = 4 << 20;
  while (segment.size() < kBytes - 512) {
    segment.AddHeader(static_cast<std::uint32_t>(kBytes - segment.size() - 528), 0);
  }
  segment.Leave(folder_);
  Process process(folder_);
  const Stopwatch stopwatch;
  process.spool->Adopt();
  EXPECT_EQ(process.Drain(), Range(1, 1));
  EXPECT_LT(stopwatch.elapsed(), std::chrono::seconds(10));
  EXPECT_GE(process.totals().dropped.spool_corrupt, 1U);
}

// Repeats this with sizes that are valid for a span.
TEST_F(SpoolTest, AFileOfOverlappingRecordsIsNeverReadAgainAndAgain) {
  ForeignSegment segment(ResourceBytes({"service", {}}));
  segment.AddSpan(1);
  while (segment.size() < (4 << 20) - 32) segment.AddHeader(kMaxSpanBytes, 0);
  segment.Leave(folder_);
  Process process(folder_);
  const Stopwatch stopwatch;
  process.spool->Adopt();
  EXPECT_EQ(process.Drain(), Range(1, 1));
  EXPECT_LT(stopwatch.elapsed(), std::chrono::seconds(10));
}

TEST_F(SpoolTest, CountsAllSpansOfAFileThatIsGone) {
  Process process(folder_);
  EXPECT_TRUE(process.Append(1, 10));
  fs::remove(Files(".spool").at(0));
  EXPECT_EQ(process.Drain(), Ids{});
  EXPECT_EQ(process.totals().dropped.spool_corrupt, 10U);
  EXPECT_EQ(process.totals().spooled, 0U);
}

TEST_F(SpoolTest, BeginsAnewWhereItsFolderWasRemoved) {
  Process process(folder_);
  EXPECT_TRUE(process.Append(1, 10));
  fs::remove_all(folder_);
  EXPECT_TRUE(process.Append(11, 20));
  EXPECT_EQ(process.Drain(), Range(11, 20));
  EXPECT_EQ(process.totals().dropped.spool_corrupt, 10U);
}

TEST_F(SpoolTest, SaysWhyItTakesNothing) {
  std::ofstream(folder_ + "/file");
  Process process(folder_ + "/file");
  EXPECT_FALSE(process.Append(1, 1));
  EXPECT_THAT(process.spool->error(), HasSubstr(folder_ + "/file"));
  EXPECT_THAT(process.spool->error(), HasSubstr("Not a directory"));
  EXPECT_EQ(process.totals().spooled, 0U);
  Process nowhere(folder_ + "/no/folder");
  EXPECT_FALSE(nowhere.Append(1, 1));
  EXPECT_THAT(nowhere.spool->error(), HasSubstr("No such file or directory"));
}

// The part of a batch that was written before the disk was full is removed again.
TEST_F(SpoolTest, AFullDiskLosesNothingThatWasTaken) {
  const std::string disk = folder_ + "/disk";
  fs::create_directory(disk);
  if (mount("none", disk.c_str(), "tmpfs", 0, "size=256k") != 0) {
    GTEST_SKIP() << "SKIPPED: cannot mount a small disk: " << std::strerror(errno);
  }
  {
    Process process(disk);
    std::uint64_t taken = 0;
    while (process.Append(taken + 1, taken + 10, 1000)) taken += 10;
    EXPECT_GT(taken, 100U);
    EXPECT_THAT(process.spool->error(), HasSubstr("No space left on device"));
    EXPECT_EQ(process.totals().spooled, taken);
    EXPECT_EQ(process.Drain(), Range(1, taken));
    EXPECT_EQ(process.totals().dropped.spool_corrupt, 0U);
    EXPECT_TRUE(process.Append(1, 10, 1000)) << "there is room again";
  }
  umount(disk.c_str());
}

// Daemons close unknown descriptors and may get the same numbers for their own files.
TEST_F(SpoolTest, LeavesDescriptorsAloneThatHaveBecomeAnothers) {
  Process process(folder_);
  EXPECT_TRUE(process.Append(1, 2));
  for (int descriptor = 3; descriptor < 64; ++descriptor) {
    std::error_code error;
    const auto target = fs::read_symlink("/proc/self/fd/" + std::to_string(descriptor), error);
    if (!error && target.string().rfind(folder_, 0) == 0) close(descriptor);
  }
  const std::string other = folder_ + "/other";
  std::vector<int> descriptors;
  for (int i = 0; i < 8; ++i) {
    descriptors.push_back(open(other.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  }
  EXPECT_TRUE(process.Append(3, 4));
  EXPECT_EQ(fs::file_size(other), 0U);
  process.spool->Adopt();
  process.spool.reset();
  for (const int descriptor : descriptors) {
    EXPECT_EQ(fcntl(descriptor, F_GETFD), FD_CLOEXEC);
    close(descriptor);
  }
}

TEST_F(SpoolTest, LeavesWhatIsNoSpoolAlone) {
  std::ofstream(folder_ + "/1-a.lock");
  std::ofstream(folder_ + "/1-a.00000001.spool") << "this is no segment, but ends like one";
  fs::create_directory(folder_ + "/2-b.lock");
  fs::create_symlink("/etc/passwd", folder_ + "/3-c.lock");
  std::ofstream(folder_ + "/notes.txt") << "notes";
  Process process(folder_);
  for (int i = 0; i < 3; ++i) process.spool->Adopt();
  EXPECT_EQ(process.Drain(), Ids{});
  EXPECT_EQ(process.totals().adopted, process.totals().dropped.spool_corrupt);
  EXPECT_TRUE(fs::exists(folder_ + "/2-b.lock"));
  EXPECT_TRUE(fs::exists(folder_ + "/notes.txt"));
}

}  // namespace
}  // namespace tracekin::testing
