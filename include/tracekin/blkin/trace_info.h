/* SPDX-License-Identifier: Apache-2.0 */
/* The three ids that a message or request carries from one BlkKin service to the next: the same in
 * both dialects of BlkKin's API. Plain data, C and C++. */
#ifndef TRACEKIN_BLKIN_TRACE_INFO_H
#define TRACEKIN_BLKIN_TRACE_INFO_H

#include <stdint.h>

/* A trace_id of 0 says that the request is not traced. */
struct blkin_trace_info {
  int64_t trace_id;
  int64_t span_id;
  int64_t parent_span_id; /* 0: the span is a root */
};

/* The same in network byte order, as it travels. */
struct blkin_trace_info_packed {
  uint64_t trace_id;
  uint64_t span_id;
  uint64_t parent_span_id;
} __attribute__((packed));

#endif /* TRACEKIN_BLKIN_TRACE_INFO_H */
