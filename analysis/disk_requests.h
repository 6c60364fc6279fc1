// SPDX-License-Identifier: Apache-2.0
// Follows the requests to disks from their insertion into a queue to their completion.
//
// A request is identified by its device and its first sector. A flush of the device's cache has no
// sector and counts as a request for sector 0. The kernel divides a write with a flush into several
// requests, and then completes the whole with the sector of the data and without a length. This
// counts as the completion of the data.
//
// The number of open requests is
// limited. If there are more, which means that completions were lost, all of them are forgotten.
//
// Thread-safety: none.
#ifndef TRACEKIN_ANALYSIS_DISK_REQUESTS_H
#define TRACEKIN_ANALYSIS_DISK_REQUESTS_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "analysis/timeline.h"

namespace tracekin::analysis {

class DiskRequests {
 public:
  explicit DiskRequests(std::size_t limit) : limit_(limit) {}

  /// These process kBlockInsert and kBlockIssue events. A request that no scheduler of the disk
  /// delays is issued without having been inserted.
  void Insert(const Event& event, Time now);
  void Issue(const Event& event, Time now);

  /// Processes a kBlockComplete event. Returns the request. Its times are 0 if the trace does not
  /// contain them.
  DiskRequest Complete(const Event& event, Time now);

 private:
  using Key = std::pair<std::uint32_t, std::uint64_t>;  // device, sector

  static Key KeyOf(const Event& event);
  DiskRequest& Find(const Event& event);

  const std::size_t limit_;
  std::map<Key, DiskRequest> open_;
  std::map<std::uint32_t, DiskRequest> last_;  // by device: the last one with data
};

}  // namespace tracekin::analysis

#endif  // TRACEKIN_ANALYSIS_DISK_REQUESTS_H
