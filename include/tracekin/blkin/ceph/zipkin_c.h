/* SPDX-License-Identifier: Apache-2.0 */
/* BlkKin's C API in Ceph's dialect (ceph/blkin, the version that Ceph's releases pin),
 * implemented by libtracekin_blkin. docs/blkin.md describes the span that each record becomes
 * and lists the defects that are fixed.
 *
 * A program that has this folder on its include path compiles as it did with Ceph's BlkKin.
 *
 * Results: 0, or -EINVAL if a required argument is NULL.
 * Ownership: all text and all endpoints are borrowed for as long as the struct that refers to them
 * is in use. The caller does not need to free anything. blkin_record copies the data that it
 * records. Thread-safety: any thread may call any function, but a struct that is being filled
 * belongs to the caller. Nothing blocks. */
#ifndef TRACEKIN_BLKIN_CEPH_ZIPKIN_C_H
#define TRACEKIN_BLKIN_CEPH_ZIPKIN_C_H

#ifdef TRACEKIN_BLKIN_ORIGINAL_ZIPKIN_C_H
#error "BlkKin's original headers and Ceph's cannot be used in one file"
#endif

#include <errno.h>
#include <stdint.h>
#include <string.h> /* not used here, but programs have come to rely on it */

#include "../trace_info.h"

/* One library implements both dialects. They use the same names, so each has its own symbols. */
#define TRACEKIN_BLKIN_SYMBOL(name) \
  __asm__("tracekin_blkin_ceph_" name) __attribute__((visibility("default")))

/* Each macro makes an annotation at the endpoint `endp` (NULL: the trace's) and records it. */
#define BLKIN_TIMESTAMP(trace, endp, event)                                     \
  do {                                                                          \
    struct blkin_annotation blkin_macro_annotation = {ANNOT_STRING, 0, {0}, 0}; \
    blkin_init_timestamp_annotation(&blkin_macro_annotation, event, endp);      \
    blkin_record(trace, &blkin_macro_annotation);                               \
  } while (0);

#define BLKIN_KEYVAL_STRING(trace, endp, key, val)                              \
  do {                                                                          \
    struct blkin_annotation blkin_macro_annotation = {ANNOT_STRING, 0, {0}, 0}; \
    blkin_init_string_annotation(&blkin_macro_annotation, key, val, endp);      \
    blkin_record(trace, &blkin_macro_annotation);                               \
  } while (0);

#define BLKIN_KEYVAL_INTEGER(trace, endp, key, val)                             \
  do {                                                                          \
    struct blkin_annotation blkin_macro_annotation = {ANNOT_STRING, 0, {0}, 0}; \
    blkin_init_integer_annotation(&blkin_macro_annotation, key, val, endp);     \
    blkin_record(trace, &blkin_macro_annotation);                               \
  } while (0);

#ifdef __cplusplus
extern "C" {
#endif

/* Zipkin's own events. */
extern const char* const CLIENT_SEND TRACEKIN_BLKIN_SYMBOL("client_send"); /* cs */
extern const char* const CLIENT_RECV TRACEKIN_BLKIN_SYMBOL("client_recv"); /* cr */
extern const char* const SERVER_SEND TRACEKIN_BLKIN_SYMBOL("server_send"); /* ss */
extern const char* const SERVER_RECV TRACEKIN_BLKIN_SYMBOL("server_recv"); /* sr */
extern const char* const WIRE_SEND TRACEKIN_BLKIN_SYMBOL("wire_send");     /* ws */
extern const char* const WIRE_RECV TRACEKIN_BLKIN_SYMBOL("wire_recv");     /* wr */
extern const char* const CLIENT_SEND_FRAGMENT
    TRACEKIN_BLKIN_SYMBOL("client_send_fragment"); /* csf */
extern const char* const CLIENT_RECV_FRAGMENT
    TRACEKIN_BLKIN_SYMBOL("client_recv_fragment"); /* crf */
extern const char* const SERVER_SEND_FRAGMENT
    TRACEKIN_BLKIN_SYMBOL("server_send_fragment"); /* ssf */
extern const char* const SERVER_RECV_FRAGMENT
    TRACEKIN_BLKIN_SYMBOL("server_recv_fragment"); /* srf */

/* The place of an event: a service at an address. */
struct blkin_endpoint {
  const char* ip; /* text; "0.0.0.0" or "NaN" if unknown */
  int16_t port;   /* ports above 32767 are negative here */
  const char* name;
};

/* A span. */
struct blkin_trace {
  const char* name;
  struct blkin_trace_info info;
  const struct blkin_endpoint* endpoint;
};

typedef enum { ANNOT_STRING = 0, ANNOT_INTEGER, ANNOT_TIMESTAMP } blkin_annotation_type;

/* One record of a span: an event at the current time, or a key and its value. */
struct blkin_annotation {
  blkin_annotation_type type;
  const char* key; /* unused for ANNOT_TIMESTAMP */
  union {
    const char* val_str; /* the value, or the event */
    int64_t val_int;     /* ANNOT_INTEGER */
  };
  const struct blkin_endpoint* endpoint;
};

/* Reads the configuration (docs/blkin.md) and loads the LTTng events. The first use of a trace
 * does the same if this was not called. Later calls do nothing and return the same result.
 * Returns -EINVAL if the configuration is invalid, after writing the reason to standard error.
 * Events are recorded even then. */
int blkin_init(void) TRACEKIN_BLKIN_SYMBOL("init");

/* Starts a root span with new ids, or with trace_id 0 if the trace is not sampled. `endpoint`
 * may be NULL. */
int blkin_init_new_trace(struct blkin_trace* new_trace, const char* name,
                         const struct blkin_endpoint* endpoint)
    TRACEKIN_BLKIN_SYMBOL("init_new_trace");

/* Writes the ids of a new root span, whose span id equals its trace id. */
void blkin_init_trace_info(struct blkin_trace_info* trace_info)
    TRACEKIN_BLKIN_SYMBOL("init_trace_info");

/* Starts a child of `parent`, at the parent's endpoint if `endpoint` is NULL. A child of a span
 * that is not traced is not traced either. */
int blkin_init_child(struct blkin_trace* child, const struct blkin_trace* parent,
                     const struct blkin_endpoint* endpoint, const char* child_name)
    TRACEKIN_BLKIN_SYMBOL("init_child");

/* Starts a child of the span whose ids arrived with a message. */
int blkin_init_child_info(struct blkin_trace* child, const struct blkin_trace_info* info,
                          const struct blkin_endpoint* endpoint, const char* child_name)
    TRACEKIN_BLKIN_SYMBOL("init_child_info");

int blkin_init_endpoint(struct blkin_endpoint* endpoint, const char* ip, int16_t port,
                        const char* name) TRACEKIN_BLKIN_SYMBOL("init_endpoint");

int blkin_init_string_annotation(struct blkin_annotation* annotation, const char* key,
                                 const char* val, const struct blkin_endpoint* endpoint)
    TRACEKIN_BLKIN_SYMBOL("init_string_annotation");

int blkin_init_integer_annotation(struct blkin_annotation* annotation, const char* key, int64_t val,
                                  const struct blkin_endpoint* endpoint)
    TRACEKIN_BLKIN_SYMBOL("init_integer_annotation");

int blkin_init_timestamp_annotation(struct blkin_annotation* annotation, const char* event,
                                    const struct blkin_endpoint* endpoint)
    TRACEKIN_BLKIN_SYMBOL("init_timestamp_annotation");

/* Records `annotation` of `trace`, at the annotation's endpoint or, if that is NULL, at the
 * trace's. Returns -EINVAL unless the trace has a name (which may be "") and the endpoint has an
 * ip and a name. Does nothing if the trace_id is 0. */
int blkin_record(const struct blkin_trace* trace, const struct blkin_annotation* annotation)
    TRACEKIN_BLKIN_SYMBOL("record");

/* Copies the ids of `trace` to `info`. */
int blkin_get_trace_info(const struct blkin_trace* trace, struct blkin_trace_info* info)
    TRACEKIN_BLKIN_SYMBOL("get_trace_info");

/* Sets the ids of `trace` to those in `info`. */
int blkin_set_trace_info(struct blkin_trace* trace, const struct blkin_trace_info* info)
    TRACEKIN_BLKIN_SYMBOL("set_trace_info");

/* Sets the ids, name and endpoint of `trace`. No argument may be NULL. */
int blkin_set_trace_properties(struct blkin_trace* trace, const struct blkin_trace_info* info,
                               const char* name, const struct blkin_endpoint* endpoint)
    TRACEKIN_BLKIN_SYMBOL("set_trace_properties");

/* Writes the ids in `info` to `pinfo` in network byte order. */
int blkin_pack_trace_info(const struct blkin_trace_info* info,
                          struct blkin_trace_info_packed* pinfo)
    TRACEKIN_BLKIN_SYMBOL("pack_trace_info");

/* Reads the ids in `pinfo` into `info`. */
int blkin_unpack_trace_info(const struct blkin_trace_info_packed* pinfo,
                            struct blkin_trace_info* info)
    TRACEKIN_BLKIN_SYMBOL("unpack_trace_info");

#ifdef __cplusplus
}
#endif

#endif /* TRACEKIN_BLKIN_CEPH_ZIPKIN_C_H */
