// SPDX-License-Identifier: Apache-2.0
// Makes a large trace out of a real one, by repeating it along its time axis.
//
// usage: trace_amplify FROM TO COPIES   the traces in and below FROM; TO must not be there
//
// The bytes of the events stay as LTTng wrote them. Only what tells the time and counts packets is
// changed: the packets' beginnings, ends, sequence numbers and discarded events, and the 64-bit
// times of extended event headers. The copies lie a multiple of 2^32 cycles apart, so that headers
// with 27 or 32 bits of the time need no change. Prints the beginning of the first copy, and the
// distance between two copies, in cycles.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "ctf/folders.h"
#include "ctf/layout.h"
#include "ctf/metadata_file.h"
#include "ctf/packet.h"
#include "ctf/tsdl.h"

namespace {

namespace fs = std::filesystem;
using namespace tracekin::ctf;  // NOLINT: a program of one file
using Number = PacketNumber;

// The offset of a 64-bit number in a file, and how much each copy adds to the number.
struct Patch {
  std::size_t at;
  std::uint64_t step;
};

// Returns the offset of the number `slot` in a packet's context.
std::size_t PlaceOf(const Program& context, int slot) {
  for (const Instruction& instruction : context.code) {
    if (instruction.op == Instruction::Op::kInteger64 && instruction.slot == slot) {
      return instruction.offset;
    }
  }
  throw std::runtime_error("a packet's numbers do not have 64 bits");
}

// One file of a trace.
class StreamFile {
 public:
  StreamFile(const std::string& path, const TraceLayout& layout)
      : layout_(layout), file_(path), packets_(IndexPackets(file_, layout).packets) {
    bytes_.resize(file_.size() + EventHeader::kReach);
    file_.Read(0, bytes_.data(), file_.size());
  }

  std::uint64_t begin() const { return packets_.empty() ? ~0ULL : packets_.front().begin; }
  std::uint64_t end() const { return packets_.empty() ? 0 : packets_.back().end; }

  void Write(const std::string& path, int copies, std::uint64_t shift) {
    std::vector<Patch> patches;
    for (const Packet& packet : packets_) {
      AddContext(packet, shift, &patches);
      AddExtendedHeaders(packet, shift, &patches);
    }
    std::ofstream file(path, std::ios::binary);
    for (int copy = 0; copy < copies; ++copy) {
      file.write(reinterpret_cast<const char*>(bytes_.data()),
                 static_cast<std::streamsize>(file_.size()));
      for (const Patch& patch : patches) Add(patch);
    }
  }

 private:
  void Add(const Patch& patch) {
    std::uint64_t value;
    std::memcpy(&value, &bytes_[patch.at], sizeof value);
    value += patch.step;
    std::memcpy(&bytes_[patch.at], &value, sizeof value);
  }

  const StreamLayout& StreamOf(const Packet& packet) const {
    return layout_.streams.at(packet.stream);
  }

  void AddContext(const Packet& packet, std::uint64_t shift, std::vector<Patch>* patches) const {
    Values values;
    std::int64_t numbers[Number::kCount];
    values.number = numbers;
    const std::uint8_t* const begin = &bytes_[packet.offset];
    const std::uint8_t* const context =
        Run(layout_.packet_header, begin, bytes_.data() + file_.size(),
            reinterpret_cast<std::uintptr_t>(begin), &values);
    const auto at = static_cast<std::size_t>(context - bytes_.data());
    const Program& program = StreamOf(packet).packet_context;
    patches->push_back({at + PlaceOf(program, Number::kBegin), shift});
    patches->push_back({at + PlaceOf(program, Number::kEnd), shift});
    patches->push_back({at + PlaceOf(program, Number::kDiscarded), packets_.back().discarded});
    if (layout_.has_sequence) {
      patches->push_back({at + PlaceOf(program, Number::kSequence),
                          packets_.back().sequence - packets_.front().sequence + 1});
    }
  }

  void AddExtendedHeaders(const Packet& packet, std::uint64_t shift,
                          std::vector<Patch>* patches) const {
    const EventHeader& header = StreamOf(packet).event_header;
    const std::uint8_t* const end = bytes_.data() + packet.content;
    for (const std::uint8_t* at = bytes_.data() + packet.events; at < end;) {
      std::uint64_t id = header.compact.id.Load(at);
      const bool extended = id == header.extended_id;
      const EventHeader::Form& form = extended ? header.extended : header.compact;
      if (extended) id = form.id.Load(at);
      if (form.time.mask == ~0ULL) {
        patches->push_back({static_cast<std::size_t>(at - bytes_.data()) + form.time.byte, shift});
      }
      at = SkipEvent(packet, StreamOf(packet).events.at(id), at + form.bytes, end);
    }
  }

  const std::uint8_t* SkipEvent(const Packet& packet, const EventLayout& event,
                                const std::uint8_t* at, const std::uint8_t* end) const {
    Values values;
    std::int64_t numbers[tracekin::analysis::Event::kNumbers];
    std::string_view texts[tracekin::analysis::Event::kTexts];
    values.number = numbers;
    values.text = texts;
    const auto origin = reinterpret_cast<std::uintptr_t>(&bytes_[packet.offset]);
    for (const Program* program :
         {&StreamOf(packet).context_unwanted, &event.context, &event.fields}) {
      if (at != nullptr) at = Run(*program, at, end, origin, &values);
    }
    if (at == nullptr) throw std::runtime_error(file_.path() + ": an event makes no sense");
    return at;
  }

  const TraceLayout& layout_;
  InputFile file_;
  std::vector<Packet> packets_;
  std::vector<std::uint8_t> bytes_;  // padded, because headers are read beyond their end
};

void Amplify(const std::string& from, const std::string& to, int copies) {
  const fs::path root = fs::canonical(from);
  std::uint64_t begin = ~0ULL;
  std::uint64_t end = 0;
  std::vector<std::unique_ptr<TraceLayout>> layouts;
  std::vector<std::pair<fs::path, std::unique_ptr<StreamFile>>> files;
  for (const std::string& trace : FindTraces({from})) {
    const fs::path folder = fs::path(to) / fs::relative(trace, root);
    fs::create_directories(folder);
    fs::copy_file(trace + "/metadata", folder / "metadata");
    layouts.push_back(std::make_unique<TraceLayout>(LayOut(ParseMetadata(ReadMetadata(trace)))));
    for (const std::string& path : StreamFiles(trace)) {
      files.emplace_back(folder / fs::path(path).filename(),
                         std::make_unique<StreamFile>(path, *layouts.back()));
      begin = std::min(begin, files.back().second->begin());
      end = std::max(end, files.back().second->end());
    }
  }
  constexpr std::uint64_t kTurn = 1ULL << 32U;
  const std::uint64_t shift = (end - begin + kTurn) / kTurn * kTurn;
  for (auto& [path, file] : files) file->Write(path, copies, shift);
  std::cout << begin << " " << shift << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: trace_amplify FROM TO COPIES\n";
    return 2;
  }
  try {
    Amplify(argv[1], argv[2], std::atoi(argv[3]));
  } catch (const std::exception& error) {
    std::cerr << "trace_amplify: " << error.what() << "\n";
    return 1;
  }
}
