// SPDX-License-Identifier: Apache-2.0
#include "fuzz/api/world.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <new>
#include <thread>

#include "fuzz/check.h"
#include "tests/support/wait.h"
#include "tracekin/configuration.h"

#ifdef TRACEKIN_PLUGIN
#include <opentracing/dynamic_load.h>
#endif

namespace tracekin {

namespace {

constexpr std::size_t kKeptTracers = 8;
constexpr char kNobodyListens[] = "127.0.0.1:1";

/// Accepts most batches; rejects, fails, throws or hangs for the others.
class FickleTransport final : public Transport {
 public:
  SendResult Send(const std::string& body, Clock::time_point deadline) override {
    CHECK(!body.empty());
    switch (++batches_ % 16) {
      case 1:
        return {SendStatus::kFailed, "failed\r\n\x1b[31m"};
      case 3:
        return {SendStatus::kRejected, "rejected"};
      case 5:
        return {SendStatus::kTooLarge, "too large"};
      case 7:
        throw std::bad_alloc();
      case 9:
        return {SendStatus::kFailed, "busy", std::chrono::milliseconds(50)};
      case 11:
        while (Clock::now() < std::min(deadline, interrupt_.load())) {
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return {SendStatus::kFailed, "timed out"};
      case 13:
        return {SendStatus::kAccepted, "in part", std::chrono::milliseconds(0), batches_};
      default:
        return {SendStatus::kAccepted};
    }
  }
  void Interrupt(Clock::time_point deadline) noexcept override { interrupt_ = deadline; }
  void AbandonAfterFork() noexcept override {}

 private:
  unsigned batches_ = 0;
  std::atomic<Clock::time_point> interrupt_{Clock::time_point::max()};
};

SamplerOptions AnySampler(Choices* choices) {
  static constexpr const char* kTypes[] = {"always", "probabilistic", "rate_limiting", "never"};
  SamplerOptions sampler;
  sampler.type = choices->Of(kTypes);
  sampler.rate = choices->Below(101) / 100.0;
  sampler.per_second = 1 + choices->Below(1000);
  sampler.parent_based = !choices->OneIn(3);
  return sampler;
}

PropagationOptions AnyPropagation(Choices* choices) {
  static const std::vector<std::string> kFormats[] = {
      {"b3multi", "baggage"},
      {"b3"},
      {"tracecontext", "baggage"},
      {"jaeger"},
      {"b3", "jaeger"},
      {"tracecontext", "b3multi", "jaeger", "baggage"},
  };
  PropagationOptions propagation;
  if (choices->OneIn(2)) propagation.inject = choices->Of(kFormats);
  if (choices->OneIn(2)) propagation.extract = choices->Of(kFormats);
  return propagation;
}

#ifdef TRACEKIN_PLUGIN
const opentracing::TracerFactory& PluginsFactory() {
  static std::string error;
  static const auto handle = opentracing::DynamicallyLoadTracingLibrary(TRACEKIN_PLUGIN, error);
  CHECK(handle);
  return handle->tracer_factory();
}
#endif

}  // namespace

World::World(const Limits& limits)
    : limits_(limits), server_([this](auto& connection) { Answer(connection); }) {
#ifdef TRACEKIN_PLUGIN
  // Runs before any thread starts, because a child that is forked during dlopen() cannot use
  // dlopen().
  PluginsFactory();
#endif
  Options options;
  options.service_name = "first";
  options.logger = [](LogLevel, const std::string&) {};
  options.exporter.make_transport = [] { return std::make_unique<FickleTransport>(); };
  options.exporter.close_timeout_ms = 300;
  kept_.push_back(tracekin::MakeTracer(options));
  CHECK(kept_.back() != nullptr);
  tracers.Put(0, kept_.back());
}

void World::Answer(FaultServer::Connection& connection) {
  switch (++answers_ % 12) {
    case 1:
      return connection.Answer("400 Bad Request", "no\r\n");
    case 3:
      return connection.Answer("413 Payload Too Large");
    case 5:
      return connection.Answer("503 Busy", "", "Retry-After: 1\r\n");
    case 7:
      return connection.Reset();
    case 9:
      connection.Write("garbage");
      return connection.Close();
    case 11:
      connection.WaitForPeer(50);
      return connection.Close();
    default:
      return connection.Answer("202 Accepted");
  }
}

ExporterOptions World::AnyExporter(Choices* choices) {
  ExporterOptions exporter;
  const std::string number = std::to_string(files_++);
  const std::string dead = std::string("http://") + kNobodyListens + "/api/v2/spans";
  switch (choices->Below(10)) {
    case 0:
      exporter.make_transport = [] { return std::make_unique<FickleTransport>(); };
      break;
    case 1:
      exporter.type = "none";
      break;
    case 2:
      exporter.path = folder_.path() + "/spans-" + number;
      exporter.rotate_bytes = choices->OneIn(2) ? 65536 : 0;
      break;
    case 3:
      exporter.endpoint = dead;
      break;
    case 4:
      exporter.type = "scribe";
      exporter.endpoint = "scribe://127.0.0.1:" + std::to_string(server_.port());
      break;
#ifndef __SANITIZE_THREAD__  // does not support thrd_create(), which librdkafka uses
    case 5:
      // A forked child may inherit a locked mutex of librdkafka.
      exporter.type = limits_.forks == 0 ? "kafka" : "none";
      exporter.kafka_brokers = kNobodyListens;
      break;
#endif
    default:
      static constexpr const char* kFormats[] = {"json", "proto3", "thrift"};
      exporter.endpoint = server_.url();
      exporter.format = choices->Of(kFormats);
      exporter.compression = choices->OneIn(4) ? "gzip" : "none";
  }
  if (choices->OneIn(4)) exporter.spool_path = folder_.path() + "/spool";
  if (choices->OneIn(8)) exporter.metrics_path = folder_.path() + "/metrics-" + number;
  return exporter;
}

Options World::AnyOptions(Choices* choices) {
  Options options;
  options.service_name = "service";
  options.sampler = AnySampler(choices);
  options.propagation = AnyPropagation(choices);
  options.exporter = AnyExporter(choices);
  ExporterOptions& exporter = options.exporter;
  exporter.connect_timeout_ms = exporter.timeout_ms = 200;
  exporter.close_timeout_ms = 100 * (1 + choices->Below(3));
  exporter.flush_interval_ms = 1 + choices->Below(30);
  exporter.retry_backoff_ms = 1 + choices->Below(10);
  exporter.retry_max_backoff_ms = 20;
  exporter.retry_max_tries = 1 + choices->Below(4);
  if (choices->OneIn(4)) exporter.queue_spans = 64;
  if (choices->OneIn(4)) exporter.batch_spans = 1 + choices->Below(8);
  if (choices->OneIn(4)) options.tags = {{"of.the.tracer", choices->Text()}, {"error", "true"}};
  options.trace_id_bits = choices->OneIn(4) ? 64 : 128;
  options.ust.enabled = limits_.ust && choices->OneIn(2);
  if (choices->OneIn(4)) options.ust.spans = "sampled";
  options.ust.jaeger_events = choices->OneIn(4);
  return options;
}

std::shared_ptr<Tracer> World::MakeTracer(Choices* choices) {
  Options options = AnyOptions(choices);
  const auto alive = std::make_shared<char>();
  options.logger = [alive](LogLevel, const std::string& line) {
    CHECK(line.find_first_of("\r\n\x1b") == line.npos);
  };
  const bool keep = choices->OneIn(2);
  std::string error;
  // A tracer that is made from JSON logs to standard error. A tracer whose exporter has the type
  // "none" does not log anything.
  const bool quiet = options.exporter.type == "none" && ValidateOptions(options, &error);
  auto tracer = quiet && choices->OneIn(2) ? MakeTracerFromJson(PrintConfiguration(options), &error)
                                           : tracekin::MakeTracer(options, &error);
  CHECK((tracer == nullptr) == !error.empty());
  if (tracer == nullptr) return nullptr;
  const std::lock_guard guard(mutex_);
  if (keep && kept_.size() < kKeptTracers) kept_.push_back(tracer);
  alive_.push_back(alive);
  return tracer;
}

std::shared_ptr<opentracing::Tracer> World::MakePluginTracer(Choices* choices) {
#ifdef TRACEKIN_PLUGIN
  Options options = AnyOptions(choices);
  options.exporter.make_transport = nullptr;
  options.exporter.type = "file";
  options.exporter.path = folder_.path() + "/plugin-spans";
  options.exporter.endpoint.clear();
  options.exporter.metrics_path.clear();
  std::string error;
  if (!ValidateOptions(options, &error)) return nullptr;
  const std::string json = PrintConfiguration(options);
  auto tracer = PluginsFactory().MakeTracer(json.c_str(), error);
  return tracer ? *tracer : nullptr;
#else
  static_cast<void>(choices);
  return nullptr;
#endif
}

void World::CheckCounters(const Tracer& tracer) {
  const Counters now = tracer.counters();
  for (const std::uint64_t count :
       {now.started, now.open, now.unsampled, now.adopted, now.queued, now.in_flight, now.spooled,
        now.exported, now.TotalDropped(), now.truncated_attributes, now.misplaced_scopes}) {
    CHECK(static_cast<std::int64_t>(count) >= 0);
  }
}

void World::CloseAll(bool open) {
  for (const auto& tracer : kept_) {
    tracer->Close();
    CHECK(testing::Eventually([&] {
      const Counters now = tracer->counters();
      return now.queued == 0 && now.in_flight == 0;
    }));
    CheckCounters(*tracer);
    CHECK(open || tracer->counters().open == 0);
  }
}

void World::End() {
  scopes.Clear();
  spans.Clear();
  contexts.Clear();
  tracers.Clear();
  plugin_tracers.Clear();
  CloseAll(false);
  kept_.clear();
  // A tracer that retired while its last span ended is destroyed when the next tracer retires.
  Options options;
  options.service_name = "last";
  options.exporter.type = "none";
  CHECK(tracekin::MakeTracer(options) != nullptr);
  for (const auto& tracer : alive_) {
    CHECK(testing::Eventually([&] { return tracer.expired(); }));
  }
}

void World::lock() {
  mutex_.lock();
  tracers.lock();
  plugin_tracers.lock();
  spans.lock();
  contexts.lock();
  scopes.lock();
  headers.lock();
  bytes.lock();
}

void World::unlock() {
  bytes.unlock();
  headers.unlock();
  scopes.unlock();
  contexts.unlock();
  spans.unlock();
  plugin_tracers.unlock();
  tracers.unlock();
  mutex_.unlock();
}

}  // namespace tracekin
