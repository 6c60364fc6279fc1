/* SPDX-License-Identifier: Apache-2.0 */
/* The three ids that a message or request carries from one BlkKin service to the next. Both
 * dialects of BlkKin's API use them. Plain data for C and C++. */
#ifndef TRACEKIN_BLKIN_TRACE_INFO_H
#define TRACEKIN_BLKIN_TRACE_INFO_H

#include <stdint.h>

/* A trace_id of 0 means that the request is not traced. */
struct blkin_trace_info {
  int64_t trace_id;
  int64_t span_id;
  int64_t parent_span_id; /* 0: the span is a root */
};

/* The same ids in network byte order, as they are transmitted. */
struct blkin_trace_info_packed {
  uint64_t trace_id;
  uint64_t span_id;
  uint64_t parent_span_id;
} __attribute__((packed));

#endif /* TRACEKIN_BLKIN_TRACE_INFO_H */
