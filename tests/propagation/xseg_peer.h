/* SPDX-License-Identifier: Apache-2.0 */
/* A peer in plain C that writes and checks the ids of its requests. */
#ifndef TRACEKIN_TESTS_PROPAGATION_XSEG_PEER_H
#define TRACEKIN_TESTS_PROPAGATION_XSEG_PEER_H

#include "tracekin/xseg.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A libxseg request with ids, reduced to the fields that these peers use. */
struct xseg_peer_request {
  uint64_t serial;
  char unused[TRACEKIN_XSEG_OFFSET - sizeof(uint64_t)];
  struct tracekin_trace_info req_trace;
};

/* Returns the ids of request number `serial`. Every third request is not traced. */
struct tracekin_trace_info xseg_peer_expected(uint64_t serial);

void xseg_peer_submit(struct xseg_peer_request* request, uint64_t serial);

/* Returns 1 if the request has the ids of its serial number. */
int xseg_peer_accept(const struct xseg_peer_request* request);

#ifdef __cplusplus
}
#endif

#endif /* TRACEKIN_TESTS_PROPAGATION_XSEG_PEER_H */
