/* SPDX-License-Identifier: Apache-2.0 */
/* What a C program that was written for BlkKin includes: blkin_init, and a pointer to each function
 * of <zipkin_c.h>.
 *
 * BlkKin filled the pointers in blkin_init, from a library that it opened by name; here they are
 * set from the beginning. A program may set them to functions of its own. */
#ifndef TRACEKIN_BLKIN_ORIGINAL_BLKIN_FRONT_H
#define TRACEKIN_BLKIN_ORIGINAL_BLKIN_FRONT_H

#include "zipkin_c.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes everything ready: reads the configuration (docs/blkin.md) and loads the LTTng events. Else
 * the first use of a trace does that. Again and again it does nothing more, and returns the same.
 * -EINVAL if there is a configuration that is wrong, after a line on standard error that says how;
 * events are recorded all the same. */
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
