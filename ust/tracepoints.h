/* SPDX-License-Identifier: Apache-2.0 */
/* The span events as LTTng-UST defines them. docs/ust-events.md describes their meaning.
 *
 * LTTng's macros read this file several times, each time with other definitions, so it has only
 * the include guard that they require. clang-format is off because it would treat the macros as
 * code. */
/* clang-format off */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER tracekin

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "ust/tracepoints.h"

#if !defined(TRACEKIN_UST_TRACEPOINTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define TRACEKIN_UST_TRACEPOINTS_H

#include <lttng/tracepoint.h>
#include <stdint.h>

#include "ust/recorder.h"

/* The ids are shown in hexadecimal, like in other tools. In the trace they are numbers. */
#ifndef TRACEKIN_UST_ID_FIELDS
#define TRACEKIN_UST_ID_FIELDS(from)                                        \
  lttng_ust_field_integer_hex(uint64_t, trace_id_high, from->trace_id_high) \
  lttng_ust_field_integer_hex(uint64_t, trace_id_low, from->trace_id_low)   \
  lttng_ust_field_integer_hex(uint64_t, span_id, from->span_id)

/* Spans without a kind get the kind "local". Most spans do not have a kind, and babeltrace2 2.0
 * shows the text of an earlier event instead of an empty string. */
#define TRACEKIN_UST_SPAN_FIELDS(span)                                         \
  TRACEKIN_UST_ID_FIELDS(span)                                                 \
  lttng_ust_field_integer_hex(uint64_t, parent_span_id, span->parent_span_id)  \
  lttng_ust_field_string(op_name, span->op_name)                               \
  lttng_ust_field_string(service, span->service)                               \
  lttng_ust_field_string(kind, span->kind[0] != '\0' ? span->kind : "local")   \
  lttng_ust_field_integer(int64_t, start_time, span->start_time)

#define TRACEKIN_UST_COUNTER_FIELD(name) lttng_ust_field_integer(uint64_t, name, stats->name)
#endif

LTTNG_UST_TRACEPOINT_EVENT(
  tracekin, span_start,
  LTTNG_UST_TP_ARGS(const struct tracekin_ust_span*, span),
  LTTNG_UST_TP_FIELDS(
    TRACEKIN_UST_SPAN_FIELDS(span)
    lttng_ust_field_integer(int32_t, tid, span->tid)))
LTTNG_UST_TRACEPOINT_LOGLEVEL(tracekin, span_start, LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO)

LTTNG_UST_TRACEPOINT_EVENT(
  tracekin, span_finish,
  LTTNG_UST_TP_ARGS(const struct tracekin_ust_span*, span),
  LTTNG_UST_TP_FIELDS(
    TRACEKIN_UST_SPAN_FIELDS(span)
    lttng_ust_field_integer(int64_t, duration, span->duration)
    lttng_ust_field_integer(uint8_t, sampled, span->sampled)
    lttng_ust_field_integer(uint8_t, error, span->error)
    lttng_ust_field_string(tags, span->tags)
    lttng_ust_field_integer(int32_t, tid, span->tid)))
LTTNG_UST_TRACEPOINT_LOGLEVEL(tracekin, span_finish, LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO)

/* There is one event per severity, because LTTng assigns log levels to events, not to their
 * occurrences. */
LTTNG_UST_TRACEPOINT_EVENT_CLASS(
  tracekin, log,
  LTTNG_UST_TP_ARGS(const struct tracekin_ust_ids*, ids, const char*, message),
  LTTNG_UST_TP_FIELDS(
    TRACEKIN_UST_ID_FIELDS(ids)
    lttng_ust_field_string(message, message)
    lttng_ust_field_integer(int32_t, tid, ids->tid)))

LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(
  tracekin, log, tracekin, span_log,
  LTTNG_UST_TP_ARGS(const struct tracekin_ust_ids*, ids, const char*, message))
LTTNG_UST_TRACEPOINT_LOGLEVEL(tracekin, span_log, LTTNG_UST_TRACEPOINT_LOGLEVEL_DEBUG)

LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(
  tracekin, log, tracekin, span_log_info,
  LTTNG_UST_TP_ARGS(const struct tracekin_ust_ids*, ids, const char*, message))
LTTNG_UST_TRACEPOINT_LOGLEVEL(tracekin, span_log_info, LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO)

LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(
  tracekin, log, tracekin, span_log_warning,
  LTTNG_UST_TP_ARGS(const struct tracekin_ust_ids*, ids, const char*, message))
LTTNG_UST_TRACEPOINT_LOGLEVEL(tracekin, span_log_warning, LTTNG_UST_TRACEPOINT_LOGLEVEL_WARNING)

LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(
  tracekin, log, tracekin, span_log_error,
  LTTNG_UST_TP_ARGS(const struct tracekin_ust_ids*, ids, const char*, message))
LTTNG_UST_TRACEPOINT_LOGLEVEL(tracekin, span_log_error, LTTNG_UST_TRACEPOINT_LOGLEVEL_ERR)

LTTNG_UST_TRACEPOINT_EVENT_CLASS(
  tracekin, scope,
  LTTNG_UST_TP_ARGS(const struct tracekin_ust_ids*, ids),
  LTTNG_UST_TP_FIELDS(
    TRACEKIN_UST_ID_FIELDS(ids)
    lttng_ust_field_integer(int32_t, tid, ids->tid)))

LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(
  tracekin, scope, tracekin, scope_enter,
  LTTNG_UST_TP_ARGS(const struct tracekin_ust_ids*, ids))
LTTNG_UST_TRACEPOINT_LOGLEVEL(tracekin, scope_enter, LTTNG_UST_TRACEPOINT_LOGLEVEL_DEBUG)

LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(
  tracekin, scope, tracekin, scope_exit,
  LTTNG_UST_TP_ARGS(const struct tracekin_ust_ids*, ids))
LTTNG_UST_TRACEPOINT_LOGLEVEL(tracekin, scope_exit, LTTNG_UST_TRACEPOINT_LOGLEVEL_DEBUG)

LTTNG_UST_TRACEPOINT_EVENT(
  tracekin, exporter_stats,
  LTTNG_UST_TP_ARGS(const struct tracekin_ust_stats*, stats),
  LTTNG_UST_TP_FIELDS(
    lttng_ust_field_string(service, stats->service)
    TRACEKIN_UST_COUNTERS(TRACEKIN_UST_COUNTER_FIELD)
    lttng_ust_field_integer(int32_t, tid, stats->tid)))
LTTNG_UST_TRACEPOINT_LOGLEVEL(tracekin, exporter_stats, LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO)

#endif /* TRACEKIN_UST_TRACEPOINTS_H */

#include <lttng/tracepoint-event.h>
