// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader of segments that a dead process left in the spool. The first byte selects the
// format of the rest of the input. It is either the bytes of a file, or spans and the bytes between
// them. This program builds a segment with valid check sums from the latter.
#include "exporter/pipeline/spool.h"

#include <sys/file.h>

#include <fstream>
#include <string>
#include <vector>

#include "base/crc32c.h"
#include "base/file_descriptor.h"
#include "fuzz/check.h"
#include "fuzz/input.h"
#include "fuzz/span.h"
#include "tests/support/temp_folder.h"

namespace {

using namespace tracekin;

template <class Integer>
std::string_view BytesOf(const Integer& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

struct Segment {
  std::string bytes;
  std::vector<std::string> spans;  // spans that must be found
  std::uint64_t lost = 0;          // number of records that are missing in the sequence
  std::size_t records = 0;
};

void Begin(std::uint32_t settled, std::string_view resource, Segment* segment) {
  const auto size = static_cast<std::uint32_t>(resource.size());
  segment->bytes.append("TKSPOOL3")
      .append(BytesOf(settled))
      .append(BytesOf(Crc32c(BytesOf(settled))));
  segment->bytes.append(BytesOf(size)).append(BytesOf(Crc32c(resource))).append(resource);
}

void AddRecord(std::uint32_t number, std::string_view span, Segment* segment) {
  const auto size = static_cast<std::uint32_t>(span.size());
  const std::uint32_t crc = Crc32c(span, Crc32c(BytesOf(size), Crc32c(BytesOf(number))));
  segment->bytes.append("SPAN").append(BytesOf(number)).append(BytesOf(size));
  segment->bytes.append(BytesOf(crc)).append(span);
  ++segment->records;
}

// From this size on, the input contains the raw bytes of a resource instead of a service name.
constexpr std::size_t kMaxService = 0xF0;

// Builds records with increasing numbers, and bytes between them, from the input.
Segment Build(Input* input) {
  Segment segment;
  const std::uint32_t settled = input->Take<std::uint8_t>() % 4;
  const std::size_t service_size = input->Take<std::uint8_t>();
  const std::string_view service = input->TakeBytes(service_size);
  const std::string resource =
      service_size < kMaxService ? exporter::ResourceBytes({service, {}}) : std::string(service);
  Begin(settled, resource, &segment);
  std::uint32_t next = 0;
  std::uint32_t expected = settled;
  bool torn = false;
  while (!input->rest().empty()) {
    const auto skipped = input->Take<std::uint8_t>();
    if (skipped >= 0x80) {
      const std::string_view between = input->TakeBytes(skipped - 0x7F);
      segment.bytes += between;
      torn = torn || !between.empty();
      continue;
    }
    next += skipped;
    const std::string span = TakeSpan(input);
    AddRecord(next, span, &segment);
    torn = span.size() > exporter::kMaxSpanBytes;
    if (!torn && next >= expected) {
      segment.lost += next - expected;
      segment.spans.push_back(span);
      expected = next + 1;
    }
    ++next;
  }
  segment.lost += torn;  // at least one
  if (!exporter::AreWellFormedEntries(resource)) {
    segment.spans.clear();
    segment.lost = 1;  // at least one
  }
  return segment;
}

// Returns whether nothing else in the segment looks like a record. The input may contain a whole
// record from another input between its own records.
bool HasNoOthers(const Segment& segment) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = segment.bytes.find("SPAN", at)) != std::string::npos; ++at) {
    ++found;
  }
  return found == segment.records;
}

void Leave(const std::string& folder, const std::string& bytes) {
  std::ofstream(folder + "/1-1.lock");
  std::ofstream(folder + "/1-1.00000001.spool", std::ios::binary) << bytes;
}

// Returns all spans that the spool returns, settling each batch.
std::vector<std::string> Drain(exporter::Spool* spool, exporter::ExporterCounts* counts) {
  std::vector<std::string> spans;
  for (exporter::Batch batch; spool->Read(3, 1 << 20, &batch); batch.Clear()) {
    CHECK(exporter::AreWellFormedEntries(batch.resource));
    CHECK(batch.resource.size() <= 65536);
    CHECK(batch.bytes.size() < (1 << 20) + exporter::kMaxSpanBytes + 8);
    batch.ForEach([&spans](const char* span) {
      CHECK(exporter::IsWellFormedSpan({span, exporter::SpanSize(span)}));
      spans.emplace_back(span, exporter::SpanSize(span));
    });
    exporter::ExporterCounts::Move(&counts->spooled, &counts->exported, batch.spans);
    spool->Settle(batch.spans);
  }
  return spans;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const bool build = input.TakeBool();
  const Segment segment = build ? Build(&input) : Segment{std::string(input.rest()), {}};
  const tracekin::testing::TempFolder folder;
  Leave(folder.path(), segment.bytes);

  exporter::ExporterCounts counts;
  exporter::Spool spool(folder.path(), 1 << 22, exporter::ResourceBytes({"service", {}}), &counts);
  spool.Adopt();
  const std::vector<std::string> spans = Drain(&spool, &counts);
  const Counters totals = counts.Read();
  CHECK(spool.empty() && totals.spooled == 0);
  CHECK(totals.exported == spans.size());
  CHECK(totals.adopted == totals.exported + totals.dropped.spool_corrupt);
  CHECK(std::filesystem::is_empty(folder.path()));
  if (!build || !HasNoOthers(segment)) return 0;
  CHECK(spans == segment.spans);
  CHECK(totals.dropped.spool_corrupt == segment.lost);
  return 0;
}
