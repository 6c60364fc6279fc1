// SPDX-License-Identifier: Apache-2.0
// What a tracer is made from: plain data with the defaults that stand in docs/configuration.md.
//
// Each field is also a key of the JSON configuration and an environment variable (see
// configuration.h); which values it takes is said once, in configuration/table.cc, from
// which docs/configuration.md is checked. MakeTracer refuses a value that the table does not allow.
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

/// Receives what the tracer has to say to the operator: a line without newline, rate-limited.
/// Called on the thread that makes or closes the tracer and on the exporter thread, never while a
/// span is started or finished. Must not throw, and should not wait: the thread that makes or
/// closes the tracer waits with it, and while the exporter thread does, no span is sent, and
/// Close() takes all of its close_timeout_ms.
using Logger = std::function<void(LogLevel level, const std::string& message)>;

struct SamplerOptions {
  std::string type = "always";  // always, never, probabilistic or rate_limiting
  double rate = 1.0;            // probabilistic: the share of traces, 0 to 1
  double per_second = 100.0;    // rate_limiting: traces a second
  bool parent_based = true;     // a decision that came with the parent is kept
};

struct PropagationOptions {
  std::vector<std::string> inject = {"b3multi", "baggage"};
  std::vector<std::string> extract = {"b3", "b3multi", "tracecontext", "jaeger", "baggage"};
};

struct ExporterOptions {
  std::string type;      // zipkin, scribe, kafka, file, none; empty: by the endpoint, or file
  std::string format;    // json, proto3 or thrift; empty: thrift for scribe, else json
  std::string endpoint;  // zipkin: the URL that takes POSTs; scribe: scribe://HOST:PORT
  std::string scribe_category = "zipkin";    // scribe: of the log entries that hold spans
  bool scribe_strict = false;                // scribe: Thrift's versioned message header
  std::string path = "tracekin-spans.json";  // file: one JSON span a line is appended to it
  std::uint64_t queue_spans = 65536;         // finished spans that wait in memory, at most
  std::uint64_t queue_bytes = 16777216;      // and their bytes, at most
  std::uint64_t flush_interval_ms = 100;     // a finished span waits this long to be sent, at most
  std::uint64_t batch_spans = 1000;          // spans in one request, at most
  std::uint64_t connect_timeout_ms = 2000;
  std::uint64_t timeout_ms = 5000;        // one request, from connect to answer
  std::uint64_t close_timeout_ms = 2000;  // Close() and the destruction of the tracer, at most

  std::uint64_t retry_backoff_ms = 100;  // before the first retry; twice that before the next, ...
  std::uint64_t retry_max_backoff_ms = 10000;  // ... up to this
  std::uint64_t retry_max_age_ms = 60000;      // a batch that fails is given up when it is so old
  std::uint64_t retry_max_tries = 20;          // or was tried so often

  std::string spool_path;                               // a folder; empty: no spool
  std::uint64_t spool_bytes = 268435456;                // on disk, at most; a process
  std::uint64_t spool_replay_spans_per_second = 10000;  // out of the spool, beside new spans

  std::string metrics_path;                   // a file of counters for Prometheus; empty: none
  std::uint64_t metrics_interval_ms = 15000;  // how often it is written

  std::uint64_t rotate_bytes = 0;  // file: it becomes path.1 rather than grow beyond; 0: never
  std::uint64_t rotate_files = 5;  // file: path.1 to path.5 are kept

  // zipkin, over HTTP; the last seven are paths. A credential's or certificate's file may change
  // while the tracer runs: the new one is used from the next batch or connection on.
  std::string compression = "none";            // none or gzip
  std::map<std::string, std::string> headers;  // sent with each request; values count as secret
  std::string bearer_file;         // holds a token, sent as "Authorization: Bearer TOKEN"
  std::string basic_file;          // holds user:password, sent as "Authorization: Basic ..."
  std::string ca_file;             // https: who may vouch for the collector; empty: the system's
  std::string client_certificate;  // https: PEM, shown to the collector; its key in client_key
  std::string client_key;          // unless the file has both
  std::string unix_socket;         // connect to this instead of the endpoint's host

  std::string kafka_brokers;           // kafka: host:port, or several separated by commas
  std::string kafka_topic = "zipkin";  // kafka: each batch is a message there
  std::string kafka_config_file;       // kafka: more of librdkafka's properties, one a line

  /// Not a key: a transport of the program's own, in place of the ones above. Called on an exporter
  /// thread, once in each process of a fork. A batch is what `type` would send in that `format`: a
  /// list of spans; for file one JSON object a line; for scribe the arguments of its call Log. It
  /// needs no endpoint.
  std::function<std::unique_ptr<Transport>()> make_transport = nullptr;
};

struct UstOptions {
  bool enabled = false;
  std::string spans = "all";   // all or sampled: which spans are events, too
  bool jaeger_events = false;  // events that Trace Compass's OpenTracing add-on reads, beside ours
};

struct Options {
  std::string service_name;                 // required
  std::map<std::string, std::string> tags;  // set on every span, unless it sets the same key itself
  std::uint64_t trace_id_bits = 128;        // 64 or 128
  bool print_configuration = false;  // log the effective configuration when the tracer is made
  SamplerOptions sampler;
  PropagationOptions propagation;
  ExporterOptions exporter;
  UstOptions ust;

  // Not a key. Empty: lines on standard error, each beginning with "tracekin: ". Those that cannot
  // be written at once are lost, and counted in a later line.
  Logger logger;
};

}  // namespace tracekin

#endif  // TRACEKIN_OPTIONS_H
