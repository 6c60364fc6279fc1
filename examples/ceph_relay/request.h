// SPDX-License-Identifier: Apache-2.0
// What a request to an OSD asks for, as far as a span says so.
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

/// Reads the front of a MOSDOp of version 8 or 9 up to its operations. False, and `request` left in any
/// state, if it is something else.
bool ReadRequest(std::uint16_t version, std::string_view front, Request* request);

/// Reads the result from the front of a MOSDOpReply: 0 or more, or a negative errno. False if it is too
/// short.
bool ReadResult(std::string_view front, std::int32_t* result);

#endif  // TRACEKIN_EXAMPLES_CEPH_RELAY_REQUEST_H
