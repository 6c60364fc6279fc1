// SPDX-License-Identifier: Apache-2.0
#include "configuration/table.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <system_error>

#include "base/strings.h"
#include "configuration/text.h"
#include "exporter/destination.h"
#include "propagation/propagator.h"

namespace tracekin::configuration {
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
  using Use = Path::Use;
  const std::vector<std::string_view> formats = propagation::PropagatorNames();
  return {
      {"service_name", Text{{At<&O::service_name>}},
       "The service that the spans belong to. Required."},
      {"tags", TextMap{{At<&O::tags>}},
       "Tags of every span, unless the span sets the same key itself."},
      {"trace_id_bits", Integer{{At<&O::trace_id_bits>}, 64, 128, {64, 128}},
       "The size of the ids of new traces."},
      {"print_configuration", Boolean{{At<&O::print_configuration>}},
       "Whether to log the effective configuration when the tracer is made."},

      {"sampler.type",
       Text{{At<&O::sampler, &S::type>}, {"always", "never", "probabilistic", "rate_limiting"}},
       "The sampling strategy for new traces. The default is probabilistic if sampler.rate is less "
       "than 1, rate_limiting if sampler.per_second is set, and otherwise always."},
      {"sampler.rate", Number{{At<&O::sampler, &S::rate>}, 0, 1},
       "The share of traces that the probabilistic sampler accepts."},
      {"sampler.per_second", Number{{At<&O::sampler, &S::per_second>}, 0, 1e6},
       "The maximum number of traces per second that the rate_limiting sampler accepts. It must be "
       "set for that sampler."},
      {"sampler.parent_based", Boolean{{At<&O::sampler, &S::parent_based>}},
       "Whether to keep a sampling decision that arrives with the parent's context."},

      {"propagation.inject", TextList{{At<&O::propagation, &P::inject>}, formats},
       "The formats in which contexts are written. All of them are written."},
      {"propagation.extract", TextList{{At<&O::propagation, &P::extract>}, formats},
       "The formats from which contexts are read. The first one that finds ids wins."},

      {"exporter.type", Text{{At<&O::exporter, &E::type>}, exporter::DestinationTypes()},
       "Where finished spans are sent. The default is derived from the endpoint's scheme, or is "
       "file if there is no endpoint. With none, spans are not exported, but still recorded by "
       "LTTng if ust.enabled is set."},
      {"exporter.format", Text{{At<&O::exporter, &E::format>}, exporter::FormatNames()},
       "The encoding of spans. The default is the first format of the exporter's type."},
      {"exporter.endpoint", Url{{At<&O::exporter, &E::endpoint>}},
       "For zipkin: the collector's URL, to which spans are POSTed. For scribe: its host and port "
       "(9410 by default)."},
      {"exporter.scribe_category", Text{{At<&O::exporter, &E::scribe_category>}},
       "For scribe: the category of the log entries that contain spans."},
      {"exporter.scribe_strict", Boolean{{At<&O::exporter, &E::scribe_strict>}},
       "For scribe: whether calls begin with Thrift's version number, which newer servers may "
       "require."},
      {"exporter.path", Path{{{At<&O::exporter, &E::path>}}, Use::kWrite},
       "For file: the file to which spans are appended, one line of JSON per span."},
      {"exporter.queue_spans", Integer{{At<&O::exporter, &E::queue_spans>}, 64, 1u << 24},
       "The maximum number of finished spans that wait in memory. Further spans are dropped and "
       "counted."},
      {"exporter.queue_bytes", Integer{{At<&O::exporter, &E::queue_bytes>}, 1u << 18, 1ull << 36},
       "The maximum number of bytes of finished spans that wait in memory."},
      {"exporter.flush_interval_ms", Integer{{At<&O::exporter, &E::flush_interval_ms>}, 1, kMinute},
       "The maximum time in milliseconds that a finished span waits before it is sent."},
      {"exporter.batch_spans", Integer{{At<&O::exporter, &E::batch_spans>}, 1, 100'000},
       "The maximum number of spans in one request. A batch also ends at half a megabyte of "
       "spans."},
      {"exporter.connect_timeout_ms",
       Integer{{At<&O::exporter, &E::connect_timeout_ms>}, 1, 10 * kMinute},
       "The maximum time in milliseconds for connecting to the collector."},
      {"exporter.timeout_ms", Integer{{At<&O::exporter, &E::timeout_ms>}, 1, 10 * kMinute},
       "The maximum time in milliseconds for one request, from connecting to the answer."},
      {"exporter.close_timeout_ms",
       Integer{{At<&O::exporter, &E::close_timeout_ms>}, 0, 10 * kMinute},
       "The maximum time in milliseconds for sending the remaining spans when the tracer is "
       "closed."},
      {"exporter.retry_backoff_ms",
       Integer{{At<&O::exporter, &E::retry_backoff_ms>}, 1, 10 * kMinute},
       "The time in milliseconds before a failed batch is tried again. It doubles with each "
       "failure."},
      {"exporter.retry_max_backoff_ms",
       Integer{{At<&O::exporter, &E::retry_max_backoff_ms>}, 1, 60 * kMinute},
       "The upper limit of that time."},
      {"exporter.retry_max_age_ms",
       Integer{{At<&O::exporter, &E::retry_max_age_ms>}, 0, 24 * 60 * kMinute},
       "The age in milliseconds at which unsent spans are given up. Does not apply to the spool."},
      {"exporter.retry_max_tries", Integer{{At<&O::exporter, &E::retry_max_tries>}, 1, 1'000'000},
       "The maximum number of attempts to send a span. Does not apply to the spool."},
      {"exporter.spool_path", Path{{{At<&O::exporter, &E::spool_path>}}, Use::kFolder},
       "The folder where unsent spans wait. If it is not set, they wait in memory."},
      {"exporter.spool_bytes", Integer{{At<&O::exporter, &E::spool_bytes>}, 1u << 22, 1ull << 40},
       "The maximum number of bytes of one process in that folder. Beyond it, the oldest spans are "
       "dropped."},
      {"exporter.spool_replay_spans_per_second",
       Integer{{At<&O::exporter, &E::spool_replay_spans_per_second>}, 1, 10'000'000},
       "The maximum number of spooled spans that are sent per second in addition to new ones."},
      {"exporter.metrics_path", Path{{{At<&O::exporter, &E::metrics_path>}}, Use::kWrite},
       "The file to which counters are written for Prometheus. %p in it stands for the process "
       "id."},
      {"exporter.metrics_interval_ms",
       Integer{{At<&O::exporter, &E::metrics_interval_ms>}, 100, 60 * kMinute},
       "The interval in milliseconds at which that file is written."},
      {"exporter.rotate_bytes", Integer{{At<&O::exporter, &E::rotate_bytes>}, 0, 1ull << 40},
       "For file: the size in bytes at which the file is renamed to path.1 and a new one is "
       "started. 0 means never."},
      {"exporter.rotate_files", Integer{{At<&O::exporter, &E::rotate_files>}, 1, 1000},
       "For file: the number of old files (path.1 and so on) to keep."},
      {"exporter.compression", Text{{At<&O::exporter, &E::compression>}, {"none", "gzip"}},
       "The compression of request bodies."},
      {"exporter.headers", HeaderMap{{At<&O::exporter, &E::headers>}},
       "For zipkin: additional headers of every request."},
      {"exporter.bearer_file", Path{{{At<&O::exporter, &E::bearer_file>}}, Use::kRead},
       "For zipkin: a file with a token for \"Authorization: Bearer\". It is read again when it "
       "changes."},
      {"exporter.basic_file", Path{{{At<&O::exporter, &E::basic_file>}}, Use::kRead},
       "For zipkin: a file with user:password for \"Authorization: Basic\". It is read again when "
       "it changes."},
      {"exporter.ca_file", Path{{{At<&O::exporter, &E::ca_file>}}, Use::kRead},
       "For https: a PEM file of trusted certificate authorities. The default is the system's."},
      {"exporter.client_certificate",
       Path{{{At<&O::exporter, &E::client_certificate>}}, Use::kRead},
       "For https: a PEM file with the client certificate to present to the collector."},
      {"exporter.client_key", Path{{{At<&O::exporter, &E::client_key>}}, Use::kRead},
       "For https: a PEM file with that certificate's key, unless the certificate file contains "
       "it."},
      {"exporter.unix_socket", Path{{{At<&O::exporter, &E::unix_socket>}}, Use::kConnect},
       "For zipkin: a Unix socket to connect to instead of the endpoint's host and port."},
      {"exporter.kafka_brokers", Text{{At<&O::exporter, &E::kafka_brokers>}},
       "For kafka: the initial brokers as host:port, separated by commas."},
      {"exporter.kafka_topic", Text{{At<&O::exporter, &E::kafka_topic>}},
       "For kafka: the topic. Each message is a list of spans."},
      {"exporter.kafka_config_file",
       Path{{{At<&O::exporter, &E::kafka_config_file>}}, Use::kReadOnce},
       "For kafka: a file with properties of librdkafka, one per line, such as "
       "security.protocol=ssl."},

      {"log.target", Text{{At<&O::log, &LogOptions::target>}},
       "Where messages are logged: stderr, syslog, or the absolute path of a file. The default is "
       "stderr, or syslog if standard error is /dev/null."},

      {"ust.enabled", Boolean{{At<&O::ust, &UstOptions::enabled>}},
       "Whether spans are also LTTng-UST events. Needs libtracekin_ust.so and liblttng-ust."},
      {"ust.spans", Text{{At<&O::ust, &UstOptions::spans>}, {"all", "sampled"}},
       "Which spans are recorded as events: all, or only those that are exported."},
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
  for (const exporter::Destination& destination : exporter::Destinations()) {
    for (const std::string_view scheme : destination.schemes) {
      const std::string begin = std::string(scheme) + "://";
      if (exporter::DestinationOfUrl(begin) == &destination) schemes.push_back(begin);  // each once
    }
    if (!destination.schemes.empty()) examples.push_back(Quoted(destination.example));
  }
  return "a URL with a host and " + Joined(schemes, " or ") + ", such as " +
         Joined(examples, " or ");
}

}  // namespace

// Does not use a lock, because it would stay locked in a child that is forked during another
// thread's first call. Two threads may each make a table, and one of the tables is kept.
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

void MakePathsAbsolute(Options* options) {
  for (const Setting& setting : Settings()) {
    const Path* const path = std::get_if<Path>(&setting.value);
    if (path == nullptr || path->In(*options).empty()) continue;
    std::error_code error;
    const std::filesystem::path absolute = std::filesystem::absolute(path->In(*options), error);
    if (!error) path->In(*options) = absolute.string();
  }
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

}  // namespace tracekin::configuration
