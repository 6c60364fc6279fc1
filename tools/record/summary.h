// SPDX-License-Identifier: Apache-2.0
// What a finished recording holds, read back from its files.
//
// Thread-safety: functions of their arguments and the files.
#ifndef TRACEKIN_TOOLS_RECORD_SUMMARY_H
#define TRACEKIN_TOOLS_RECORD_SUMMARY_H

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace tracekin::record {

struct Summary {
  std::map<std::string, std::uint64_t> events;  // by name; those of the kernel are kernel:NAME
  std::uint64_t discarded_kernel = 0;           // events
  std::uint64_t discarded_ust = 0;
  std::set<std::pair<std::int64_t, std::string>> processes;  // that emitted tracekin's events
  std::map<std::string, std::int64_t> clock_offsets_ns;      // by domain, to the Unix epoch
};

/// Reads all traces below `folder` with libbabeltrace2. Throws RecordError if they cannot be read. A
/// long kernel trace takes seconds: about a million events each.
Summary Summarize(const std::string& folder);

/// The summary in words, with what helps if events were discarded. `buffer_bytes` is what they had.
std::string Describe(const Summary& summary, std::uint64_t buffer_bytes);

}  // namespace tracekin::record

#endif  // TRACEKIN_TOOLS_RECORD_SUMMARY_H
