/* SPDX-License-Identifier: Apache-2.0 */
/* The events of a Jaeger client that was modified to record its spans with LTTng (Gelle &
 * Dagenais, "Combining Distributed and Kernel Tracing for Performance Analysis of Cloud
 * Applications", 2021). Trace Compass's OpenTracing add-on reads them. The names, types and
 * order of the fields are those of that client.
 *
 * LTTng's macros read this file several times. See tracepoints.h. */
/* clang-format off */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER jaeger_ust

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "ust/jaeger_tracepoints.h"

#if !defined(TRACEKIN_UST_JAEGER_TRACEPOINTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define TRACEKIN_UST_JAEGER_TRACEPOINTS_H

#include <lttng/tracepoint.h>
#include <stdint.h>

#include "ust/recorder.h"

LTTNG_UST_TRACEPOINT_EVENT(
  jaeger_ust, start_span,
  LTTNG_UST_TP_ARGS(const struct tracekin_ust_span*, span),
  LTTNG_UST_TP_FIELDS(
    lttng_ust_field_integer(uint64_t, trace_id_high, span->trace_id_high)
    lttng_ust_field_integer(uint64_t, trace_id_low, span->trace_id_low)
    lttng_ust_field_integer(uint64_t, span_id, span->span_id)
    lttng_ust_field_integer(uint64_t, parent_span_id, span->parent_span_id)
    lttng_ust_field_string(op_name, span->op_name)
    lttng_ust_field_integer(int64_t, start_time, span->start_time)))

LTTNG_UST_TRACEPOINT_EVENT(
  jaeger_ust, end_span,
  LTTNG_UST_TP_ARGS(const struct tracekin_ust_span*, span),
  LTTNG_UST_TP_FIELDS(
    lttng_ust_field_integer(uint64_t, trace_id_high, span->trace_id_high)
    lttng_ust_field_integer(uint64_t, trace_id_low, span->trace_id_low)
    lttng_ust_field_integer(uint64_t, span_id, span->span_id)
    lttng_ust_field_integer(int64_t, duration, span->duration)))

#endif /* TRACEKIN_UST_JAEGER_TRACEPOINTS_H */

#include <lttng/tracepoint-event.h>
