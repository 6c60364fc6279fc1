// SPDX-License-Identifier: Apache-2.0
#include "ctf/own_source.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "ctf/error.h"
#include "ctf/folders.h"
#include "ctf/hosts.h"
#include "ctf/layout.h"
#include "ctf/merge.h"
#include "ctf/metadata_file.h"
#include "ctf/packet.h"
#include "ctf/stream_reader.h"
#include "ctf/tsdl.h"

namespace tracekin::ctf {

namespace {

// Identifies the stream of a packet. Traces with the same UUID are parts of one trace, such as the
// chunks of an archive, and `trace` is the first of them. If packets do not contain the number of
// their stream, each file is a stream.
struct StreamKey {
  std::size_t trace;
  std::uint64_t stream_class;
  std::uint64_t instance;
  std::string path;

  bool operator<(const StreamKey& other) const {
    return std::tie(trace, stream_class, instance, path) <
           std::tie(other.trace, other.stream_class, other.instance, other.path);
  }
};

using Parts = std::vector<StreamReader::Part>;

// Sorts the packets by time and removes duplicates, because overlapping snapshots contain copies of
// packets. Does not sort the packets of a single file. They are in order unless the file is
// damaged, and then no order is right.
void SortParts(Parts* parts) {
  const auto of_first = [&](const StreamReader::Part& part) {
    return part.file == parts->front().file;
  };
  if (std::all_of(parts->begin(), parts->end(), of_first)) return;
  const auto key = [](const StreamReader::Part& part) {
    const Packet& packet = part.packet;
    return std::tie(packet.begin, packet.end, packet.sequence, packet.bytes);
  };
  std::stable_sort(parts->begin(), parts->end(),
                   [&](const auto& one, const auto& other) { return key(one) < key(other); });
  parts->erase(
      std::unique(parts->begin(), parts->end(),
                  [&](const auto& one, const auto& other) { return key(one) == key(other); }),
      parts->end());
}

// Returns the limits for reading that many streams. A process may usually open 1024 files, but
// per-process buffers can result in thousands of streams.
StreamLimits LimitsFor(std::size_t streams) {
  constexpr std::size_t kMostOpen = 256;
  constexpr std::size_t kMemory = 64U << 20U;
  StreamLimits limits;
  limits.keeps_file_open = streams <= kMostOpen;
  limits.window_bytes = std::clamp<std::size_t>(kMemory / std::max<std::size_t>(streams, 1),
                                                16U << 10U, limits.window_bytes);
  return limits;
}

class OwnSource : public Source {
 public:
  explicit OwnSource(const std::vector<std::string>& folders) {
    for (const std::string& folder : folders) AddTrace(folder);
    for (std::size_t trace = 0; trace < folders.size(); ++trace) AddFiles(trace);
    const StreamLimits limits = LimitsFor(parts_.size());
    for (auto& [key, parts] : parts_) {
      SortParts(&parts);
      const Trace& trace = found_.traces[key.trace];
      streams_.push_back(std::make_unique<StreamReader>(std::move(parts), trace.host, limits));
      stream_traces_.push_back(key.trace);
    }
    parts_.clear();
  }

  void Read(const Visitor& visit) override {
    std::vector<StreamReader*> streams;
    streams.reserve(streams_.size());
    for (const auto& stream : streams_) streams.push_back(stream.get());
    Merge(streams, visit);
    for (std::size_t i = 0; i < streams_.size(); ++i) TakeNotes(*streams_[i], stream_traces_[i]);
  }

  const Found& found() const override { return found_; }

  double Progress() const override {
    std::uint64_t done = 0, all = 0;
    for (const auto& stream : streams_) {
      done += stream->bytes_read();
      all += stream->bytes();
    }
    return all == 0 ? 0 : static_cast<double>(done) / static_cast<double>(all);
  }

 private:
  void AddTrace(const std::string& folder) {
    try {
      layouts_.push_back(
          std::make_unique<TraceLayout>(LayOut(ParseMetadata(ReadMetadata(folder)))));
    } catch (const NotUnderstood& error) {
      throw NotUnderstood(folder + ": " + error.what());
    } catch (const WrongMetadata& error) {
      throw ReadError(folder + ": the metadata is wrong: " + error.what());
    }
    const TraceLayout& layout = *layouts_.back();
    Trace trace;
    trace.folder = folder;
    trace.kernel = layout.kernel;
    trace.hostname = layout.hostname;
    trace.clock = {layout.clock.frequency,
                   ClockOffset(layout.clock.offset_seconds, layout.clock.offset_cycles,
                               layout.clock.frequency)};
    AddToHosts(layout.clock.uuid, &trace, &found_);
    found_.traces.push_back(std::move(trace));
  }

  void AddFiles(std::size_t trace) {
    const TraceLayout& layout = *layouts_[trace];
    const std::size_t first =
        layout.uuid.empty() ? trace : firsts_.emplace(layout.uuid, trace).first->second;
    for (const std::string& path : StreamFiles(found_.traces[trace].folder)) {
      files_.push_back(std::make_unique<TraceFile>(TraceFile{path, &layout, trace}));
      PacketIndex index = IndexPackets(InputFile(path), layout);
      if (!index.damage.empty()) found_.damage.push_back(std::move(index.damage));
      for (const Packet& packet : index.packets) {
        const StreamKey key{first, packet.stream, packet.instance, layout.has_instance ? "" : path};
        parts_[key].push_back({files_.back().get(), packet});
      }
    }
  }

  void TakeNotes(const StreamReader& stream, std::size_t trace) {
    const StreamNotes& notes = stream.notes();
    Missing& missing = found_.traces[trace].kernel ? found_.kernel : found_.programs;
    AddDiscarded(notes.discarded, &missing.discarded);
    missing.discarded_before += notes.discarded_before;
    missing.lost_packets += notes.lost_packets;
    found_.damage.insert(found_.damage.end(), notes.damage.begin(), notes.damage.end());
    if (notes.left_out > 0) found_.damage.push_back(LeftOut(found_.traces[trace], notes.left_out));
    for (const EventCounts& counts : stream.counts()) {
      for (std::size_t id = 0; id < counts.by_id.size(); ++id) {
        if (counts.by_id[id] == 0) continue;
        found_.traces[counts.trace].events[counts.stream->events[id].name] += counts.by_id[id];
      }
    }
  }

  Found found_;
  std::vector<std::unique_ptr<const TraceLayout>> layouts_;  // the layouts of found_.traces
  std::map<std::string, std::size_t> firsts_;                // UUID -> the first trace that has it
  std::vector<std::unique_ptr<const TraceFile>> files_;
  std::map<StreamKey, Parts> parts_;  // empty after the streams were created
  std::vector<std::unique_ptr<StreamReader>> streams_;
  std::vector<std::size_t> stream_traces_;  // the first trace of each stream
};

}  // namespace

std::unique_ptr<Source> OpenOwn(const std::vector<std::string>& folders) {
  return std::make_unique<OwnSource>(folders);
}

}  // namespace tracekin::ctf
