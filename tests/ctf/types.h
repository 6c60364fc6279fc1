// SPDX-License-Identifier: Apache-2.0
// Parses types from the text that describes them in metadata.
#ifndef TRACEKIN_TESTS_CTF_TYPES_H
#define TRACEKIN_TESTS_CTF_TYPES_H

#include <string>

#include "ctf/tsdl.h"

namespace tracekin::ctf::testing {

/// Defines the names of integers that ParseType() accepts.
inline const std::string kIntegers = R"(
typealias integer { size = 8; align = 8; signed = false; } := u8;
typealias integer { size = 16; align = 8; signed = false; } := u16;
typealias integer { size = 32; align = 8; signed = false; } := u32;
typealias integer { size = 64; align = 8; signed = false; } := u64;
typealias integer { size = 8; align = 8; signed = true; } := s8;
typealias integer { size = 16; align = 8; signed = true; } := s16;
typealias integer { size = 32; align = 8; signed = true; } := s32;
typealias integer { size = 64; align = 8; signed = true; } := s64;
typealias integer { size = 1; align = 1; signed = false; } := bit;
typealias integer { size = 8; align = 8; signed = true; encoding = UTF8; } := character;
)";

/// Returns the parsed type of an event's fields, such as "struct { u8 _a; }". Throws NotUnderstood.
inline TypePointer ParseType(const std::string& type) {
  const Metadata metadata =
      ParseMetadata(kIntegers +
                    "trace { major = 1; minor = 8; byte_order = le; };\n"
                    "stream { id = 0; };\n"
                    "event { id = 0; stream_id = 0; name = \"e\"; fields := " +
                    type + "; };\n");
  return metadata.streams.at(0).events.at(0).fields;
}

}  // namespace tracekin::ctf::testing

#endif  // TRACEKIN_TESTS_CTF_TYPES_H
