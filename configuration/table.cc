// SPDX-License-Identifier: Apache-2.0
#include "configuration/table.h"

#include <algorithm>
#include <atomic>
#include <memory>

#include "base/strings.h"
#include "configuration/text.h"
#include "exporter/destination.h"
#include "propagation/propagator.h"

namespace tracekin {
namespace {

/// At<&Options::exporter, &ExporterOptions::path> reads options.exporter.path.
template <auto... members>
const auto& At(const Options& options) {
  // clang-format off
  return (options .* ... .* members);
  // clang-format on
}

constexpr std::uint64_t kMinute = 60'000;  // ms

std::vector<Setting> MakeSettings() {
  using O = Options;
  using S = SamplerOptions;
  using P = PropagationOptions;
  using E = ExporterOptions;
  const std::vector<std::string_view> formats = PropagatorNames();
  return {
      {"service_name", Text{{At<&O::service_name>}},
       "The service that the spans belong to; required."},
      {"tags", TextMap{{At<&O::tags>}},
       "Tags set on every span, unless the span sets the same key itself."},
      {"trace_id_bits", Integer{{At<&O::trace_id_bits>}, 64, 128, {64, 128}},
       "The size of the trace ids of new traces."},
      {"print_configuration", Boolean{{At<&O::print_configuration>}},
       "Whether the effective configuration is logged when the tracer is made."},

      {"sampler.type",
       Text{{At<&O::sampler, &S::type>}, {"always", "never", "probabilistic", "rate_limiting"}},
       "How it is decided whether the spans of a new trace are exported."},
      {"sampler.rate", Number{{At<&O::sampler, &S::rate>}, 0, 1},
       "The share of traces that the probabilistic sampler takes."},
      {"sampler.per_second", Number{{At<&O::sampler, &S::per_second>}, 0, 1e6},
       "The traces a second that the rate_limiting sampler takes, at most."},
      {"sampler.parent_based", Boolean{{At<&O::sampler, &S::parent_based>}},
       "Whether a decision that arrives with the parent's context is kept."},

      {"propagation.inject", TextList{{At<&O::propagation, &P::inject>}, formats},
       "The formats that contexts are written in, all of them at once."},
      {"propagation.extract", TextList{{At<&O::propagation, &P::extract>}, formats},
       "The formats that contexts are read from; the first that finds ids wins."},

      {"exporter.type", Text{{At<&O::exporter, &E::type>}, DestinationTypes()},
       "Where finished spans go; if not set, to what the endpoint's scheme names, or to the file "
       "when there is no endpoint; with none nowhere, but to LTTng if ust.enabled is set."},
      {"exporter.format", Text{{At<&O::exporter, &E::format>}, FormatNames()},
       "How spans are encoded; if not set, in the first format that the exporter's type has."},
      {"exporter.endpoint", Url{{At<&O::exporter, &E::endpoint>}},
       "For zipkin: the collector's URL, to which spans are POSTed; for scribe: its host and port "
       "(9410 if none)."},
      {"exporter.scribe_category", Text{{At<&O::exporter, &E::scribe_category>}},
       "For scribe: the category of the log entries that spans are sent in."},
      {"exporter.scribe_strict", Boolean{{At<&O::exporter, &E::scribe_strict>}},
       "For scribe: whether calls begin with Thrift's version number, as newer servers may "
       "demand."},
      {"exporter.path", Text{{At<&O::exporter, &E::path>}},
       "For file: the file that spans are appended to, each a line of JSON."},
      {"exporter.queue_spans", Integer{{At<&O::exporter, &E::queue_spans>}, 64, 1u << 24},
       "The finished spans that wait in memory, at most; more are dropped and counted."},
      {"exporter.queue_bytes", Integer{{At<&O::exporter, &E::queue_bytes>}, 1u << 18, 1ull << 36},
       "The bytes of the finished spans that wait in memory, at most."},
      {"exporter.flush_interval_ms", Integer{{At<&O::exporter, &E::flush_interval_ms>}, 1, kMinute},
       "The time in milliseconds that a finished span waits before it is sent, at most."},
      {"exporter.batch_spans", Integer{{At<&O::exporter, &E::batch_spans>}, 1, 100'000},
       "The spans in one request, at most; it also ends at half a megabyte of them in memory."},
      {"exporter.connect_timeout_ms",
       Integer{{At<&O::exporter, &E::connect_timeout_ms>}, 1, 10 * kMinute},
       "The time in milliseconds that connecting to the collector may take."},
      {"exporter.timeout_ms", Integer{{At<&O::exporter, &E::timeout_ms>}, 1, 10 * kMinute},
       "The time in milliseconds that one request may take, from connecting to the answer."},
      {"exporter.close_timeout_ms",
       Integer{{At<&O::exporter, &E::close_timeout_ms>}, 0, 10 * kMinute},
       "The time in milliseconds that closing the tracer may take to send what is left."},
      {"exporter.retry_backoff_ms",
       Integer{{At<&O::exporter, &E::retry_backoff_ms>}, 1, 10 * kMinute},
       "The time in milliseconds before what could not be sent is tried again; it doubles each "
       "time."},
      {"exporter.retry_max_backoff_ms",
       Integer{{At<&O::exporter, &E::retry_max_backoff_ms>}, 1, 60 * kMinute},
       "What that time grows to, at most."},
      {"exporter.retry_max_age_ms",
       Integer{{At<&O::exporter, &E::retry_max_age_ms>}, 0, 24 * 60 * kMinute},
       "The age in milliseconds at which spans that cannot be sent are given up; not in the "
       "spool."},
      {"exporter.retry_max_tries", Integer{{At<&O::exporter, &E::retry_max_tries>}, 1, 1'000'000},
       "How often spans are tried to be sent, at most; not in the spool."},
      {"exporter.spool_path", Text{{At<&O::exporter, &E::spool_path>}},
       "The folder where spans wait while they cannot be sent; if not set, they wait in memory."},
      {"exporter.spool_bytes", Integer{{At<&O::exporter, &E::spool_bytes>}, 1u << 22, 1ull << 40},
       "The bytes of a process in that folder, at most; the oldest spans are dropped for more."},
      {"exporter.spool_replay_spans_per_second",
       Integer{{At<&O::exporter, &E::spool_replay_spans_per_second>}, 1, 10'000'000},
       "The spans a second that are sent out of the spool beside new ones, at most."},
      {"exporter.metrics_path", Text{{At<&O::exporter, &E::metrics_path>}},
       "The file that counters are written to for Prometheus; %p in it stands for the process id."},
      {"exporter.metrics_interval_ms",
       Integer{{At<&O::exporter, &E::metrics_interval_ms>}, 100, 60 * kMinute},
       "The time in milliseconds after which that file is written anew."},
      {"exporter.rotate_bytes", Integer{{At<&O::exporter, &E::rotate_bytes>}, 0, 1ull << 40},
       "For file: the bytes after which the file is renamed to path.1, and a new one begun; 0: "
       "never."},
      {"exporter.rotate_files", Integer{{At<&O::exporter, &E::rotate_files>}, 1, 1000},
       "For file: how many old files, path.1 and on, are kept."},
      {"exporter.compression", Text{{At<&O::exporter, &E::compression>}, {"none", "gzip"}},
       "How the body of a request is compressed."},
      {"exporter.headers", HeaderMap{{At<&O::exporter, &E::headers>}},
       "For zipkin: headers that every request has, beside those that tracekin sets itself."},
      {"exporter.bearer_file", Text{{At<&O::exporter, &E::bearer_file>}},
       "For zipkin: a file with a token for \"Authorization: Bearer\", read again when it "
       "changes."},
      {"exporter.basic_file", Text{{At<&O::exporter, &E::basic_file>}},
       "For zipkin: a file with user:password for \"Authorization: Basic\", read again when it "
       "changes."},
      {"exporter.ca_file", Text{{At<&O::exporter, &E::ca_file>}},
       "For https: a PEM file of the authorities that may vouch for the collector; if not set, "
       "the system's."},
      {"exporter.client_certificate", Text{{At<&O::exporter, &E::client_certificate>}},
       "For https: a PEM file with the certificate that is shown to the collector."},
      {"exporter.client_key", Text{{At<&O::exporter, &E::client_key>}},
       "For https: a PEM file with that certificate's key, if the certificate's file has it not."},
      {"exporter.unix_socket", Text{{At<&O::exporter, &E::unix_socket>}},
       "For zipkin: a Unix socket to connect to, in place of the endpoint's host and port."},
      {"exporter.kafka_brokers", Text{{At<&O::exporter, &E::kafka_brokers>}},
       "For kafka: brokers to begin with, host:port, separated by commas."},
      {"exporter.kafka_topic", Text{{At<&O::exporter, &E::kafka_topic>}},
       "For kafka: the topic; each message there is a list of spans."},
      {"exporter.kafka_config_file", Text{{At<&O::exporter, &E::kafka_config_file>}},
       "For kafka: a file with properties of librdkafka, such as security.protocol=ssl, one a "
       "line."},

      {"ust.enabled", Boolean{{At<&O::ust, &UstOptions::enabled>}},
       "Whether spans are also LTTng-UST events; needs libtracekin_ust.so and liblttng-ust."},
      {"ust.spans", Text{{At<&O::ust, &UstOptions::spans>}, {"all", "sampled"}},
       "Which spans are events: all of them, or those that are exported."},
      {"ust.jaeger_events", Boolean{{At<&O::ust, &UstOptions::jaeger_events>}},
       "Whether jaeger_ust:start_span and end_span are recorded as well."},
  };
}

std::string Listed(const std::vector<std::string_view>& names) { return Joined(names, ", "); }

std::string Listed(const std::vector<std::uint64_t>& numbers) {
  std::vector<std::string> texts;
  for (const std::uint64_t number : numbers) texts.push_back(Decimal(number));
  return Joined(texts, ", ");
}

std::string AllowedUrls() {
  std::vector<std::string> schemes, examples;
  for (const Destination& destination : Destinations()) {
    for (const std::string_view scheme : destination.schemes) {
      const std::string begin = std::string(scheme) + "://";
      if (DestinationOfUrl(begin) == &destination) schemes.push_back(begin);  // each once
    }
    if (!destination.schemes.empty()) examples.push_back(Quoted(destination.example));
  }
  return "a URL with a host and " + Joined(schemes, " or ") + ", such as " +
         Joined(examples, " or ");
}

}  // namespace

// No lock: a fork during another thread's first call would leave it taken in the child. Two threads may
// make a table each; one of them stays.
const std::vector<Setting>& Settings() {
  static std::atomic<const std::vector<Setting>*> settings{nullptr};
  const std::vector<Setting>* made = settings.load(std::memory_order_acquire);
  if (made == nullptr) {
    auto mine = std::make_unique<const std::vector<Setting>>(MakeSettings());
    if (settings.compare_exchange_strong(made, mine.get())) made = mine.release();
  }
  return *made;
}

const Setting* FindSetting(std::string_view path) {
  for (const Setting& setting : Settings()) {
    if (setting.path == path) return &setting;
  }
  return nullptr;
}

bool IsGroup(std::string_view name) {
  const std::vector<Setting>& settings = Settings();
  return !name.empty() &&
         std::any_of(settings.begin(), settings.end(),
                     [name](const Setting& setting) { return setting.group() == name; });
}

std::string EnvironmentName(const Setting& setting) {
  std::string name = "TRACEKIN_";
  for (const char c : setting.path) {
    name += c == '.' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return name;
}

std::string Allowed(const Value& value) {
  return std::visit(
      Overloaded{
          [](const Boolean&) -> std::string { return "true or false"; },
          [](const Integer& v) {
            if (!v.allowed.empty()) return "one of " + Listed(v.allowed);
            return "a whole number from " + Decimal(v.min) + " to " + Decimal(v.max);
          },
          [](const Number& v) {
            return "a number from " + Decimal(v.min) + " to " + Decimal(v.max);
          },
          [](const Text& v) {
            return v.allowed.empty() ? "UTF-8 text" : "one of " + Listed(v.allowed);
          },
          [](const Url&) { return AllowedUrls(); },
          [](const TextList& v) { return "a list of distinct names from " + Listed(v.allowed); },
          [](const TextMap&) -> std::string { return "strings with distinct, non-empty keys"; },
          [](const HeaderMap&) -> std::string {
            return "strings without control characters, by names of headers that tracekin does not "
                   "set itself";
          },
      },
      value);
}

}  // namespace tracekin
