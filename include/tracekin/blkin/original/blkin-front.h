/* SPDX-License-Identifier: Apache-2.0 */
/* The header that C programs written for BlkKin include. It declares blkin_init and a pointer to
 * each function of <zipkin_c.h>.
 *
 * In BlkKin, blkin_init set the pointers from a library that it opened by name. Here they are
 * set from the beginning. A program may point them to its own functions. */
#ifndef TRACEKIN_BLKIN_ORIGINAL_BLKIN_FRONT_H
#define TRACEKIN_BLKIN_ORIGINAL_BLKIN_FRONT_H

#include "zipkin_c.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads the configuration (docs/blkin.md) and loads the LTTng events. The first use of a trace
 * does the same if this was not called. Later calls do nothing and return the same result.
 * Returns -EINVAL if the configuration is invalid, after writing the reason to standard error.
 * Events are recorded even then. */
int blkin_init(void) TRACEKIN_BLKIN_SYMBOL("init");

extern int (*blkin_init_new_trace)(struct blkin_trace* new_trace, const char* name,
                                   struct blkin_endpoint* endpoint)
    TRACEKIN_BLKIN_SYMBOL("front_init_new_trace");

extern int (*blkin_init_child)(struct blkin_trace* child, struct blkin_trace* parent,
                               struct blkin_endpoint* endpoint, const char* child_name)
    TRACEKIN_BLKIN_SYMBOL("front_init_child");

extern int (*blkin_init_child_info)(struct blkin_trace* child, struct blkin_trace_info* info,
                                    struct blkin_endpoint* endpoint, const char* child_name)
    TRACEKIN_BLKIN_SYMBOL("front_init_child_info");

extern int (*blkin_init_endpoint)(struct blkin_endpoint* endp, const char* ip, int port,
                                  const char* name) TRACEKIN_BLKIN_SYMBOL("front_init_endpoint");

extern int (*blkin_init_string_annotation)(struct blkin_annotation* annotation, const char* key,
                                           const char* val, struct blkin_endpoint* endpoint)
    TRACEKIN_BLKIN_SYMBOL("front_init_string_annotation");

extern int (*blkin_init_timestamp_annotation)(struct blkin_annotation* annotation,
                                              const char* event, struct blkin_endpoint* endpoint)
    TRACEKIN_BLKIN_SYMBOL("front_init_timestamp_annotation");

extern int (*blkin_record)(struct blkin_trace* trace, struct blkin_annotation* annotation)
    TRACEKIN_BLKIN_SYMBOL("front_record");

extern int (*blkin_get_trace_info)(struct blkin_trace* trace, struct blkin_trace_info* info)
    TRACEKIN_BLKIN_SYMBOL("front_get_trace_info");

extern int (*blkin_set_trace_info)(struct blkin_trace* trace, struct blkin_trace_info* info)
    TRACEKIN_BLKIN_SYMBOL("front_set_trace_info");

extern int (*blkin_pack_trace_info)(struct blkin_trace_info* info,
                                    struct blkin_trace_info_packed* pinfo)
    TRACEKIN_BLKIN_SYMBOL("front_pack_trace_info");

extern int (*blkin_unpack_trace_info)(struct blkin_trace_info_packed* pinfo,
                                      struct blkin_trace_info* info)
    TRACEKIN_BLKIN_SYMBOL("front_unpack_trace_info");

#ifdef __cplusplus
}
#endif

#endif /* TRACEKIN_BLKIN_ORIGINAL_BLKIN_FRONT_H */
