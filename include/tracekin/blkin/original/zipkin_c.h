/* SPDX-License-Identifier: Apache-2.0 */
/* BlkKin's C API as its author published it (marioskogias/blkin, branch master), implemented by
 * libtracekin_blkin. docs/blkin.md describes the span that each record becomes and lists the
 * defects that are fixed.
 *
 * A program that has this folder on its include path compiles as it did with BlkKin. This header
 * declares the functions under their internal names. <blkin-front.h> has the pointers that
 * programs call.
 *
 * Results: 0, or -EINVAL if a required argument is NULL, unless documented otherwise.
 * Ownership: all text and all endpoints are borrowed for as long as the struct that refers to them
 * is in use. The caller does not need to free anything. blkin_record copies the data that it
 * records. Thread-safety: any thread may call any function, but a struct that is being filled
 * belongs to the caller. Nothing blocks. */
#ifndef TRACEKIN_BLKIN_ORIGINAL_ZIPKIN_C_H
#define TRACEKIN_BLKIN_ORIGINAL_ZIPKIN_C_H

#ifdef TRACEKIN_BLKIN_CEPH_ZIPKIN_C_H
#error "BlkKin's original headers and Ceph's cannot be used in one file"
#endif

#include <errno.h>
#include <stdint.h>
#include <string.h> /* not used here, but programs have come to rely on it */

#include "../trace_info.h"

/* One library implements both dialects. They use the same names, so each has its own symbols. */
#define TRACEKIN_BLKIN_SYMBOL(name) \
  __asm__("tracekin_blkin_original_" name) __attribute__((visibility("default")))

/* Each macro makes an annotation at the endpoint `endp` (NULL: the trace's) and records it. */
#define BLKIN_TIMESTAMP(trace, endp, event)                                   \
  do {                                                                        \
    struct blkin_annotation blkin_macro_annotation = {ANNOT_STRING, 0, 0, 0}; \
    blkin_init_timestamp_annotation(&blkin_macro_annotation, event, endp);    \
    blkin_record(trace, &blkin_macro_annotation);                             \
  } while (0);

#define BLKIN_KEYVAL(trace, endp, key, val)                                   \
  do {                                                                        \
    struct blkin_annotation blkin_macro_annotation = {ANNOT_STRING, 0, 0, 0}; \
    blkin_init_string_annotation(&blkin_macro_annotation, key, val, endp);    \
    blkin_record(trace, &blkin_macro_annotation);                             \
  } while (0);

#ifdef __cplusplus
extern "C" {
#endif

/* The place of an event: a service at an address. */
struct blkin_endpoint {
  const char* ip; /* text; "NaN" if unknown */
  int port;
  const char* name;
};

/* A span. */
struct blkin_trace {
  const char* name;
  struct blkin_trace_info info;
  struct blkin_endpoint* trace_endpoint;
};

typedef enum { ANNOT_STRING = 0, ANNOT_TIMESTAMP } blkin_annotation_type;

/* One record of a span: an event at the current time, or a key and its value. */
struct blkin_annotation {
  blkin_annotation_type type;
  const char* key; /* ANNOT_STRING only */
  const char* val; /* the value, or the event */
  struct blkin_endpoint* annotation_endpoint;
};

/* Starts a root span with new ids, or with trace_id 0 if the trace is not sampled. `endpoint`
 * may be NULL. */
int _blkin_init_new_trace(struct blkin_trace* new_trace, const char* name,
                          struct blkin_endpoint* endpoint) TRACEKIN_BLKIN_SYMBOL("init_new_trace");

/* Starts a child of `parent`, at the parent's endpoint if `endpoint` is NULL. A child of a span
 * that is not traced is not traced either. */
int _blkin_init_child(struct blkin_trace* child, struct blkin_trace* parent,
                      struct blkin_endpoint* endpoint, const char* child_name)
    TRACEKIN_BLKIN_SYMBOL("init_child");

/* Starts a child of the span whose ids arrived with a message. */
int _blkin_init_child_info(struct blkin_trace* child, struct blkin_trace_info* info,
                           struct blkin_endpoint* endpoint, const char* child_name)
    TRACEKIN_BLKIN_SYMBOL("init_child_info");

int _blkin_init_endpoint(struct blkin_endpoint* endp, const char* ip, int port, const char* name)
    TRACEKIN_BLKIN_SYMBOL("init_endpoint");

int _blkin_init_string_annotation(struct blkin_annotation* annotation, const char* key,
                                  const char* val, struct blkin_endpoint* endpoint)
    TRACEKIN_BLKIN_SYMBOL("init_string_annotation");

int _blkin_init_timestamp_annotation(struct blkin_annotation* annotation, const char* event,
                                     struct blkin_endpoint* endpoint)
    TRACEKIN_BLKIN_SYMBOL("init_timestamp_annotation");

/* Records `annot` of `trace`, at the annotation's endpoint or, if that is NULL, at the trace's.
 * Returns -EINVAL if both are NULL. Records a NULL name as "NoName" and a NULL ip as "NaN". Does
 * nothing if the trace_id is 0. */
int _blkin_record(struct blkin_trace* trace, struct blkin_annotation* annot)
    TRACEKIN_BLKIN_SYMBOL("record");

/* Copies the ids of `trace` to `info`. */
int _blkin_get_trace_info(struct blkin_trace* trace, struct blkin_trace_info* info)
    TRACEKIN_BLKIN_SYMBOL("get_trace_info");

/* Sets the ids of `trace` to those in `info`. */
int _blkin_set_trace_info(struct blkin_trace* trace, struct blkin_trace_info* info)
    TRACEKIN_BLKIN_SYMBOL("set_trace_info");

/* Writes the ids in `info` to `pinfo` in network byte order. Returns 1. */
int _blkin_pack_trace_info(struct blkin_trace_info* info, struct blkin_trace_info_packed* pinfo)
    TRACEKIN_BLKIN_SYMBOL("pack_trace_info");

/* Reads the ids in `pinfo` into `info`. Returns 1. */
int _blkin_unpack_trace_info(struct blkin_trace_info_packed* pinfo, struct blkin_trace_info* info)
    TRACEKIN_BLKIN_SYMBOL("unpack_trace_info");

#ifdef __cplusplus
}
#endif

#endif /* TRACEKIN_BLKIN_ORIGINAL_ZIPKIN_C_H */
