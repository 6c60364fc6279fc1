// SPDX-License-Identifier: Apache-2.0
// Reads hand-made traces, each with a difficulty that real traces have. Both readers must return
// the same events.
#include "ctf/source.h"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include <filesystem>
#include <stdexcept>

#include "ctf/error.h"
#include "tests/ctf/test_trace.h"
#include "tests/support/event_text.h"
#include "tests/support/temp_folder.h"

namespace tracekin::ctf {
namespace {

using analysis::kAbsent;
using analysis::Kind;
using testing::Bytes;
using testing::Compact;
using ::testing::ElementsAre;
using testing::Extended;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Large;
using testing::LargeExtended;
using testing::PacketBytes;
using ::testing::SizeIs;
using testing::TraceText;
using testing::WriteFile;
using tracekin::testing::Difference;
using tracekin::testing::Reading;
using tracekin::testing::ReadTraces;
using tracekin::testing::TempFolder;

// Returns the time and the first number of each event.
std::vector<std::pair<std::uint64_t, std::int64_t>> Times(const std::string& folder) {
  std::vector<std::pair<std::uint64_t, std::int64_t>> times;
  Open({folder})->Read(
      [&](const analysis::Event& event) { times.emplace_back(event.cycles, event.number[0]); });
  return times;
}

const std::pair<std::string, std::string> kSoftirq = {"irq_softirq_raise", "struct { u32 _vec; }"};

std::string Softirq(std::uint64_t time, unsigned vector) {
  return Compact(0, time) + Bytes().U32(vector).str();
}

class SourceTest : public ::testing::Test {
 protected:
  SourceTest() { text_.events = {kSoftirq}; }

  std::string Folder(const std::string& name = "trace") const {
    return folder_.path() + "/" + name;
  }

  void WriteMetadata(const std::string& name = "trace") {
    WriteFile(Folder(name) + "/metadata", text_.str());
  }
  void WriteStream(const std::vector<PacketBytes>& packets, const std::string& file = "channel_0",
                   const std::string& name = "trace") {
    std::string bytes;
    for (const PacketBytes& packet : packets) bytes += packet.str();
    WriteFile(Folder(name) + "/" + file, bytes);
  }

  // Reads the written trace with both readers and expects the same result without damage.
  Reading ExpectSame() {
    Reading own = ReadTraces({folder_.path()}, Way::kOwn);
    EXPECT_THAT(own.found.damage, IsEmpty());
    EXPECT_EQ(Difference(own, ReadTraces({folder_.path()}, Way::kBabeltrace2)), "");
    return own;
  }

  TraceText text_;
  const TempFolder folder_;
};

// ---- Order.

TEST_F(SourceTest, OrdersByRawClockValuesAcrossTracesOfOneClock) {
  WriteMetadata("kernel");
  WriteStream({{10, 90, 0, 0, 0, 0, Softirq(10, 1) + Softirq(30, 3)}}, "channel_0", "kernel");
  text_.domain = "ust";
  text_.uuid = "11111111-1111-1111-1111-111111111112";
  text_.offset = "0";  // by calendar time, the event of this trace would be the first
  text_.events = {{"tracekin:scope_enter", "struct { u64 _span_id; s32 _tid; }"}};
  std::string packet =
      PacketBytes{20, 90, 0, 0, 0, 0, Compact(0, 20) + Bytes().U64(2).U32(7).str()}.str();
  packet[19] = '\x12';  // the end of the trace's UUID
  WriteMetadata("ust");
  WriteFile(Folder("ust") + "/channel_0", packet);
  const Reading reading = ExpectSame();
  EXPECT_THAT(reading.events,
              ElementsAre(HasSubstr("10 kind"), HasSubstr("20 kind"), HasSubstr("30 kind")));
  ASSERT_THAT(reading.found.hosts, SizeIs(1));
  EXPECT_EQ(reading.found.hosts[0].clock.offset_ns, 1000);  // the kernel's offset
  EXPECT_EQ(reading.found.hosts[0].hostname, "host");
}

TEST_F(SourceTest, KeepsHostsApartByTheirClocks) {
  WriteMetadata("one");
  WriteStream({{10, 90, 0, 0, 0, 0, Softirq(10, 1)}}, "channel_0", "one");
  text_.clock_uuid = "33333333-3333-3333-3333-333333333333";
  text_.uuid = "11111111-1111-1111-1111-111111111112";
  std::string packet = PacketBytes{20, 90, 0, 0, 0, 0, Softirq(20, 2)}.str();
  packet[19] = '\x12';
  WriteMetadata("two");
  WriteFile(Folder("two") + "/channel_0", packet);
  const Reading reading = ExpectSame();
  EXPECT_THAT(reading.found.hosts, SizeIs(2));
  EXPECT_THAT(reading.events, ElementsAre(HasSubstr("host 0"), HasSubstr("host 1")));
}

TEST_F(SourceTest, TakesATraceWhoseClockHasNoUuidForOneHost) {
  std::string metadata = text_.str();
  const std::string uuid = "uuid = \"" + text_.clock_uuid + "\"; ";
  WriteFile(Folder() + "/metadata", metadata.erase(metadata.find(uuid), uuid.size()));
  WriteStream({{10, 90, 0, 0, 0, 0, Softirq(10, 1)}}, "channel_0");
  WriteStream({{10, 90, 0, 0, 1, 1, Softirq(20, 2)}}, "channel_1");
  EXPECT_THAT(ExpectSame().found.hosts, SizeIs(1));
}

TEST_F(SourceTest, OrdersEventsOfOneTimeByTheirStreams) {
  WriteMetadata();
  for (unsigned cpu = 0; cpu < 11; ++cpu) {
    const std::string file = "channel_" + std::to_string(cpu);
    WriteStream({{10, 90, 0, 0, cpu, cpu, Softirq(50, cpu) + Softirq(50, cpu)}}, file);
  }
  const Reading reading = ExpectSame();
  ASSERT_THAT(reading.events, SizeIs(22));
  for (int i = 0; i < 22; ++i) {
    EXPECT_THAT(reading.events[i], HasSubstr("cpu " + std::to_string(i / 2) + " "));
  }
}

TEST_F(SourceTest, OrdersStreamsWithoutNumbersByTheirFiles) {
  text_.has_instance = false;
  WriteMetadata();
  for (const unsigned cpu : {1U, 0U}) {
    std::string packet = PacketBytes{10, 90, 0, 0, cpu, 0, Softirq(50, cpu)}.str();
    packet.erase(24, 8);  // the stream's instance
    packet.replace(40, 16, Bytes().U64(8 * (packet.size() - 16)).U64(8 * packet.size()).str());
    WriteFile(Folder() + "/channel_" + std::to_string(cpu), packet);
  }
  EXPECT_THAT(ExpectSame().events, ElementsAre(HasSubstr("cpu 0"), HasSubstr("cpu 1")));
}

// ---- Time.

TEST_F(SourceTest, Adds27BitsThatBeginAnew) {
  constexpr std::uint64_t kTurn = 1U << 27U;
  WriteMetadata();
  WriteStream({{5 * kTurn - 9, 9 * kTurn, 0, 0, 0, 0,
                Softirq(5 * kTurn - 1, 1) + Softirq(5 * kTurn, 2) + Softirq(6 * kTurn - 1, 3) +
                    Extended(0, 8 * kTurn + 5) + Bytes().U32(4).str() + Softirq(8 * kTurn + 5, 5) +
                    Softirq(9 * kTurn + 4, 6)}});
  ExpectSame();
  EXPECT_THAT(Times(Folder()),
              ElementsAre(std::pair(5 * kTurn - 1, 1), std::pair(5 * kTurn, 2),
                          std::pair(6 * kTurn - 1, 3), std::pair(8 * kTurn + 5, 4),
                          std::pair(8 * kTurn + 5, 5), std::pair(9 * kTurn + 4, 6)));
}

TEST_F(SourceTest, Adds32BitsThatBeginAnew) {
  constexpr std::uint64_t kTurn = 1ULL << 32U;
  text_.large = true;
  WriteMetadata();
  WriteStream({{kTurn - 9, 9 * kTurn, 0, 0, 0, 0,
                Large(0, kTurn - 1) + Bytes().U32(1).str() + Large(0, kTurn) +
                    Bytes().U32(2).str() + LargeExtended(0, 7 * kTurn) + Bytes().U32(3).str()}});
  ExpectSame();
  EXPECT_THAT(Times(Folder()),
              ElementsAre(std::pair(kTurn - 1, 1), std::pair(kTurn, 2), std::pair(7 * kTurn, 3)));
}

// ---- Layouts.

TEST_F(SourceTest, ReadsWhatFollowsASequenceOfStructsWithSingleBits) {
  text_.events = {{"syscall_exit_poll",
                   "struct { u8 _fds_length; struct { s32 fd; struct { bit p0; bit p1; bit p2;"
                   " bit p3; bit p4; bit p5; bit p6; bit p7; } raw; } _fds[_fds_length];"
                   " s64 _ret; }"},
                  kSoftirq};
  WriteMetadata();
  WriteStream({{10, 90, 0, 0, 0, 0,
                Compact(0, 11) + Bytes().U8(2).U32(3).U8(1).U32(4).U8(0).U64(-4LL).str() +
                    Compact(1, 12) + Bytes().U32(9).str()}});
  EXPECT_THAT(ExpectSame().events, ElementsAre(HasSubstr(" -4 <poll>"), HasSubstr(" 9")));
}

// The fields of the event in lttng-modules 2.13.
constexpr char kNetDevQueue[] = R"(struct {
  u64 _skbaddr; u32 _len; string _name;
  enum : u8 { "_unknown" = 0, "_ipv4" = 4, "_ipv6" = 6, "_unknown" = 1 ... 3, "_unknown" = 5 }
    _network_header_type;
  variant <_network_header_type> {
    struct { } _unknown;
    struct {
      integer { size = 4; align = 4; byte_order = be; } _version;
      integer { size = 4; align = 4; byte_order = be; } _ihl;
      u8 _tos;
      integer { size = 16; align = 8; byte_order = be; } _tot_len;
      integer { size = 16; align = 8; byte_order = be; } _id;
      integer { size = 16; align = 8; byte_order = be; } _frag_off;
      u8 _ttl;
      enum : u8 { "_unknown" = 0 ... 5, "_tcp" = 6, "_unknown" = 7 ... 16, "_udp" = 17 } _protocol;
      integer { size = 16; align = 8; byte_order = be; } _checksum;
      u8 _saddr[4]; u8 _daddr[4];
      enum : u8 { "_unknown" = 0, "_tcp" = 1, "_udp" = 2 } _transport_header_type;
      variant <_transport_header_type> {
        struct { } _unknown;
        struct {
          integer { size = 16; align = 8; byte_order = be; } _source_port;
          integer { size = 16; align = 8; byte_order = be; } _dest_port;
          integer { size = 32; align = 8; byte_order = be; } _seq;
          integer { size = 32; align = 8; byte_order = be; } _ack_seq;
          integer { size = 4; align = 4; byte_order = be; } _data_offset;
          integer { size = 3; align = 1; byte_order = be; } _reserved;
          integer { size = 9; align = 1; byte_order = be; } _flags;
        } _tcp;
        struct { integer { size = 16; align = 8; byte_order = be; } _source_port;
                 integer { size = 16; align = 8; byte_order = be; } _dest_port;
                 integer { size = 16; align = 8; byte_order = be; } _len; } _udp;
      } _transport_header;
    } _ipv4;
    struct { u8 _nexthdr; u8 _saddr[16]; u8 _daddr[16]; } _ipv6;
  } _network_header; })";

TEST_F(SourceTest, FollowsThePacketsOfTheNetwork) {
  text_.events = {{"net_dev_queue", kNetDevQueue}};
  WriteMetadata();
  const auto begin = [](std::uint64_t time) {
    return Compact(0, time) + Bytes().U64(1).U32(60).Text("eth0").str();
  };
  const std::string ipv4("\x04\x45\0\0\x3c\0\x01\0\0\x40\x06\0\0\x7f\0\0\x01\x7f\0\0\x02", 21);
  const std::string tcp("\x01\x1f\x90\0\x50\0\0\x01\0\0\0\0\x02\x50\x18", 15);
  const std::string udp("\x02\x1f\x90\0\x51\0\x1c", 7);
  const std::string ipv6 = Bytes().U8(6).U8(17).Raw("ABCDEFGHabcdefghIJKLMNOPijklmnop").str();
  WriteStream({{10, 90, 0, 0, 0, 0,
                begin(11) + ipv4 + tcp + begin(12) + ipv6 + begin(13) + std::string(1, '\x03') +
                    begin(14) + ipv4 + std::string(1, '\0') + begin(15) + ipv4 + udp}});
  EXPECT_THAT(
      ExpectSame().events,
      ElementsAre(HasSubstr(" 6 0 2130706433 0 2130706434 8080 80 256 2 24 -"),
                  HasSubstr(" 17 4702394921427289928 7017280452245743464 5281116304131903312 "),
                  HasSubstr(" - - - - - - - - - - -"),
                  HasSubstr(" 6 0 2130706433 0 2130706434 - - - - - -"),
                  HasSubstr(" 6 0 2130706433 0 2130706434 8080 81 - - - 28")));
}

TEST_F(SourceTest, AlignsForEmptyStructs) {
  text_.events = {
      {"irq_softirq_raise",
       "struct { bit _a; struct { } align(8) _padding; u32 _vec; struct { } align(8) _end; }"}};
  WriteMetadata();
  WriteStream({{10, 90, 0, 0, 0, 0,
                Compact(0, 11) + Bytes().U8(1).U32(5).str() + Compact(0, 12) +
                    Bytes().U8(0).U32(6).str()}});
  EXPECT_THAT(ExpectSame().events, ElementsAre(HasSubstr(" 5"), HasSubstr(" 6")));
}

TEST_F(SourceTest, AlignsToThePacketsBeginningAcrossWindows) {
  text_.events = {{"sched_process_exec",
                   "struct { string _filename; integer { size = 32; align = 32; } _tid; }"}};
  WriteMetadata();
  std::string events;
  for (unsigned i = 0; i < 30'000; ++i) {
    events += Compact(0, 100 + i);
    events += Bytes().Text(std::string(i % 7, 'x')).str();
    while ((PacketBytes::kHeader + events.size()) % 4 != 0) events += '\0';
    events += Bytes().U32(i).str();
  }
  WriteStream({{10, 90'000, 0, 0, 0, 0, "no event"}});
  WriteStream({{10, 90'000, 0, 0, 0, 0, events}});
  const Reading reading = ExpectSame();
  ASSERT_THAT(reading.events, SizeIs(30'000));
  EXPECT_THAT(reading.events[29'999], HasSubstr(" 29999 <xxxx>"));
}

TEST_F(SourceTest, ReadsEventsThatAreLargerThanTheWindow) {
  text_.events = {{"sched_process_exec", "struct { string _filename; s32 _tid; }"}};
  WriteMetadata();
  std::string events;
  for (const std::size_t size : {10, 400'000, 3, 131'072, 131'071}) {
    events += Compact(0, 50) + Bytes().Text(std::string(size, 'y')).U32(size).str();
  }
  WriteStream({{10, 90, 0, 0, 0, 0, events}});
  EXPECT_THAT(ExpectSame().events, SizeIs(5));
}

// ---- Programs.

TEST_F(SourceTest, TellsTheSpansOfPrograms) {
  text_.domain = "ust";
  text_.context = "struct { s32 _vpid; s32 _vtid; character _procname[17]; u64 _pid_ns; }";
  text_.events = {
      {"tracekin:span_log_warning",
       "struct { u64 _trace_id_high; u64 _trace_id_low; u64 _span_id; string _message; s32 _tid; "
       "}"},
      {"jaeger_ust:end_span",
       "struct { u64 _trace_id_high; u64 _trace_id_low; u64 _span_id; s64 _duration; }"},
      {"zipkin:keyval_integer",
       "struct { string _trace_name; string _service_name; s32 _port_no; string _ip;"
       " s64 _trace_id; s64 _span_id; s64 _parent_span_id; string _key; s64 _val; }"},
      {"zipkin:timestamp",
       "struct { string _trace_name; string _service_name; s32 _port_no; string _ip;"
       " s64 _trace_id; s64 _span_id; s64 _parent_span_id; string _event; }"},
      {"other:event", "struct { string _text; }"}};
  WriteMetadata();
  const std::string context =
      Bytes().U32(100).U32(101).Raw(std::string("server\0garbage\0xx", 17)).U64(4026531836).str();
  const std::string blkin =
      Bytes().Text("main").Text("").U32(0).Text("").U64(7).U64(8).U64(0).str();
  WriteStream({{10, 90, 0, 0, 3, 0,
                Compact(0, 11) + context + Bytes().U64(1).U64(2).U64(3).Text("").U32(55).str() +
                    Compact(1, 12) + context + Bytes().U64(1).U64(2).U64(3).U64(9).str() +
                    Compact(4, 13) + context + Bytes().Text("passed over").str() + Compact(2, 14) +
                    context + blkin + Bytes().Text("size").U64(-5LL).str() + Compact(3, 15) +
                    context + blkin + Bytes().Text("cs").str()}});
  const Reading reading = ExpectSame();
  const std::string who = " pid 100 in 4026531836 <server>";
  EXPECT_THAT(reading.events,
              ElementsAre(HasSubstr("cpu 3 tid 55" + who + " 1 2 3 - - - - 2 <> <> <> <> <>"),
                          HasSubstr("tid 101" + who + " 1 2 3 - - 9 - -"),
                          HasSubstr(who + " 0 7 8 0 <main> <> <size> <-5>"),
                          HasSubstr(who + " 0 7 8 0 <main> <> <> <cs>")));
  EXPECT_EQ(reading.found.traces.at(0).events.at("other:event"), 1U);
}

// ---- Missing events.

TEST_F(SourceTest, AddsUpDiscardedEventsWithTheirSigns) {
  WriteMetadata();
  WriteStream({{10, 20, 0, 0, 0, 0, Softirq(10, 1)},
               {30, 40, 1, 100, 0, 0, Softirq(30, 2)},
               {50, 60, 2, 40, 0, 0, Softirq(50, 3)},
               {70, 80, 3, 40, 0, 0, Softirq(70, 4)}});
  const Reading reading = ExpectSame();
  EXPECT_EQ(reading.found.kernel.discarded, 40);
  EXPECT_EQ(reading.found.programs.discarded, 0);
  EXPECT_THAT(reading.events, SizeIs(6));
  EXPECT_THAT(reading.events[1], HasSubstr("30 kind 1 host 0 cpu 0"));
  EXPECT_THAT(reading.events[1], HasSubstr(" 100 20 1"));
  EXPECT_THAT(reading.events[3], HasSubstr(" -60 40 1"));
}

TEST_F(SourceTest, WrapsTheSumOfCountersThatMakeNoSense) {
  WriteMetadata();
  WriteStream({{10, 20, 0, 0}, {30, 40, 1, 7ULL << 60U}, {50, 60, 2, 14ULL << 60U}});
  EXPECT_EQ(ExpectSame().found.kernel.discarded, static_cast<std::int64_t>(14ULL << 60U));
}

TEST_F(SourceTest, SaysThatAnArchiveBeginsAfterDiscardedEvents) {
  WriteMetadata();
  WriteStream({{30, 40, 7, 100, 0, 0, Softirq(30, 2)}});
  const Reading reading = ExpectSame();
  EXPECT_EQ(reading.found.kernel.discarded, 0);
  EXPECT_EQ(reading.found.kernel.discarded_before, 100U);
  EXPECT_THAT(reading.events, ElementsAre(HasSubstr(" - - 1"), HasSubstr(" 2")));
}

TEST_F(SourceTest, SaysThatPacketsWereOverwritten) {
  WriteMetadata();
  WriteStream({{10, 20, 5, 0, 0, 0, Softirq(10, 1)}, {50, 60, 9, 0, 0, 0, Softirq(50, 2)}});
  const Reading reading = ExpectSame();
  EXPECT_EQ(reading.found.kernel.lost_packets, 3U);
  EXPECT_THAT(reading.events, ElementsAre(HasSubstr(" 1"), HasSubstr(" - 20 1"), HasSubstr(" 2")));
}

TEST_F(SourceTest, TakesNothingFromNumbersOfPacketsThatDoNotRise) {
  WriteMetadata();
  WriteStream({{10, 20, 5}, {30, 40, 9}, {50, 60, 7}, {70, 80, 7, 0, 0, 0, Softirq(70, 1)}});
  const Reading reading = ExpectSame();
  EXPECT_EQ(reading.found.kernel.lost_packets, 3U);
  EXPECT_THAT(reading.events, SizeIs(2));
}

TEST_F(SourceTest, ReadsPacketsWithoutEvents) {
  WriteMetadata();
  WriteStream({{10, 20, 0}, {30, 40, 1, 0, 0, 0, Softirq(30, 1)}, {50, 60, 2}, {70, 80, 3}});
  EXPECT_THAT(ExpectSame().events, SizeIs(1));
}

TEST_F(SourceTest, TakesCopiesOfAPacketOnce) {
  WriteMetadata("snapshot-1");
  WriteMetadata("snapshot-2");
  const PacketBytes one{10, 20, 0, 0, 0, 0, Softirq(10, 1)};
  const PacketBytes two{30, 40, 1, 0, 0, 0, Softirq(30, 2)};
  const PacketBytes three{50, 60, 2, 0, 0, 0, Softirq(50, 3)};
  WriteStream({one, two}, "channel_0", "snapshot-1");
  WriteStream({two, three}, "channel_0", "snapshot-2");
  EXPECT_THAT(ExpectSame().events, SizeIs(3));
}

// ---- Files.

TEST_F(SourceTest, ReadsAStreamThatLiesInSeveralFiles) {
  WriteMetadata();
  WriteStream({{50, 60, 2, 0, 0, 0, Softirq(50, 3)}}, "channel_0_0");  // overwritten last
  WriteStream({{10, 20, 0, 0, 0, 0, Softirq(10, 1)}}, "channel_0_1");
  WriteStream({{30, 40, 1, 0, 0, 0, Softirq(30, 2)}}, "channel_0_2");
  const Reading reading = ExpectSame();
  EXPECT_THAT(reading.events, SizeIs(3));
  EXPECT_EQ(reading.found.kernel.lost_packets, 0U);
}

TEST_F(SourceTest, ReadsTheChunksOfAnArchiveAsOneTrace) {
  WriteMetadata("archives/1");
  WriteStream({{10, 20, 0, 0, 0, 0, Softirq(10, 1)}}, "channel_0", "archives/1");
  // Programs that start later add their own events.
  text_.events.emplace_back("irq_softirq_entry", "struct { u32 _vec; }");
  WriteMetadata("archives/2");
  WriteStream({{30, 40, 1, 5, 0, 0, Compact(1, 30) + Bytes().U32(2).str()}}, "channel_0",
              "archives/2");
  const Reading reading = ExpectSame();
  EXPECT_EQ(reading.found.kernel.discarded, 5);
  EXPECT_THAT(reading.events, SizeIs(3));
}

TEST_F(SourceTest, PassesOverIndexesAndEmptyFiles) {
  WriteMetadata();
  WriteStream({{10, 20, 0, 0, 0, 0, Softirq(10, 1)}});
  WriteFile(Folder() + "/channel_1", "");
  WriteFile(Folder() + "/.hidden", "not a packet");
  WriteFile(Folder("never started") + "/metadata", "");
  EXPECT_THAT(ExpectSame().events, SizeIs(1));
}

TEST_F(SourceTest, WithoutATraceIsAnError) {
  EXPECT_THROW(Open({folder_.path()}), ReadError);
  EXPECT_THROW(Open({folder_.path() + "/nonexistent"}), ReadError);
  EXPECT_THROW(Open({}), ReadError);
}

TEST_F(SourceTest, ReadsMoreStreamsThanFilesMayBeOpen) {
  WriteMetadata();
  for (unsigned cpu = 0; cpu < 300; ++cpu) {
    WriteStream({{10, 90, 0, 0, cpu, cpu, Softirq(50, cpu)}}, "channel_" + std::to_string(cpu));
  }
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few = {100, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  const Reading reading = ReadTraces({folder_.path()}, Way::kOwn);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_THAT(reading.found.damage, IsEmpty());
  EXPECT_THAT(reading.events, SizeIs(300));
}

TEST_F(SourceTest, LeavesNoFileOpen) {
  WriteMetadata();
  WriteStream({{10, 20, 0, 0, 0, 0, Softirq(10, 1)}});
  const auto open_files = [] {
    const std::filesystem::directory_iterator files("/proc/self/fd");
    return std::distance(begin(files), end(files));
  };
  for (const Way way : {Way::kOwn, Way::kBabeltrace2}) {
    ReadTraces({Folder()}, way);  // libbabeltrace2 may load its plugins
    const auto before = open_files();
    ReadTraces({Folder()}, way);
    EXPECT_EQ(open_files(), before);
  }
}

// ---- The two readers.

TEST_F(SourceTest, TakesLibbabeltrace2ForWhatItDoesNotUnderstand) {
  text_.events = {{"irq_softirq_raise",
                   "struct { integer { size = 8; } _n; u8 _a[stream.packet.context.cpu_id];"
                   " u32 _vec; }"}};
  WriteMetadata();
  WriteStream({{10, 20, 0, 0, 2, 0, Compact(0, 11) + Bytes().U8(0).U16(0).U32(9).str()}});
  EXPECT_THROW(Open({Folder()}, Way::kOwn), NotUnderstood);
  const Reading reading = ReadTraces({Folder()}, Way::kAny);
  EXPECT_EQ(reading.found.way, Way::kBabeltrace2);
  EXPECT_THAT(reading.found.why, HasSubstr("trace: line "));
  EXPECT_THAT(reading.events, ElementsAre(HasSubstr(" 9")));
}

// libbabeltrace2 2.0 would divide by zero.
TEST_F(SourceTest, ReadsAClockWithoutFrequencyOnlyItself) {
  const auto without_frequency = [&] {
    const std::string frequency = "freq = 1000000000; ";
    std::string metadata = text_.str();
    return metadata.erase(metadata.find(frequency), frequency.size());
  };
  WriteFile(Folder() + "/metadata", without_frequency());
  WriteStream({{10, 90, 0, 0, 0, 0, Softirq(10, 1)}});
  EXPECT_THAT(ReadTraces({Folder()}, Way::kOwn).events, SizeIs(1));
  try {
    Open({Folder()}, Way::kBabeltrace2);
    ADD_FAILURE() << "it was opened";
  } catch (const ReadError& error) {
    EXPECT_THAT(error.what(), HasSubstr("freq"));
  }
}

TEST_F(SourceTest, SaysWhyNeitherWayReadsIt) {
  WriteFile(Folder() + "/metadata", "/* CTF 1.8 */\nthis is no metadata");
  try {
    Open({Folder()});
    ADD_FAILURE() << "it was opened";
  } catch (const ReadError& error) {
    EXPECT_THAT(error.what(), HasSubstr(Folder()));
    EXPECT_THAT(error.what(), HasSubstr("babeltrace2"));
  }
}

// libbabeltrace2 2.0 would terminate the process.
TEST_F(SourceTest, DoesNotGiveLibbabeltrace2MetadataThatContradictsItself) {
  text_.events = {
      {"irq_softirq_raise",
       "struct { enum : u8 { a = 0 } _t; variant <_t> { u8 a; u8 b; } _v; u32 _vec; }"}};
  WriteMetadata();
  try {
    Open({Folder()});
    ADD_FAILURE() << "it was opened";
  } catch (const ReadError& error) {
    EXPECT_THAT(error.what(), HasSubstr("trace: the metadata is wrong: no label chooses b"));
  }
}

TEST_F(SourceTest, LetsExceptionsOfTheVisitorOut) {
  WriteMetadata();
  WriteStream({{10, 20, 0, 0, 0, 0, Softirq(10, 1) + Softirq(11, 2)}});
  for (const Way way : {Way::kOwn, Way::kBabeltrace2}) {
    int seen = 0;
    const auto source = Open({Folder()}, way);
    EXPECT_THROW(source->Read([&](const analysis::Event&) {
      ++seen;
      throw std::logic_error("enough");
    }),
                 std::logic_error);
    EXPECT_EQ(seen, 1);
  }
}

TEST_F(SourceTest, KnowsClocksBeforeItReads) {
  WriteMetadata();
  WriteStream({{10, 20, 0, 0, 0, 0, Softirq(10, 1)}});
  for (const Way way : {Way::kOwn, Way::kBabeltrace2}) {
    EXPECT_EQ(Open({Folder()}, way)->found().hosts.at(0).clock.offset_ns, 1000);
  }
}

// ---- Damage.

class DamagedSourceTest : public SourceTest {
 protected:
  // Reads the trace. Tests require that the project's own reader reads it, as far as it can.
  Reading Read() { return ReadTraces({folder_.path()}, Way::kAny); }

  void ExpectDamage(const Reading& reading, const std::string& what) {
    EXPECT_EQ(reading.found.way, Way::kOwn);
    ASSERT_THAT(reading.found.damage, SizeIs(1));
    EXPECT_THAT(reading.found.damage[0], HasSubstr(Folder() + "/channel_0 at byte "));
    EXPECT_THAT(reading.found.damage[0], HasSubstr(what));
  }
};

TEST_F(DamagedSourceTest, LeavesTheRestOfAPacketOutAfterAnUnknownEvent) {
  WriteMetadata();
  WriteStream({{10, 20, 0, 0, 0, 0, Softirq(10, 1) + Compact(5, 11) + Softirq(12, 2)},
               {30, 40, 1, 0, 0, 0, Softirq(30, 3)}});
  const Reading reading = Read();
  EXPECT_THAT(reading.events, ElementsAre(HasSubstr(" 1"), HasSubstr(" 3")));
  ExpectDamage(reading, "an event that the metadata does not have; the rest");
}

TEST_F(DamagedSourceTest, LeavesAnEventOutThatDoesNotFit) {
  WriteMetadata();
  WriteStream({{10, 20, 0, 0, 0, 0, Softirq(10, 1) + Compact(0, 11) + "x"},
               {30, 40, 1, 0, 0, 0, Softirq(30, 3)}});
  const Reading reading = Read();
  EXPECT_THAT(reading.events, SizeIs(2));
  ExpectDamage(reading, "an event does not fit into its packet");
}

TEST_F(DamagedSourceTest, DoesNotBelieveACorruptLength) {
  text_.events.emplace_back("big", "struct { u64 _n; u32 _a[_n]; }");
  WriteMetadata();
  WriteStream({{10, 20, 0, 0, 0, 0,
                Softirq(10, 1) + Compact(1, 11) + Bytes().U64(1ULL << 62U).U32(0).str()}});
  const Reading reading = Read();
  EXPECT_THAT(reading.events, SizeIs(1));
  ExpectDamage(reading, "does not fit");
}

TEST_F(DamagedSourceTest, ReadsAFileThatIsCutOffAsFarAsItGoes) {
  WriteMetadata();
  const std::string bytes = PacketBytes{10, 20, 0, 0, 0, 0, Softirq(10, 1)}.str() +
                            PacketBytes{30, 40, 1, 0, 0, 0, Softirq(30, 2) + Softirq(31, 3)}.str();
  WriteFile(Folder() + "/channel_0", bytes.substr(0, bytes.size() - 16 - 5));
  const Reading reading = Read();
  EXPECT_THAT(reading.events, ElementsAre(HasSubstr(" 1"), HasSubstr(" 2")));
  ASSERT_THAT(reading.found.damage, SizeIs(2));
  EXPECT_THAT(reading.found.damage[0], HasSubstr("in the middle of this packet"));
}

TEST_F(DamagedSourceTest, LeavesEventsOutThatStepBack) {
  WriteMetadata();
  WriteStream({{10, 20, 0, 0, 0, 0,
                Softirq(15, 1) + Extended(0, 12) + Bytes().U32(2).str() + Extended(0, 16) +
                    Bytes().U32(3).str()}});
  const Reading reading = Read();
  EXPECT_THAT(reading.events, ElementsAre(HasSubstr(" 1"), HasSubstr(" 3")));
  EXPECT_THAT(reading.found.damage, ElementsAre(HasSubstr("1 events of a stream step back")));
}

TEST_F(DamagedSourceTest, LeavesEventsOutOfAPacketThatStepsBack) {
  WriteMetadata();
  WriteStream({{30, 40, 0, 0, 0, 0, Softirq(30, 1)}, {10, 20, 1, 0, 0, 0, Softirq(10, 2)}});
  const Reading reading = Read();
  EXPECT_THAT(reading.events, ElementsAre(HasSubstr(" 1")));
  EXPECT_THAT(reading.found.damage, ElementsAre(HasSubstr("1 events of a stream step back")));
}

TEST_F(DamagedSourceTest, NoticesAFileThatBecomesShorterWhileItIsRead) {
  WriteMetadata();
  std::string events;
  for (unsigned i = 0; i < 100'000; ++i) events += Softirq(10 + i, i);
  WriteStream({{10, 200'000, 0, 0, 0, 0, events}});
  const auto source = Open({Folder()}, Way::kOwn);
  std::uint64_t count = 0;
  source->Read([&](const analysis::Event&) {
    if (++count == 1) std::filesystem::resize_file(Folder() + "/channel_0", 300'001);
  });
  EXPECT_EQ(count, (300'001 - PacketBytes::kHeader) / 8);
  ASSERT_FALSE(source->found().damage.empty());
  EXPECT_THAT(source->found().damage[0], HasSubstr("the file has become shorter"));
}

TEST_F(DamagedSourceTest, NoticesAFileThatGoesWhileItIsRead) {
  WriteMetadata();
  WriteStream({{10, 20, 0, 0, 0, 0, Softirq(10, 1)}}, "channel_0_0");
  WriteStream({{30, 40, 1, 0, 0, 0, Softirq(30, 2)}}, "channel_0_1");
  const auto source = Open({Folder()}, Way::kOwn);
  std::filesystem::remove(Folder() + "/channel_0_1");
  int count = 0;
  source->Read([&](const analysis::Event&) { ++count; });
  EXPECT_EQ(count, 1);
  EXPECT_THAT(source->found().damage, ElementsAre(HasSubstr("channel_0_1: No such file")));
}

}  // namespace
}  // namespace tracekin::ctf
