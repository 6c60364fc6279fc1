/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between the tracer and the LTTng-UST provider.
 *
 * The provider is a separate shared object, libtracekin_ust.so, so that tracekin also runs on
 * hosts without liblttng-ust. It exports one function, tracekin_ust_provider(), which returns
 * the table below. The interface is plain C because the table crosses a dlopen boundary and may
 * be used by two copies of tracekin in one process.
 *
 * Loading the provider is sufficient. It registers itself with LTTng, and with pthread_atfork so
 * that the events of a child process carry the child's ids.
 *
 * Thread-safety: any thread may call the functions. They borrow their arguments for the duration
 * of the call, and record nothing while no session is active. All text is NUL-terminated, valid
 * UTF-8 and already bounded by the caller. docs/ust-events.md describes the fields. */
#ifndef TRACEKIN_UST_RECORDER_H
#define TRACEKIN_UST_RECORDER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TRACEKIN_UST_ABI 4
#define TRACEKIN_UST_SONAME "libtracekin_ust.so"

struct tracekin_ust_ids {
  uint64_t trace_id_high; /* 0 for 64-bit trace ids */
  uint64_t trace_id_low;
  uint64_t span_id;
  int32_t tid; /* id of the calling thread */
};

struct tracekin_ust_span {
  uint64_t trace_id_high;
  uint64_t trace_id_low;
  uint64_t span_id;
  uint64_t parent_span_id; /* 0 for a root span */
  const char* op_name;
  const char* service;
  const char* kind;   /* "", client, server, producer, consumer */
  int64_t start_time; /* ns since the Unix epoch */
  int64_t duration;   /* ns; finish only */
  const char* tags;   /* a JSON object of strings; finish only */
  uint8_t sampled;    /* finish only */
  uint8_t error;      /* finish only */
  int32_t tid;        /* id of the calling thread */
};

/* Expands to FIELD(name) for each counter of the event exporter_stats, in the order of its fields.
 * These are the counters of tracekin/counters.h that count spans. */
#define TRACEKIN_UST_COUNTERS(FIELD) \
  FIELD(started)                     \
  FIELD(adopted)                     \
  FIELD(open)                        \
  FIELD(unsampled)                   \
  FIELD(queued)                      \
  FIELD(in_flight)                   \
  FIELD(spooled)                     \
  FIELD(exported)                    \
  FIELD(dropped_queue_full)          \
  FIELD(dropped_too_large)           \
  FIELD(dropped_rejected)            \
  FIELD(dropped_expired)             \
  FIELD(dropped_spool_full)          \
  FIELD(dropped_spool_corrupt)       \
  FIELD(dropped_closed)              \
  FIELD(dropped_fork)

/* The counters of a tracer's spans; see tracekin/counters.h. */
struct tracekin_ust_stats {
  const char* service;
#define TRACEKIN_UST_MEMBER(name) uint64_t name;
  TRACEKIN_UST_COUNTERS(TRACEKIN_UST_MEMBER)
#undef TRACEKIN_UST_MEMBER
  int32_t tid; /* id of the calling thread */
};

/* The origin of a BlkKin record. See docs/blkin.md. */
struct tracekin_ust_zipkin {
  const char* trace_name;
  const char* service_name;
  const char* ip;
  int port_no;
  int64_t trace_id;
  int64_t span_id;
  int64_t parent_span_id; /* 0 for a root span */
};

/* The severity of a log entry. Each severity has its own event with LTTng's log level of that
 * name. */
enum tracekin_ust_level {
  TRACEKIN_UST_DEBUG,
  TRACEKIN_UST_INFO,
  TRACEKIN_UST_WARNING,
  TRACEKIN_UST_ERROR,
};
#define TRACEKIN_UST_LEVELS 4

struct tracekin_ust_recorder {
  uint32_t abi; /* TRACEKIN_UST_ABI */

  /* Each pointer refers to the state word of a tracepoint, which LTTng's listener thread sets to
   * a non-zero value while a session records the event. A caller tests it before it gathers the
   * event's fields, so a dormant tracepoint costs only that load. */
  const int* span_start_enabled;
  const int* span_finish_enabled;
  const int* span_log_enabled[TRACEKIN_UST_LEVELS];
  const int* scope_enter_enabled;
  const int* scope_exit_enabled;
  const int* exporter_stats_enabled;
  const int* jaeger_start_span_enabled;
  const int* jaeger_end_span_enabled;
  const int* zipkin_timestamp_enabled;
  const int* zipkin_keyval_enabled;
  const int* zipkin_keyval_string_enabled;
  const int* zipkin_keyval_integer_enabled;

  void (*span_start)(const struct tracekin_ust_span* span);
  void (*span_finish)(const struct tracekin_ust_span* span);
  void (*span_log)(enum tracekin_ust_level level, const struct tracekin_ust_ids* ids,
                   const char* message);
  void (*scope_enter)(const struct tracekin_ust_ids* ids);
  void (*scope_exit)(const struct tracekin_ust_ids* ids);
  void (*exporter_stats)(const struct tracekin_ust_stats* stats);
  void (*jaeger_start_span)(const struct tracekin_ust_span* span);
  void (*jaeger_end_span)(const struct tracekin_ust_span* span);
  void (*zipkin_timestamp)(const struct tracekin_ust_zipkin* origin, const char* event);
  void (*zipkin_keyval)(const struct tracekin_ust_zipkin* origin, const char* key, const char* val);
  void (*zipkin_keyval_string)(const struct tracekin_ust_zipkin* origin, const char* key,
                               const char* val);
  void (*zipkin_keyval_integer)(const struct tracekin_ust_zipkin* origin, const char* key,
                                int64_t val);
};

/* Exported by libtracekin_ust.so. The result is never null and valid for the life of the
 * process. */
__attribute__((visibility("default"))) const struct tracekin_ust_recorder* tracekin_ust_provider(
    void);

#ifdef __cplusplus
}
#endif

#endif /* TRACEKIN_UST_RECORDER_H */
