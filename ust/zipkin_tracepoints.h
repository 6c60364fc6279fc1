/* SPDX-License-Identifier: Apache-2.0 */
/* The events that BlkKin's C API records, in its author's version (keyval, timestamp) and in
 * Ceph's version (keyval_string, keyval_integer, timestamp). babeltrace plugins and analyses for
 * BlkKin read these. The names, types and order of the fields, and the log level, are those of
 * BlkKin.
 *
 * LTTng's macros read this file several times. See tracepoints.h. */
/* clang-format off */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER zipkin

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "ust/zipkin_tracepoints.h"

#if !defined(TRACEKIN_UST_ZIPKIN_TRACEPOINTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define TRACEKIN_UST_ZIPKIN_TRACEPOINTS_H

#include <lttng/tracepoint.h>
#include <stdint.h>

#include "ust/recorder.h"

/* int64_t equals BlkKin's long where long has 64 bits. With a 32-bit long, BlkKin's events
 * truncate the ids. */
#ifndef TRACEKIN_UST_ZIPKIN_FIELDS
#define TRACEKIN_UST_ZIPKIN_FIELDS(origin)                                  \
  lttng_ust_field_string(trace_name, origin->trace_name)                    \
  lttng_ust_field_string(service_name, origin->service_name)                \
  lttng_ust_field_integer(int, port_no, origin->port_no)                    \
  lttng_ust_field_string(ip, origin->ip)                                    \
  lttng_ust_field_integer(int64_t, trace_id, origin->trace_id)              \
  lttng_ust_field_integer(int64_t, span_id, origin->span_id)                \
  lttng_ust_field_integer(int64_t, parent_span_id, origin->parent_span_id)
#endif

LTTNG_UST_TRACEPOINT_EVENT(
  zipkin, timestamp,
  LTTNG_UST_TP_ARGS(const struct tracekin_ust_zipkin*, origin, const char*, event),
  LTTNG_UST_TP_FIELDS(
    TRACEKIN_UST_ZIPKIN_FIELDS(origin)
    lttng_ust_field_string(event, event)))
LTTNG_UST_TRACEPOINT_LOGLEVEL(zipkin, timestamp, LTTNG_UST_TRACEPOINT_LOGLEVEL_WARNING)

LTTNG_UST_TRACEPOINT_EVENT_CLASS(
  zipkin, keyval_text,
  LTTNG_UST_TP_ARGS(const struct tracekin_ust_zipkin*, origin, const char*, key, const char*, val),
  LTTNG_UST_TP_FIELDS(
    TRACEKIN_UST_ZIPKIN_FIELDS(origin)
    lttng_ust_field_string(key, key)
    lttng_ust_field_string(val, val)))

LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(
  zipkin, keyval_text, zipkin, keyval,
  LTTNG_UST_TP_ARGS(const struct tracekin_ust_zipkin*, origin, const char*, key, const char*, val))
LTTNG_UST_TRACEPOINT_LOGLEVEL(zipkin, keyval, LTTNG_UST_TRACEPOINT_LOGLEVEL_WARNING)

LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(
  zipkin, keyval_text, zipkin, keyval_string,
  LTTNG_UST_TP_ARGS(const struct tracekin_ust_zipkin*, origin, const char*, key, const char*, val))
LTTNG_UST_TRACEPOINT_LOGLEVEL(zipkin, keyval_string, LTTNG_UST_TRACEPOINT_LOGLEVEL_WARNING)

LTTNG_UST_TRACEPOINT_EVENT(
  zipkin, keyval_integer,
  LTTNG_UST_TP_ARGS(const struct tracekin_ust_zipkin*, origin, const char*, key, int64_t, val),
  LTTNG_UST_TP_FIELDS(
    TRACEKIN_UST_ZIPKIN_FIELDS(origin)
    lttng_ust_field_string(key, key)
    lttng_ust_field_integer(int64_t, val, val)))
LTTNG_UST_TRACEPOINT_LOGLEVEL(zipkin, keyval_integer, LTTNG_UST_TRACEPOINT_LOGLEVEL_WARNING)

#endif /* TRACEKIN_UST_ZIPKIN_TRACEPOINTS_H */

#include <lttng/tracepoint-event.h>
