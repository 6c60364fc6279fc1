// SPDX-License-Identifier: Apache-2.0
// Builds the files of a trace by hand, in the format that LTTng writes.
#ifndef TRACEKIN_TESTS_CTF_TEST_TRACE_H
#define TRACEKIN_TESTS_CTF_TEST_TRACE_H

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/ctf/bytes.h"
#include "tests/ctf/types.h"

namespace tracekin::ctf::testing {

/// The content of a trace's metadata.
struct TraceText {
  std::string domain = "kernel";
  std::string uuid = "11111111-1111-1111-1111-111111111111";
  std::string clock_uuid = "22222222-2222-2222-2222-222222222222";
  std::string offset = "1000";
  bool large = false;        // the large event header, otherwise the compact one
  bool has_instance = true;  // packets contain the number of their stream
  std::string context;       // the context of events, as a struct
  std::vector<std::pair<std::string, std::string>>
      events;  // names and structs; the id is the index

  std::string str() const {
    std::string text = "/* CTF 1.8 */\n" + kIntegers + R"(
typealias integer { size = 27; align = 1; signed = false; map = clock.monotonic.value; } := t27;
typealias integer { size = 32; align = 8; signed = false; map = clock.monotonic.value; } := t32;
typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; } := t64;
trace { major = 1; minor = 8; byte_order = le; uuid = ")" +
                       uuid + R"(";
  packet.header := struct { u32 magic; u8 uuid[16]; u32 stream_id; )" +
                       (has_instance ? "u64 stream_instance_id; " : "") + R"(}; };
env { domain = ")" + domain +
                       R"("; hostname = "host"; };
clock { name = "monotonic"; uuid = ")" +
                       clock_uuid + R"("; freq = 1000000000; offset = )" + offset + R"(; };
stream { id = 0;
  packet.context := struct { t64 timestamp_begin; t64 timestamp_end; u64 content_size;
    u64 packet_size; u64 packet_seq_num; u64 events_discarded; u32 cpu_id; };
  event.header := struct { enum : integer { size = )" +
                       (large ? "16" : "5; align = 1") + "; } { compact = 0 ... " +
                       (large ? "65534" : "30") + ", extended = " + (large ? "65535" : "31") +
                       " } id; variant <id> { struct { " + (large ? "t32" : "t27") +
                       R"( timestamp; } compact;
    struct { u32 id; t64 timestamp; } extended; } v; } align(8);
)" + (context.empty() ? "" : "  event.context := " + context + ";\n") +
                       "};\n";
    for (std::size_t id = 0; id < events.size(); ++id) {
      text += "event { name = \"" + events[id].first + "\"; id = " + std::to_string(id) +
              "; stream_id = 0; fields := " + events[id].second + "; };\n";
    }
    return text;
  }
};

/// The fields of a packet. `events` contains the bytes of its events.
struct PacketBytes {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t sequence = 0;
  std::uint64_t discarded = 0;
  std::uint32_t cpu = 0;
  std::uint64_t instance = 0;
  std::string events = {};
  std::size_t padding = 16;

  static constexpr std::size_t kHeader = 4 + 16 + 4 + 8 + 6 * 8 + 4;

  std::string str() const {
    const std::uint64_t content = kHeader + events.size();
    return Bytes()
        .U32(0xC1FC1FC1)
        .Raw(std::string(16, '\x11'))
        .U32(0)
        .U64(instance)
        .U64(begin)
        .U64(end)
        .U64(8 * content)
        .U64(8 * (content + padding))
        .U64(sequence)
        .U64(discarded)
        .U32(cpu)
        .Raw(events)
        .PadTo(content + padding)
        .str();
  }
};

/// Compact() and Extended() return an event header in the compact layout, with the low bits of the
/// time or the complete time. Large() and LargeExtended() do the same in the large layout.
inline std::string Compact(unsigned id, std::uint64_t time) {
  return Bytes().U32(id | (time & 0x7FFFFFF) << 5U).str();
}
inline std::string Extended(std::uint64_t id, std::uint64_t time) {
  return Bytes().U8(31).U32(id).U64(time).str();
}
inline std::string Large(unsigned id, std::uint64_t time) {
  return Bytes().U16(id).U32(time).str();
}
inline std::string LargeExtended(std::uint64_t id, std::uint64_t time) {
  return Bytes().U16(65535).U32(id).U64(time).str();
}

inline void WriteFile(const std::string& path, const std::string& bytes) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace tracekin::ctf::testing

#endif  // TRACEKIN_TESTS_CTF_TEST_TRACE_H
