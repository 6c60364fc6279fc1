// SPDX-License-Identifier: Apache-2.0
// Makes a span in the format of the queue and of the spool from an input.
#ifndef TRACEKIN_FUZZ_SPAN_H
#define TRACEKIN_FUZZ_SPAN_H

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "exporter/pipeline/span_bytes.h"
#include "fuzz/input.h"

namespace tracekin {

/// Makes an entry that is valid after an entry of type `*before`, and stores its own type there. In
/// the input, the types of the entry and of its value share one byte. The sizes of its key and
/// value follow, and then the key and the value. Sizes are limited to the rest of the input.
inline std::string TakeEntry(Input* input, exporter::EntryType* before) {
  exporter::EntryHeader header{};
  const unsigned types = input->Take<std::uint8_t>();
  header.type = static_cast<exporter::EntryType>(types % 9);
  header.value_type = static_cast<ValueType>(types / 9 % 5);
  const bool after_log =
      *before == exporter::EntryType::kLog || *before == exporter::EntryType::kLogField;
  if (header.type == exporter::EntryType::kLogField && !after_log)
    header.type = exporter::EntryType::kTag;
  *before = header.type;
  const std::size_t key_size = input->Take<std::uint8_t>();
  const std::size_t value_size = input->Take<std::uint16_t>() % 2048;
  const std::string_view key = input->TakeBytes(key_size);
  std::string value(input->TakeBytes(value_size));
  if (header.type == exporter::EntryType::kLog)
    value.resize(std::max(value.size(), sizeof(std::int64_t)));
  if (header.type == exporter::EntryType::kLink) value.resize(sizeof(exporter::LinkBytes));
  header.key_size = static_cast<std::uint16_t>(key.size());
  header.value_size = static_cast<std::uint32_t>(value.size());
  std::string entry(reinterpret_cast<const char*>(&header), sizeof header);
  return entry.append(key).append(value).append(1, '\0');
}

/// Makes a valid span from the input. Corrects its size and the bytes of its SpanHeader that have a
/// restricted range. The byte before the header is the number of entries. The span has fewer
/// entries if the input ends.
inline std::string TakeSpan(Input* input) {
  std::size_t entries = input->Take<std::uint8_t>();
  std::string span(input->TakeBytes(sizeof(exporter::SpanHeader)));
  span.resize(sizeof(exporter::SpanHeader));
  for (const std::size_t flag :
       {offsetof(exporter::SpanHeader, debug), offsetof(exporter::SpanHeader, error),
        offsetof(exporter::SpanHeader, shared), offsetof(exporter::SpanHeader, random_trace_id)}) {
    span[flag] = static_cast<char>(span[flag] & 1);
  }
  char& kind = span[offsetof(exporter::SpanHeader, kind)];
  kind = static_cast<char>(static_cast<unsigned char>(kind) % 5);
  exporter::EntryType before = exporter::EntryType::kDead;
  for (; entries != 0 && !input->rest().empty(); --entries) span += TakeEntry(input, &before);
  const auto size = static_cast<std::uint32_t>(span.size());
  std::memcpy(span.data() + offsetof(exporter::SpanHeader, size), &size, sizeof size);
  return span;
}

}  // namespace tracekin

#endif  // TRACEKIN_FUZZ_SPAN_H
