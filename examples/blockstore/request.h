// SPDX-License-Identifier: Apache-2.0
// A request between peers, in the layout of libxseg's struct xseg_request as BlkKin extended it.
// The span context is its last member, 24 bytes that allocation does not clear.
//
// It is in shared memory. The fields marked with * have a meaning of our own, because a request
// here has one sender and one receiver instead of a path of ports.
#ifndef TRACEKIN_EXAMPLES_BLOCKSTORE_REQUEST_H
#define TRACEKIN_EXAMPLES_BLOCKSTORE_REQUEST_H

#include <sys/time.h>

#include <cstddef>
#include <cstdint>

namespace blockstore {

enum class Op : std::uint32_t { kRead, kWrite, kMapRead, kMapWrite };

/// The state of a request. It changes under the lock of the port that holds the request
/// (segment.h).
enum class State : std::uint32_t {
  kFree,
  kSubmitted,  // in its receiver's queue
  kAccepted,   // the receiver is serving it
  kServed,     // back in its sender's queue, successful
  kFailed,     // back in its sender's queue, failed
  kTaken,      // the sender has taken it from its queue
};

struct Request {
  std::uint64_t serial;
  std::uint64_t offset;
  std::uint64_t size;
  std::uint64_t serviced;
  std::uint64_t v0_size;
  std::uint64_t data;  // place in the segment: the data, maybe in a buffer of another request
  std::uint64_t datalen;
  std::uint64_t target;  // place in the segment: the object's name
  std::uint32_t targetlen;
  Op op;
  State state;
  std::uint32_t flags;
  std::uint32_t src_portno;  // * the sender; never changes
  std::uint32_t transit_portno;
  std::uint32_t dst_portno;  // * the receiver
  std::uint32_t effective_dst_portno;
  struct {
    unsigned long lock;
    std::uint64_t head, tail, queue, size;
  } path;
  std::uint64_t path_bufs[32];
  std::uint64_t buffer;
  std::uint64_t bufferlen;
  std::uint64_t task;
  std::uint64_t priv;
  timeval timestamp;
  std::uint64_t elapsed;
  struct {
    std::int64_t trace_id, span_id, parent_span_id;
  } req_trace;
};
static_assert(offsetof(Request, op) == 68 && offsetof(Request, dst_portno) == 88);
static_assert(offsetof(Request, timestamp) == 424 && offsetof(Request, req_trace) == 448);
static_assert(sizeof(Request) == 472);

}  // namespace blockstore

#endif  // TRACEKIN_EXAMPLES_BLOCKSTORE_REQUEST_H
