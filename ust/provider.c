/* libtracekin_ust.so: the tracepoints, and the table through which the tracer reaches them. */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#define LTTNG_UST_TRACEPOINT_HIDDEN_DEFINITION
#define LTTNG_UST_TRACEPOINT_PROVIDER_HIDDEN_DEFINITION
#include "ust/tracepoints.h"

static void SpanStart(const struct tracekin_ust_span* span) {
  lttng_ust_tracepoint(tracekin, span_start, span);
}

static void SpanFinish(const struct tracekin_ust_span* span) {
  lttng_ust_tracepoint(tracekin, span_finish, span);
}

static void SpanLog(const struct tracekin_ust_ids* ids, const char* message) {
  lttng_ust_tracepoint(tracekin, span_log, ids, message);
}

static void ScopeEnter(const struct tracekin_ust_ids* ids) {
  lttng_ust_tracepoint(tracekin, scope_enter, ids);
}

static void ScopeExit(const struct tracekin_ust_ids* ids) {
  lttng_ust_tracepoint(tracekin, scope_exit, ids);
}

const struct tracekin_ust_recorder* tracekin_ust_provider(void) {
  static const struct tracekin_ust_recorder recorder = {
      .abi = TRACEKIN_UST_ABI,
      .span_start_enabled = &lttng_ust_tracepoint_tracekin___span_start.state,
      .span_finish_enabled = &lttng_ust_tracepoint_tracekin___span_finish.state,
      .span_log_enabled = &lttng_ust_tracepoint_tracekin___span_log.state,
      .scope_enter_enabled = &lttng_ust_tracepoint_tracekin___scope_enter.state,
      .scope_exit_enabled = &lttng_ust_tracepoint_tracekin___scope_exit.state,
      .span_start = SpanStart,
      .span_finish = SpanFinish,
      .span_log = SpanLog,
      .scope_enter = ScopeEnter,
      .scope_exit = ScopeExit,
  };
  return &recorder;
}
