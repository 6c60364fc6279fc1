/* SPDX-License-Identifier: Apache-2.0 */
/* The three ids that BlkKin, Ceph's messages and XSEG's requests carry, in host byte order.
 * Plain C with the layout of BlkKin's `struct blkin_trace_info`. */
#ifndef TRACEKIN_TRACE_INFO_H
#define TRACEKIN_TRACE_INFO_H

#include <stdint.h>

struct tracekin_trace_info {
  int64_t trace_id;       /* lower half of a 128-bit id; 0: not traced, regardless of the others */
  int64_t span_id;        /* the sender's span, the parent of the receiver's span */
  int64_t parent_span_id; /* the parent of the sender's span; 0: it is a root */
};

#endif /* TRACEKIN_TRACE_INFO_H */
