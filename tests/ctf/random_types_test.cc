// SPDX-License-Identifier: Apache-2.0
// Writes events of random types and checks that both readers return the same events.
#include <gtest/gtest.h>

#include <random>

#include "ctf/error.h"
#include "ctf/source.h"
#include "tests/ctf/test_trace.h"
#include "tests/support/attack.h"
#include "tests/support/event_text.h"
#include "tests/support/seed.h"
#include "tests/support/temp_folder.h"

namespace tracekin::ctf {
namespace {

using testing::Compact;
using testing::PacketBytes;
using testing::TraceText;
using tracekin::testing::Attacks;
using tracekin::testing::TempFolder;

// Writes values bit by bit, starting at the beginning of the packet.
class BitWriter {
 public:
  explicit BitWriter(std::size_t bytes_before) : bits_(8 * bytes_before) {}

  void Align(unsigned alignment) { bits_ = (bits_ + alignment - 1) / alignment * alignment; }

  void Put(std::uint64_t value, unsigned bits, bool big_endian) {
    for (unsigned i = 0; i < bits; ++i, ++bits_) {
      const std::uint64_t bit = value >> (big_endian ? bits - 1 - i : i) & 1;
      bytes_.resize(bits_ / 8 + 1);
      bytes_[bits_ / 8] |= static_cast<char>(bit << (big_endian ? 7 - bits_ % 8 : bits_ % 8));
    }
  }

  std::size_t bits() const { return bits_; }
  /// Returns everything that was written after the first `bytes_before` bytes.
  std::string After(std::size_t bytes_before) {
    bytes_.resize(bits_ / 8);
    return bytes_.substr(bytes_before);
  }

 private:
  std::size_t bits_;
  std::string bytes_;
};

// Makes a random struct as text, and random values of it. Some fields have names that the analysis
// needs. Integers are placed so that bits of different byte orders never share a byte.
class RandomType {
 public:
  explicit RandomType(std::mt19937_64* random) : random_(*random) { root_ = Struct(3); }

  std::string text() const { return root_.text; }
  void Write(BitWriter* writer) { WriteNode(root_, writer); }

 private:
  struct Node {
    enum class Kind { kInteger, kString, kStruct, kArray, kSequence, kVariant } kind;
    std::string text;   // the type
    std::string after;  // the end of the declarator: [...]
    unsigned bits = 0;
    unsigned alignment = 1;  // alignment of the first bit
    bool big_endian = false;
    bool is_tag = false;  // small values, for lengths and choices
    unsigned count = 0;
    std::vector<Node> inner = {};
  };

  std::uint64_t Below(std::uint64_t bound) { return random_() % bound; }

  Node Integer() {
    Node node{Node::Kind::kInteger, "", ""};
    node.bits = 8U << Below(4);
    node.alignment = Below(4) == 0 ? 32 : 8;
    node.big_endian = Below(3) == 0;
    node.text = "integer { size = " + std::to_string(node.bits) +
                "; align = " + std::to_string(node.alignment) +
                "; signed = " + std::to_string(Below(2)) +
                (node.big_endian ? "; byte_order = be" : "") + "; }";
    return node;
  }

  // Makes bit fields of one byte order that fill whole bytes.
  Node Bits() {
    Node node{Node::Kind::kStruct, "struct { ", ""};
    const bool big_endian = Below(2) == 0;
    for (unsigned left = 8U << Below(3); left > 0;) {
      Node bit{Node::Kind::kInteger, "", ""};
      bit.bits = 1 + static_cast<unsigned>(Below(left));
      bit.big_endian = big_endian;
      bit.text = "integer { size = " + std::to_string(bit.bits) +
                 "; align = 1; signed = " + std::to_string(Below(2)) +
                 (big_endian ? "; byte_order = be" : "") + "; }";
      node.text += bit.text + " _b" + std::to_string(node.inner.size()) + "; ";
      left -= bit.bits;
      node.inner.push_back(bit);
    }
    node.text += "} align(8)";
    node.alignment = 8;
    return node;
  }

  Node String() {
    Node node{Node::Kind::kString, "string", ""};
    node.alignment = 8;
    return node;
  }

  Node Struct(unsigned depth) {
    static const char* const kNames[] = {"_tid", "_comm", "_fd", "_val", "_ret", "_vec"};
    Node node{Node::Kind::kStruct, "struct { ", ""};
    const std::uint64_t fields = Below(5) + 1;
    for (std::uint64_t i = 0; i < fields; ++i) {
      const std::string name = i < 3 && depth == 3 && Below(2) == 0 ? kNames[2 * i + Below(2)]
                                                                    : "_f" + std::to_string(i);
      AddField(name, depth, &node);
    }
    node.text += "}";
    for (const Node& inner : node.inner) {
      if (inner.kind != Node::Kind::kVariant) {
        node.alignment = std::max(node.alignment, inner.alignment);
      }
    }
    return node;
  }

  void AddField(const std::string& name, unsigned depth, Node* to) {
    Node field = Any(depth);
    if (field.kind == Node::Kind::kSequence || field.kind == Node::Kind::kVariant) {
      const std::string tag = name + "_tag";
      Node number{Node::Kind::kInteger, "u8", ""};
      number.bits = number.alignment = 8;
      number.is_tag = true;
      if (field.kind == Node::Kind::kVariant) {
        number.text = "enum : u8 { a = 0, b = 1 ... 2, c = 3, a = 4 ... 5 }";
        field.text.insert(std::string("variant ").size(), "<" + tag + "> ");
      } else {
        field.after = "[" + tag + "]";
      }
      to->text += number.text + " " + tag + "; ";
      to->inner.push_back(number);
    }
    to->text += field.text + " " + name + field.after + "; ";
    to->inner.push_back(std::move(field));
  }

  Node Any(unsigned depth) {
    const std::uint64_t choice = Below(depth == 0 ? 6 : 10);
    if (choice < 3) return Integer();
    if (choice == 3) return Bits();
    if (choice < 6) return String();
    if (choice == 6) return Struct(depth - 1);
    if (choice == 9) return Variant(depth - 1);
    Node element = Below(2) == 0 ? Integer() : Struct(depth - 1);
    Node node{choice == 7 ? Node::Kind::kArray : Node::Kind::kSequence, element.text, ""};
    node.alignment = element.alignment;
    node.count = 1 + static_cast<unsigned>(Below(3));
    node.after = "[" + std::to_string(node.count) + "]";
    node.inner.push_back(std::move(element));
    return node;
  }

  Node Variant(unsigned depth) {
    Node node{Node::Kind::kVariant, "variant { ", ""};
    for (const char* option : {"a", "b", "c"}) {
      node.inner.push_back(Below(2) == 0 ? Struct(depth) : Integer());
      node.text += node.inner.back().text + " " + option + "; ";
    }
    node.text += "}";
    return node;
  }

  void WriteNode(const Node& node, BitWriter* writer) {
    if (node.kind != Node::Kind::kVariant) writer->Align(node.alignment);
    switch (node.kind) {
      case Node::Kind::kInteger:
        last_tag_ = node.is_tag ? Below(6) : random_();
        writer->Put(last_tag_, node.bits, node.big_endian);
        return;
      case Node::Kind::kString:
        for (std::uint64_t i = Below(6); i > 0; --i) writer->Put('a' + i, 8, false);
        writer->Put(0, 8, false);
        return;
      case Node::Kind::kStruct:
        for (const Node& inner : node.inner) WriteNode(inner, writer);
        return;
      case Node::Kind::kArray:
        for (unsigned i = 0; i < node.count; ++i) WriteNode(node.inner[0], writer);
        return;
      case Node::Kind::kSequence:
        for (std::uint64_t left = last_tag_; left > 0; --left) WriteNode(node.inner[0], writer);
        return;
      case Node::Kind::kVariant: {
        constexpr int kOptions[] = {0, 1, 1, 2, 0, 0};
        WriteNode(node.inner[kOptions[last_tag_]], writer);
        return;
      }
    }
  }

  std::mt19937_64& random_;
  Node root_;
  std::uint64_t last_tag_ = 0;  // the last integer that was written
};

constexpr const char* kNames[] = {"sched_waking", "syscall_entry_futex", "irq_softirq_raise",
                                  "sched_process_exit", "not_known"};

TEST(RandomTypes, AreReadAlikeByBothWays) {
  std::mt19937_64 random(tracekin::testing::Seed(1));
  unsigned understood = 0;
  const unsigned rounds = Attacks(200U);
  for (unsigned round = 0; round < rounds; ++round) {
    TraceText text;
    std::vector<RandomType> types;
    for (const char* name : kNames) {
      types.emplace_back(&random);
      text.events.emplace_back(name, types.back().text());
    }
    BitWriter writer(PacketBytes::kHeader);
    for (unsigned i = 0; i < 50; ++i) {
      const unsigned id = static_cast<unsigned>(random() % types.size());
      writer.Align(8);
      writer.Put(id | (100 + i) << 5U, 32, false);
      types[id].Write(&writer);
    }
    const TempFolder folder;
    testing::WriteFile(folder.path() + "/metadata", text.str());
    testing::WriteFile(folder.path() + "/channel_0",
                       PacketBytes{100, 900, 0, 0, 0, 0, writer.After(PacketBytes::kHeader)}.str());
    try {
      const auto own = tracekin::testing::ReadTraces({folder.path()}, Way::kOwn);
      ++understood;
      EXPECT_TRUE(own.found.damage.empty()) << own.found.damage.front();
      const auto other = tracekin::testing::ReadTraces({folder.path()}, Way::kBabeltrace2);
      ASSERT_EQ(tracekin::testing::Difference(own, other), "") << "round " << round << "\n"
                                                               << text.str();
    } catch (const NotUnderstood&) {
    }
  }
  EXPECT_EQ(understood, rounds);
  tracekin::testing::ReportAttacks(rounds, "traces of random types");
}

}  // namespace
}  // namespace tracekin::ctf
