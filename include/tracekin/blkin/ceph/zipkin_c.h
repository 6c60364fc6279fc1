/* SPDX-License-Identifier: Apache-2.0 */
/* BlkKin's C API as Ceph has it (ceph/blkin, the version that Ceph's releases pin), implemented by
 * libtracekin_blkin. docs/blkin.md says what each record becomes, and which defects are mended.
 *
 * A program that has this folder on its include path compiles as it did against Ceph's BlkKin.
 *
 * Results: 0, or -EINVAL if an argument is NULL that must not be.
 * Ownership: all text and all endpoints are borrowed, for as long as the struct that names them is
 * in use; nothing is to be freed. What blkin_record has recorded is copied.
 * Thread-safety: any thread may call any function; a struct that is being filled belongs to the
 * caller. Nothing blocks. */
#ifndef TRACEKIN_BLKIN_CEPH_ZIPKIN_C_H
#define TRACEKIN_BLKIN_CEPH_ZIPKIN_C_H

#ifdef TRACEKIN_BLKIN_ORIGINAL_ZIPKIN_C_H
#error "BlkKin's original headers and Ceph's cannot be used in one file"
#endif

#include <errno.h>
#include <stdint.h>
#include <string.h> /* not used here, but by programs that came to rely on it */

#include "../trace_info.h"

/* One library serves both dialects, whose names are the same: so each has symbols of its own. */
#define TRACEKIN_BLKIN_SYMBOL(name) \
  __asm__("tracekin_blkin_ceph_" name) __attribute__((visibility("default")))

/* Each makes an annotation of the endpoint `endp` (NULL: the trace's) and records it. */
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

/* Where something happens: a service at an address. */
struct blkin_endpoint {
  const char* ip; /* text; "0.0.0.0" or "NaN" if it is not known */
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

/* What is recorded of a span: an event at this moment, or a key and its value. */
struct blkin_annotation {
  blkin_annotation_type type;
  const char* key; /* not of ANNOT_TIMESTAMP */
  union {
    const char* val_str; /* the value, or the event */
    int64_t val_int;     /* ANNOT_INTEGER */
  };
  const struct blkin_endpoint* endpoint;
};

/* Makes everything ready: reads the configuration (docs/blkin.md) and loads the LTTng events. Else
 * the first use of a trace does that. Again and again it does nothing more, and returns the same.
 * -EINVAL if there is a configuration that is wrong, after a line on standard error that says how;
 * events are recorded all the same. */
int blkin_init(void) TRACEKIN_BLKIN_SYMBOL("init");

/* A root span with new ids, or with trace_id 0 if the trace is not sampled. `endpoint` may be
 * NULL. */
int blkin_init_new_trace(struct blkin_trace* new_trace, const char* name,
                         const struct blkin_endpoint* endpoint)
    TRACEKIN_BLKIN_SYMBOL("init_new_trace");

/* The ids of such a root: the span's is the trace's. */
void blkin_init_trace_info(struct blkin_trace_info* trace_info)
    TRACEKIN_BLKIN_SYMBOL("init_trace_info");

/* A child of `parent`, at the parent's endpoint if `endpoint` is NULL. The child of a span that is
 * not traced is not traced either. */
int blkin_init_child(struct blkin_trace* child, const struct blkin_trace* parent,
                     const struct blkin_endpoint* endpoint, const char* child_name)
    TRACEKIN_BLKIN_SYMBOL("init_child");

/* A child of the span whose ids came with a message. */
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

/* Records `annotation` of `trace`, at the annotation's endpoint or else the trace's. -EINVAL unless
 * the trace has a name ("" will do), and the endpoint ip and name. Does nothing if the trace_id is
 * 0. */
int blkin_record(const struct blkin_trace* trace, const struct blkin_annotation* annotation)
    TRACEKIN_BLKIN_SYMBOL("record");

/* Copies the ids of `trace` to `info`. */
int blkin_get_trace_info(const struct blkin_trace* trace, struct blkin_trace_info* info)
    TRACEKIN_BLKIN_SYMBOL("get_trace_info");

/* Gives `trace` the ids in `info`. */
int blkin_set_trace_info(struct blkin_trace* trace, const struct blkin_trace_info* info)
    TRACEKIN_BLKIN_SYMBOL("set_trace_info");

/* The same, with name and endpoint; none may be NULL. */
int blkin_set_trace_properties(struct blkin_trace* trace, const struct blkin_trace_info* info,
                               const char* name, const struct blkin_endpoint* endpoint)
    TRACEKIN_BLKIN_SYMBOL("set_trace_properties");

/* Writes the ids in `info` to `pinfo` in network byte order. */
int blkin_pack_trace_info(const struct blkin_trace_info* info,
                          struct blkin_trace_info_packed* pinfo)
    TRACEKIN_BLKIN_SYMBOL("pack_trace_info");

/* Reads them from `pinfo` into `info`. */
int blkin_unpack_trace_info(const struct blkin_trace_info_packed* pinfo,
                            struct blkin_trace_info* info)
    TRACEKIN_BLKIN_SYMBOL("unpack_trace_info");

#ifdef __cplusplus
}
#endif

#endif /* TRACEKIN_BLKIN_CEPH_ZIPKIN_C_H */
