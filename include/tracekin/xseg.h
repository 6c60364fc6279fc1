/* SPDX-License-Identifier: Apache-2.0 */
/* The trace ids inside an XSEG request, in plain C: what a peer calls where it submits and accepts.
 *
 * libxseg's branch feature-instrumentation put three 64-bit ids at the end of `struct xseg_request`: at
 * offset 448, in the order of the host, for the request lies in shared memory. A request of a libxseg
 * without them has 448 bytes, and no place; every function here leaves it as it is. `size` is what
 * sizeof(struct xseg_request) is to the caller.
 *
 * libxseg hands requests out again without clearing the ids: tracekin_xseg_inject or tracekin_xseg_clear
 * must be called for every request that is submitted, traced or not, before it is.
 *
 * Thread-safety: none of their own. They touch the request's ids and nothing else; whoever owns the
 * request may call them, and XSEG's queues order one owner's accesses before the next one's.
 * Errors: a negative errno. -EINVAL: a null pointer. -ENOBUFS: the request has no place for ids. */
#ifndef TRACEKIN_XSEG_H
#define TRACEKIN_XSEG_H

#include <stddef.h>

#include "tracekin/export.h"
#include "tracekin/trace_info.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  TRACEKIN_XSEG_OFFSET = 448, /* of the ids; sizeof(struct xseg_request) without them */
  TRACEKIN_XSEG_SIZE = 472    /* sizeof(struct xseg_request) with them */
};

/* Puts `info` into the request; zeros, if its trace_id is 0. Returns 0. */
TRACEKIN_API int tracekin_xseg_inject(const struct tracekin_trace_info* info, void* request,
                                      size_t size);

/* Takes the ids out of the request; trace_id is 0 if it is not traced. Returns 0. -EBADMSG: there is a
 * trace_id and no span_id. All of `info` is 0 after any error. */
TRACEKIN_API int tracekin_xseg_extract(const void* request, size_t size,
                                       struct tracekin_trace_info* info);

/* Makes the request one that is not traced. Returns 0. */
TRACEKIN_API int tracekin_xseg_clear(void* request, size_t size);

#ifdef __cplusplus
}
#endif

#endif /* TRACEKIN_XSEG_H */
