/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes the trace ids of an XSEG request, in plain C. A peer calls these functions
 * when it submits and accepts requests.
 *
 * The feature-instrumentation branch of libxseg added three 64-bit ids to the end of `struct
 * xseg_request`. They are at offset 448, in host byte order because the request is in shared
 * memory. A request of a libxseg without them has 448 bytes and no fields for ids. Every
 * function here leaves such a request unchanged. `size` is the caller's sizeof(struct
 * xseg_request).
 *
 * libxseg reuses requests without clearing the ids. Therefore call tracekin_xseg_inject or
 * tracekin_xseg_clear before every submission, whether the request is traced or not.
 *
 * Thread-safety: the functions do not synchronize and touch only the ids of the request. The
 * owner of the request may call them. XSEG's queues order the accesses of one owner before those
 * of the next.
 * Errors: the functions return a negative errno. -EINVAL: a pointer is null. -ENOBUFS: the
 * request has no fields for ids. */
#ifndef TRACEKIN_XSEG_H
#define TRACEKIN_XSEG_H

#include <stddef.h>

#include "tracekin/export.h"
#include "tracekin/trace_info.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  TRACEKIN_XSEG_OFFSET = 448, /* offset of the ids; sizeof(struct xseg_request) without them */
  TRACEKIN_XSEG_SIZE = 472    /* sizeof(struct xseg_request) with them */
};

/* Writes `info` into the request, or zeros if its trace_id is 0. Returns 0. */
TRACEKIN_API int tracekin_xseg_inject(const struct tracekin_trace_info* info, void* request,
                                      size_t size);

/* Reads the ids of the request. trace_id is 0 if the request is not traced. Returns 0, or
 * -EBADMSG if there is a trace_id without a span_id. All of `info` is 0 after any error. */
TRACEKIN_API int tracekin_xseg_extract(const void* request, size_t size,
                                       struct tracekin_trace_info* info);

/* Marks the request as not traced. Returns 0. */
TRACEKIN_API int tracekin_xseg_clear(void* request, size_t size);

#ifdef __cplusplus
}
#endif

#endif /* TRACEKIN_XSEG_H */
