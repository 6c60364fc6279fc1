// SPDX-License-Identifier: Apache-2.0
#include "analysis/disk_requests.h"

namespace tracekin::analysis {

namespace {

std::uint64_t Number(const Event& event, Block::Number which) {
  const std::int64_t number = event.number[which];
  return number == kAbsent ? 0 : static_cast<std::uint64_t>(number);
}

}  // namespace

DiskRequests::Key DiskRequests::KeyOf(const Event& event) {
  constexpr std::uint64_t kNone = ~std::uint64_t{0};
  const std::uint64_t sector = Number(event, Block::kSector);
  return {static_cast<std::uint32_t>(Number(event, Block::kDevice)), sector == kNone ? 0 : sector};
}

DiskRequest& DiskRequests::Find(const Event& event) {
  const Key key = KeyOf(event);
  if (open_.size() >= limit_ && open_.find(key) == open_.end()) open_.clear();
  DiskRequest& request = open_[key];
  request.device = key.first;
  request.sector = key.second;
  request.sectors = static_cast<std::uint32_t>(Number(event, Block::kSectors));
  return request;
}

void DiskRequests::Insert(const Event& event, Time now) {
  DiskRequest& request = Find(event);
  request.inserted = now;
  request.issued = 0;
}

void DiskRequests::Issue(const Event& event, Time now) {
  DiskRequest& request = Find(event);
  if (request.issued != 0) request.inserted = 0;  // another request, whose completion was lost
  request.issued = now;
}

DiskRequest DiskRequests::Complete(const Event& event, Time now) {
  const Key key = KeyOf(event);
  const auto last = last_.find(key.first);
  const bool again = last != last_.end() && last->second.sector == key.second &&
                     Number(event, Block::kSectors) == 0 && open_.find(key) == open_.end();
  DiskRequest request = again ? last->second : Find(event);
  open_.erase(key);
  request.completed = now;
  if (request.sectors != 0 && last_.size() < limit_) last_[key.first] = request;
  return request;
}

}  // namespace tracekin::analysis
