/* SPDX-License-Identifier: Apache-2.0 */
/* libtracekin_ust.so: the tracepoints, and the table through which the tracer calls them. */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#define LTTNG_UST_TRACEPOINT_HIDDEN_DEFINITION
#define LTTNG_UST_TRACEPOINT_PROVIDER_HIDDEN_DEFINITION
#include "ust/tracepoints.h"
/* The other providers, which use the same macros. */
#include "ust/jaeger_tracepoints.h"
#include "ust/zipkin_tracepoints.h"

static void SpanStart(const struct tracekin_ust_span* span) {
  lttng_ust_tracepoint(tracekin, span_start, span);
}

static void SpanFinish(const struct tracekin_ust_span* span) {
  lttng_ust_tracepoint(tracekin, span_finish, span);
}

static void SpanLog(enum tracekin_ust_level level, const struct tracekin_ust_ids* ids,
                    const char* message) {
  switch (level) {
    case TRACEKIN_UST_DEBUG:
      lttng_ust_tracepoint(tracekin, span_log, ids, message);
      return;
    case TRACEKIN_UST_INFO:
      lttng_ust_tracepoint(tracekin, span_log_info, ids, message);
      return;
    case TRACEKIN_UST_WARNING:
      lttng_ust_tracepoint(tracekin, span_log_warning, ids, message);
      return;
    case TRACEKIN_UST_ERROR:
      lttng_ust_tracepoint(tracekin, span_log_error, ids, message);
      return;
  }
}

static void ScopeEnter(const struct tracekin_ust_ids* ids) {
  lttng_ust_tracepoint(tracekin, scope_enter, ids);
}

static void ScopeExit(const struct tracekin_ust_ids* ids) {
  lttng_ust_tracepoint(tracekin, scope_exit, ids);
}

static void ExporterStats(const struct tracekin_ust_stats* stats) {
  lttng_ust_tracepoint(tracekin, exporter_stats, stats);
}

static void JaegerStartSpan(const struct tracekin_ust_span* span) {
  lttng_ust_tracepoint(jaeger_ust, start_span, span);
}

static void JaegerEndSpan(const struct tracekin_ust_span* span) {
  lttng_ust_tracepoint(jaeger_ust, end_span, span);
}

static void ZipkinTimestamp(const struct tracekin_ust_zipkin* origin, const char* event) {
  lttng_ust_tracepoint(zipkin, timestamp, origin, event);
}

static void ZipkinKeyval(const struct tracekin_ust_zipkin* origin, const char* key,
                         const char* val) {
  lttng_ust_tracepoint(zipkin, keyval, origin, key, val);
}

static void ZipkinKeyvalString(const struct tracekin_ust_zipkin* origin, const char* key,
                               const char* val) {
  lttng_ust_tracepoint(zipkin, keyval_string, origin, key, val);
}

static void ZipkinKeyvalInteger(const struct tracekin_ust_zipkin* origin, const char* key,
                                int64_t val) {
  lttng_ust_tracepoint(zipkin, keyval_integer, origin, key, val);
}

const struct tracekin_ust_recorder* tracekin_ust_provider(void) {
  static const struct tracekin_ust_recorder recorder = {
      .abi = TRACEKIN_UST_ABI,
      .span_start_enabled = &lttng_ust_tracepoint_tracekin___span_start.state,
      .span_finish_enabled = &lttng_ust_tracepoint_tracekin___span_finish.state,
      .span_log_enabled =
          {
              [TRACEKIN_UST_DEBUG] = &lttng_ust_tracepoint_tracekin___span_log.state,
              [TRACEKIN_UST_INFO] = &lttng_ust_tracepoint_tracekin___span_log_info.state,
              [TRACEKIN_UST_WARNING] = &lttng_ust_tracepoint_tracekin___span_log_warning.state,
              [TRACEKIN_UST_ERROR] = &lttng_ust_tracepoint_tracekin___span_log_error.state,
          },
      .scope_enter_enabled = &lttng_ust_tracepoint_tracekin___scope_enter.state,
      .scope_exit_enabled = &lttng_ust_tracepoint_tracekin___scope_exit.state,
      .exporter_stats_enabled = &lttng_ust_tracepoint_tracekin___exporter_stats.state,
      .jaeger_start_span_enabled = &lttng_ust_tracepoint_jaeger_ust___start_span.state,
      .jaeger_end_span_enabled = &lttng_ust_tracepoint_jaeger_ust___end_span.state,
      .zipkin_timestamp_enabled = &lttng_ust_tracepoint_zipkin___timestamp.state,
      .zipkin_keyval_enabled = &lttng_ust_tracepoint_zipkin___keyval.state,
      .zipkin_keyval_string_enabled = &lttng_ust_tracepoint_zipkin___keyval_string.state,
      .zipkin_keyval_integer_enabled = &lttng_ust_tracepoint_zipkin___keyval_integer.state,
      .span_start = SpanStart,
      .span_finish = SpanFinish,
      .span_log = SpanLog,
      .scope_enter = ScopeEnter,
      .scope_exit = ScopeExit,
      .exporter_stats = ExporterStats,
      .jaeger_start_span = JaegerStartSpan,
      .jaeger_end_span = JaegerEndSpan,
      .zipkin_timestamp = ZipkinTimestamp,
      .zipkin_keyval = ZipkinKeyval,
      .zipkin_keyval_string = ZipkinKeyvalString,
      .zipkin_keyval_integer = ZipkinKeyvalInteger,
  };
  return &recorder;
}
