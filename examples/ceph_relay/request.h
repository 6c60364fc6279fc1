// SPDX-License-Identifier: Apache-2.0
// The parts of a request to an OSD that a span shows.
#ifndef TRACEKIN_EXAMPLES_CEPH_RELAY_REQUEST_H
#define TRACEKIN_EXAMPLES_CEPH_RELAY_REQUEST_H

#include <cstdint>
#include <string>
#include <string_view>

struct Request {
  std::int64_t pool = -1;
  std::string object;
  std::string operations;  // their names, separated by commas
};

/// Reads the front of a MOSDOp of version 8 or 9 up to its operations. Returns false if the front
/// is not valid; `request` is then unspecified.
bool ReadRequest(std::uint16_t version, std::string_view front, Request* request);

/// Reads the result from the front of a MOSDOpReply: 0 or more, or a negative errno. Returns false
/// if the front is too short.
bool ReadResult(std::string_view front, std::int32_t* result);

#endif  // TRACEKIN_EXAMPLES_CEPH_RELAY_REQUEST_H
