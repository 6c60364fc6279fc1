// SPDX-License-Identifier: Apache-2.0
// Implements the C functions of tracekin/xseg.h.
#include "tracekin/xseg.h"

#include <sys/time.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "propagation/blkin.h"

namespace {

using tracekin::propagation::ByteOrder;
using tracekin::propagation::TraceInfo;

// A struct with the size and the offsets of libxseg's struct xseg_request on LP64.
struct Request {
  std::uint64_t serial, offset, size, serviced, v0_size, data, datalen, target;
  std::uint32_t targetlen, op, state, flags;
  std::uint32_t src_portno, transit_portno, dst_portno, effective_dst_portno;
  struct {
    unsigned long lock;
    std::uint64_t head, tail, queue, size;
  } path;
  std::uint64_t path_bufs[32];
  std::uint64_t buffer, bufferlen, task, priv;
  struct timeval timestamp;
  std::uint64_t elapsed;
  TraceInfo req_trace;
};
static_assert(offsetof(Request, targetlen) == 64 && offsetof(Request, path) == 96 &&
              offsetof(Request, path_bufs) == 136 && offsetof(Request, buffer) == 392 &&
              offsetof(Request, timestamp) == 424 &&
              offsetof(Request, req_trace) == TRACEKIN_XSEG_OFFSET &&
              sizeof(Request) == TRACEKIN_XSEG_SIZE);

// Checks the arguments that all functions share. Returns 0 or a negative errno.
int Check(const void* request, std::size_t size) {
  if (request == nullptr) return -EINVAL;
  return size < TRACEKIN_XSEG_SIZE ? -ENOBUFS : 0;
}

}  // namespace

int tracekin_xseg_inject(const tracekin_trace_info* info, void* request, size_t size) {
  if (info == nullptr) return -EINVAL;
  const int error = Check(request, size);
  if (error != 0) return error;
  tracekin::propagation::WriteTraceInfo(info->trace_id != 0 ? *info : TraceInfo{}, ByteOrder::kHost,
                                        static_cast<char*>(request) + TRACEKIN_XSEG_OFFSET);
  return 0;
}

int tracekin_xseg_extract(const void* request, size_t size, tracekin_trace_info* info) {
  if (info == nullptr) return -EINVAL;
  *info = {};
  const int error = Check(request, size);
  if (error != 0) return error;
  const TraceInfo found = tracekin::propagation::ReadTraceInfo(
      static_cast<const char*>(request) + TRACEKIN_XSEG_OFFSET, ByteOrder::kHost);
  if (found.trace_id == 0) return 0;
  if (found.span_id == 0) return -EBADMSG;
  *info = found;
  return 0;
}

int tracekin_xseg_clear(void* request, size_t size) {
  const TraceInfo none = {};
  return tracekin_xseg_inject(&none, request, size);
}
