/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/propagation/xseg_peer.h"

#include <string.h>

_Static_assert(sizeof(struct xseg_peer_request) == TRACEKIN_XSEG_SIZE,
               "size of a request with ids");
_Static_assert(offsetof(struct xseg_peer_request, req_trace) == TRACEKIN_XSEG_OFFSET, "offset");

struct tracekin_trace_info xseg_peer_expected(uint64_t serial) {
  struct tracekin_trace_info info = {0, 0, 0};
  if (serial % 3 != 0) {
    const uint64_t id = serial * 0x9e3779b97f4a7c15u; /* the factor is odd, so only 0 yields 0 */
    info.trace_id = (int64_t)id;
    info.span_id = (int64_t)~id;
    info.parent_span_id = (int64_t)(id >> 1);
  }
  return info;
}

void xseg_peer_submit(struct xseg_peer_request* request, uint64_t serial) {
  const struct tracekin_trace_info info = xseg_peer_expected(serial);
  request->serial = serial;
  if (info.trace_id != 0) {
    tracekin_xseg_inject(&info, request, sizeof *request);
  } else {
    tracekin_xseg_clear(request, sizeof *request);
  }
}

int xseg_peer_accept(const struct xseg_peer_request* request) {
  const struct tracekin_trace_info expected = xseg_peer_expected(request->serial);
  struct tracekin_trace_info found;
  return tracekin_xseg_extract(request, sizeof *request, &found) == 0 &&
         memcmp(&found, &expected, sizeof found) == 0;
}
