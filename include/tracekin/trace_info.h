/* SPDX-License-Identifier: Apache-2.0 */
/* The three ids that BlkKin, Ceph's messages and XSEG's requests carry, in the order of the host. In
 * plain C; laid out as BlkKin's `struct blkin_trace_info`. */
#ifndef TRACEKIN_TRACE_INFO_H
#define TRACEKIN_TRACE_INFO_H

#include <stdint.h>

struct tracekin_trace_info {
  int64_t trace_id; /* the lower half of a 128-bit id; 0: not traced, whatever the others are */
  int64_t span_id;  /* of the sender; its receiver's parent */
  int64_t parent_span_id; /* of the sender's own parent; 0: it is a root */
};

#endif /* TRACEKIN_TRACE_INFO_H */
