// SPDX-License-Identifier: Apache-2.0
// Summarizes a finished recording from its files.
//
// Thread-safety: the functions depend only on their arguments and the files.
#ifndef TRACEKIN_TOOLS_RECORD_SUMMARY_H
#define TRACEKIN_TOOLS_RECORD_SUMMARY_H

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tracekin::record {

struct Summary {
  std::map<std::string, std::uint64_t> events;  // counts by name; kernel events are kernel:NAME
  std::uint64_t discarded_kernel = 0;           // events
  std::uint64_t discarded_ust = 0;
  std::set<std::pair<std::int64_t, std::string>> processes;  // emitters of tracekin's events
  std::map<std::string, std::int64_t> clock_offsets_ns;      // by domain, to the Unix epoch
  std::vector<std::string> damage;                           // the omitted data, with the reason
  std::size_t spans = 0;
  std::size_t traces = 0;
  std::size_t failed_traces = 0;  // traces with an error
  std::string slowest;            // the longest span: id, name and duration, such as
                                  // "68557226 shop: order, 69.384 ms"
};

/// Reads all traces below `folder` with libbabeltrace2. Throws RecordError if they cannot be read.
/// Needs one second per million events of a long kernel trace.
Summary Summarize(const std::string& folder);

/// Returns the summary as text, with advice if events were discarded. `buffer_bytes` is the size of
/// the buffers that the recording used.
std::string Describe(const Summary& summary, std::uint64_t buffer_bytes);

}  // namespace tracekin::record

#endif  // TRACEKIN_TOOLS_RECORD_SUMMARY_H
