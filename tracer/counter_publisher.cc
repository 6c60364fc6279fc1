// SPDX-License-Identifier: Apache-2.0
#include "tracer/counter_publisher.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

#include "base/standard_descriptors.h"
#include "base/thread_state.h"
#include "tracekin/version.h"
#include "ust/loader.h"

namespace tracekin {

namespace {

constexpr std::chrono::seconds kEventInterval{1};

// Escapes backslashes, quotes and newlines in the value of a label.
std::string Escaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\' || c == '"') escaped += '\\';
    escaped += c == '\n' ? "\\n" : std::string(1, c);
  }
  return escaped;
}

// Writes `text` to a new file. Returns nullptr, or the name of the step that failed, with the
// reason in errno. An existing file of that name is removed and not opened, because it may be a
// link, or a FIFO whose opening waits for a reader.
const char* WriteNewFile(const std::string& path, const std::string& text) {
  unlink(path.c_str());
  const int descriptor = AboveStandardDescriptors(
      open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (descriptor == -1) return "create";
  errno = ENOSPC;  // the reason if fewer bytes than requested are written
  const ssize_t written = write(descriptor, text.data(), text.size());
  const int error = errno;
  close(descriptor);
  errno = error;
  return written == static_cast<ssize_t>(text.size()) ? nullptr : "write";
}

// Returns the counter that is recorded in this field of the event tracekin:exporter_stats.
constexpr const CounterInfo& InfoOf(std::string_view field) {
  constexpr std::string_view kDropped = "dropped_";
  const bool dropped = field.substr(0, kDropped.size()) == kDropped;
  if (dropped) field.remove_prefix(kDropped.size());
  for (const CounterInfo& info : kCounters) {
    if (info.name == field && (info.group == CounterGroup::kDropped) == dropped) return info;
  }
  throw std::logic_error("no such counter");  // fails at compile time
}

// The event has a field for each number of spans.
constexpr std::size_t CountersOfSpans() {
  std::size_t count = 0;
  for (const CounterInfo& info : kCounters) count += info.group != CounterGroup::kOther;
  return count;
}
#define TRACEKIN_ONE(field) +1
static_assert(CountersOfSpans() == TRACEKIN_UST_COUNTERS(TRACEKIN_ONE));
#undef TRACEKIN_ONE

}  // namespace

std::string PrometheusText(const Counters& counters, const std::string& service, long process) {
  const std::string labels =
      "service=\"" + Escaped(service) + "\",pid=\"" + std::to_string(process) + '"';
  std::string text =
      "# HELP tracekin_build_info The version of tracekin.\n"
      "# TYPE tracekin_build_info gauge\ntracekin_build_info{" +
      labels + ",version=\"" TRACEKIN_VERSION "\"} 1\n";
  const auto describe = [&](const std::string& metric, bool grows, const char* help) {
    text += "# HELP " + metric + ' ' + help + "\n# TYPE " + metric +
            (grows ? " counter\n" : " gauge\n");
  };
  bool dropped_described = false;
  for (const CounterInfo& info : kCounters) {
    const std::string value = "} " + std::to_string(info.In(counters)) + '\n';
    if (info.group == CounterGroup::kDropped) {
      const std::string metric = "tracekin_spans_dropped_total";
      if (!std::exchange(dropped_described, true)) {
        describe(metric, true, "Spans lost, by reason.");
      }
      text += metric + '{' + labels + ",reason=\"" + info.name + '"' + value;
    } else {
      const std::string metric =
          std::string(info.group == CounterGroup::kSpans ? "tracekin_spans_" : "tracekin_") +
          info.name + (info.grows ? "_total" : "");
      describe(metric, info.grows, info.help);
      text += metric + '{' + labels + value;
    }
  }
  return text;
}

CounterPublisher::CounterPublisher(const Options& options, const Tracer* tracer)
    : events_(options.ust.enabled),
      service_(options.service_name),
      path_(options.exporter.metrics_path),
      interval_(options.exporter.metrics_interval_ms),
      tracer_(tracer) {}

std::string CounterPublisher::Tick(bool last) {
  const Clock::time_point now = Clock::now();
  const bool event = events_ && ust::Enabled(ust::Recorder()->exporter_stats_enabled) &&
                     (last || now >= next_event_);
  const bool file = !path_.empty() && (last || now >= next_file_);
  if (!event && !file) return {};
  Counters counters;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (tracer_ == nullptr) return {};
    counters = tracer_->counters();
  }
  if (event) {
    next_event_ = now + kEventInterval;
    RecordEvent(counters);
  }
  if (!file) return {};
  next_file_ = now + interval_;
  if (!last) return WriteFile(counters);
  // The last drops could not be scraped otherwise.
  if (counters.dropped.closed != 0) return WriteFile(counters);
  unlink(path().c_str());
  return {};
}

// Records the counters as an event unless they are unchanged since the last one.
void CounterPublisher::RecordEvent(const Counters& counters) noexcept {
  static_assert(std::is_trivially_copyable_v<Counters>);
  if (std::memcmp(&counters, &recorded_, sizeof counters) == 0) return;
  recorded_ = counters;
  tracekin_ust_stats stats{};
  stats.service = service_.c_str();
#define TRACEKIN_SET(field)                             \
  {                                                     \
    constexpr const CounterInfo& info = InfoOf(#field); \
    stats.field = info.In(counters);                    \
  }
  TRACEKIN_UST_COUNTERS(TRACEKIN_SET)
#undef TRACEKIN_SET
  stats.tid = ThreadId();
  ust::Recorder()->exporter_stats(&stats);
}

// Replaces %p by the process id, so that each child of a fork has its own file.
std::string CounterPublisher::path() const {
  std::string path = path_;
  const std::size_t at = path.find("%p");
  if (at != std::string::npos) path.replace(at, 2, std::to_string(getpid()));
  return path;
}

// Replaces the file atomically, because Prometheus' collector may read it at any time. The file is
// readable for all users, because that collector runs as another user. Returns a message for the
// operator or "".
std::string CounterPublisher::WriteFile(const Counters& counters) {
  const std::string whole = path();
  const std::string part = whole + '.' + std::to_string(getpid());
  const char* failed = WriteNewFile(part, PrometheusText(counters, service_, getpid()));
  if (failed == nullptr && rename(part.c_str(), whole.c_str()) != 0) failed = "rename";
  const int error = errno;
  if (failed != nullptr) unlink(part.c_str());
  const bool told = std::exchange(told_of_file_, failed != nullptr);
  if (failed == nullptr || told) return {};
  return "counters are not written: cannot " + (failed + (' ' + part)) + ": " +
         std::generic_category().message(error);
}

void CounterPublisher::Detach() noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  tracer_ = nullptr;
}

void CounterPublisher::AfterForkInChild() noexcept {
  new (&mutex_) std::mutex();
  next_event_ = next_file_ = {};
}

}  // namespace tracekin
