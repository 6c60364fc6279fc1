// SPDX-License-Identifier: Apache-2.0
// The options of a tracer: plain data with the defaults that docs/configuration.md lists.
//
// Each field is also a key of the JSON configuration and an environment variable (see
// configuration.h). configuration/table.cc defines the allowed values, and a test compares
// docs/configuration.md with it. MakeTracer rejects a value that the table does not allow.
#ifndef TRACEKIN_OPTIONS_H
#define TRACEKIN_OPTIONS_H

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tracekin/transport.h"

namespace tracekin {

enum class LogLevel { kInfo, kWarning, kError };

/// Receives the tracer's messages to the operator: rate-limited lines without a newline. The tracer
/// calls it on the exporter thread and on the thread that makes or closes the tracer, but never
/// while a span is started or finished. It must not throw. It should not block, because the calling
/// thread waits for it. While the exporter thread waits, no spans are sent and Close() needs its
/// full close_timeout_ms.
using Logger = std::function<void(LogLevel level, const std::string& message)>;

struct Resource;    // see span_record.h
struct SpanRecord;  // see span_record.h

/// Receives finished spans, and the tracer that recorded them. Both are borrowed, and valid until
/// the function returns. The sender thread calls it for one span after the other. It must not throw
/// anything except std::bad_alloc, which drops the span. While it blocks, no other span is
/// delivered.
using SpanFunction = std::function<void(const Resource& resource, const SpanRecord& span)>;

struct SamplerOptions {
  // always, never, probabilistic or rate_limiting; empty: probabilistic if `rate` is less than 1,
  // rate_limiting if `per_second` is set, otherwise always
  std::string type;
  double rate = 1.0;         // probabilistic: the share of traces, 0 to 1
  double per_second = 0.0;   // rate_limiting: traces per second
  bool parent_based = true;  // keep the sampling decision of the parent, if it has one
};

struct PropagationOptions {
  std::vector<std::string> inject = {"b3", "tracecontext", "baggage"};
  std::vector<std::string> extract = {"b3", "b3multi", "tracecontext", "jaeger", "baggage"};
};

struct ExporterOptions {
  std::string type;      // zipkin, scribe, kafka, file, none; empty: by endpoint, otherwise file
  std::string format;    // json, proto3 or thrift; empty: thrift for scribe, otherwise json
  std::string endpoint;  // zipkin: the URL for POST requests; scribe: scribe://HOST:PORT
  std::string scribe_category = "zipkin";    // scribe: category of the log entries
  bool scribe_strict = false;                // scribe: use Thrift's versioned message header
  std::string path = "tracekin-spans.json";  // file: spans are appended to it as JSON, one per line
  std::uint64_t queue_spans = 65536;         // maximum number of finished spans waiting in memory
  std::uint64_t queue_bytes = 16777216;      // maximum number of bytes of these spans
  std::uint64_t flush_interval_ms = 100;     // maximum delay before a finished span is sent
  std::uint64_t batch_spans = 1000;          // maximum number of spans per request
  std::uint64_t connect_timeout_ms = 2000;
  std::uint64_t timeout_ms = 5000;        // limit per request, from connecting to the response
  std::uint64_t close_timeout_ms = 2000;  // limit for Close() and for destroying the tracer

  std::uint64_t retry_backoff_ms = 100;        // the first delay; doubles with each retry ...
  std::uint64_t retry_max_backoff_ms = 10000;  // ... up to this limit
  std::uint64_t retry_max_age_ms = 60000;      // a failing batch is given up at this age
  std::uint64_t retry_max_tries = 20;          // a failing batch is given up after this many tries

  std::string spool_path;                               // a folder; empty: no spool
  std::uint64_t spool_bytes = 268435456;                // maximum bytes on disk, per process
  std::uint64_t spool_replay_spans_per_second = 10000;  // rate of replay, in addition to new spans

  std::string metrics_path;                   // a file of Prometheus metrics; empty: none
  std::uint64_t metrics_interval_ms = 15000;  // interval between writes of this file

  std::uint64_t rotate_bytes = 0;  // file: rotated to path.1 before it exceeds this size; 0: never
  std::uint64_t rotate_files = 5;  // file: number of rotated files that are kept (path.1 to path.5)

  // These options apply to zipkin over HTTP. The last six are paths. The files of credentials and
  // certificates may change while the tracer runs. The tracer uses the new content from the next
  // batch or connection on.
  std::string compression = "none";            // none or gzip
  std::map<std::string, std::string> headers;  // sent with each request; values are secret
  std::string bearer_file;         // contains a token, sent as "Authorization: Bearer TOKEN"
  std::string basic_file;          // contains user:password, sent as "Authorization: Basic ..."
  std::string ca_file;             // https: CA certificates; empty: the system's
  std::string client_certificate;  // https: client certificate (PEM); its key is in client_key
  std::string client_key;          // not needed if client_certificate also contains the key
  std::string unix_socket;         // connect to this instead of the endpoint's host

  std::string kafka_brokers;           // kafka: host:port, or several separated by commas
  std::string kafka_topic = "zipkin";  // kafka: each batch becomes one message
  std::string kafka_config_file;       // kafka: more librdkafka properties, one per line

  /// Creates the program's own transport, which replaces the ones above. This is not a
  /// configuration key. The sender thread calls it once per process, and again in the child of a
  /// fork. A batch has the form that `type` would send in that `format`. This is a list of spans,
  /// for file one JSON object per line, and for scribe the arguments of its call Log. No endpoint
  /// is needed.
  std::function<std::unique_ptr<Transport>()> make_transport = nullptr;

  /// Receives the spans as records, instead of `type` and its keys, unless `type` is none. Not a
  /// configuration key. It gets the spans that a collector would get, and they count as exported.
  SpanFunction on_span = nullptr;
};

struct LogOptions {
  // stderr, syslog, or the absolute path of a file to which lines are appended; empty: stderr, or
  // syslog if standard error is /dev/null
  std::string target;
};

struct UstOptions {
  bool enabled = false;
  std::string spans = "all";   // all or sampled: which spans are also recorded as events
  bool jaeger_events = false;  // also record events for Trace Compass's OpenTracing add-on
};

struct Options {
  std::string service_name;                 // required
  std::map<std::string, std::string> tags;  // set on every span, unless the span sets the same key
  std::uint64_t trace_id_bits = 128;        // 64 or 128
  bool print_configuration = false;  // log the effective configuration when the tracer is made
  SamplerOptions sampler;
  PropagationOptions propagation;
  ExporterOptions exporter;
  UstOptions ust;
  LogOptions log;

  // This is not a configuration key. If it is empty, messages are written to standard error as
  // lines that begin with "tracekin: ". Lines that cannot be written immediately are dropped, and a
  // later line reports how many.
  Logger logger;
};

}  // namespace tracekin

#endif  // TRACEKIN_OPTIONS_H
