// SPDX-License-Identifier: Apache-2.0
// Makes spans in the queue's format, for tests of code that reads them.
#ifndef TRACEKIN_TESTS_SUPPORT_MAKE_SPAN_H
#define TRACEKIN_TESTS_SUPPORT_MAKE_SPAN_H

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "exporter/pipeline/batch.h"
#include "exporter/pipeline/span_bytes.h"

namespace tracekin::testing {

/// Returns the bytes of a span with this id and name.
inline std::string MakeSpan(std::uint64_t id, std::string_view name = "a") {
  const exporter::EntryHeader entry{exporter::EntryType::kName, ValueType::kText, 0,
                                    static_cast<std::uint32_t>(name.size())};
  exporter::SpanHeader header{};
  header.size = static_cast<std::uint32_t>(sizeof header + entry.size());
  header.name = sizeof header;
  header.span_id = header.trace_id_low = id;
  std::string span(reinterpret_cast<const char*>(&header), sizeof header);
  span.append(reinterpret_cast<const char*>(&entry), sizeof entry).append(name).push_back('\0');
  return span;
}

inline std::uint64_t IdOf(const char* span) {
  exporter::SpanHeader header;
  std::memcpy(&header, span, sizeof header);
  return header.span_id;
}

inline std::vector<std::uint64_t> IdsOf(const exporter::Batch& batch) {
  std::vector<std::uint64_t> ids;
  batch.ForEach([&ids](const char* span) { ids.push_back(IdOf(span)); });
  return ids;
}

}  // namespace tracekin::testing

#endif  // TRACEKIN_TESTS_SUPPORT_MAKE_SPAN_H
