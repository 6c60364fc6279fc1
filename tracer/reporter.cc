// SPDX-License-Identifier: Apache-2.0
#include "tracer/reporter.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <system_error>
#include <type_traits>
#include <utility>

#include "base/standard_descriptors.h"
#include "base/thread_state.h"
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

// Writes `text` to a new file. Returns nullptr, or what failed, with the reason in errno. An
// existing file of that name is removed and not opened, because it may be a link, or a FIFO whose
// opening waits for a reader.
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

}  // namespace

std::string PrometheusText(const Counters& counters, const std::string& service, long process) {
  const std::string labels =
      "service=\"" + Escaped(service) + "\",pid=\"" + std::to_string(process) + '"';
  std::string text;
  const auto add = [&](const char* name, const std::string& label, std::uint64_t value) {
    text += std::string(name) + '{' + labels + label + "} " + std::to_string(value) + '\n';
  };
  const auto describe = [&](const char* name, const char* type, const char* help) {
    text += std::string("# HELP ") + name + ' ' + help + "\n# TYPE " + name + ' ' + type + '\n';
  };
  const auto metric = [&](const char* name, const char* type, const char* help,
                          std::uint64_t value) {
    describe(name, type, help);
    add(name, "", value);
  };
  metric("tracekin_spans_started_total", "counter", "Spans started.", counters.started);
  metric("tracekin_spans_adopted_total", "counter",
         "Spans found in the spool of a process that has ended.", counters.adopted);
  metric("tracekin_spans_unsampled_total", "counter", "Finished spans not selected for export.",
         counters.unsampled);
  metric("tracekin_spans_exported_total", "counter", "Spans acknowledged by the collector.",
         counters.exported);
  describe("tracekin_spans_dropped_total", "counter", "Spans lost, by reason.");
  const auto dropped = [&](const char* reason, std::uint64_t value) {
    add("tracekin_spans_dropped_total", std::string(",reason=\"") + reason + '"', value);
  };
  dropped("queue_full", counters.dropped.queue_full);
  dropped("too_large", counters.dropped.too_large);
  dropped("rejected", counters.dropped.rejected);
  dropped("expired", counters.dropped.expired);
  dropped("spool_full", counters.dropped.spool_full);
  dropped("spool_corrupt", counters.dropped.spool_corrupt);
  dropped("closed", counters.dropped.closed);
  dropped("fork", counters.dropped.fork);
  metric("tracekin_spans_open", "gauge", "Spans started but not finished.", counters.open);
  metric("tracekin_spans_queued", "gauge", "Finished spans waiting in memory.", counters.queued);
  metric("tracekin_spans_in_flight", "gauge", "Spans being sent to the collector.",
         counters.in_flight);
  metric("tracekin_spans_spooled", "gauge", "Spans waiting on disk.", counters.spooled);
  metric("tracekin_truncated_attributes_total", "counter",
         "Tags, logs and strings that did not fit into their span.", counters.truncated_attributes);
  return text;
}

Reporter::Reporter(const Options& options, const Tracer* tracer)
    : events_(options.ust.enabled),
      service_(options.service_name),
      path_(options.exporter.metrics_path),
      interval_(options.exporter.metrics_interval_ms),
      tracer_(tracer) {}

std::string Reporter::Tick(bool last) {
  const Clock::time_point now = Clock::now();
  const bool event =
      events_ && UstEnabled(UstRecorder()->exporter_stats_enabled) && (last || now >= next_event_);
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
  unlink(path().c_str());
  return {};
}

// Records the counters as an event unless they are unchanged since the last one.
void Reporter::RecordEvent(const Counters& counters) noexcept {
  static_assert(std::is_trivially_copyable_v<Counters>);
  if (std::memcmp(&counters, &recorded_, sizeof counters) == 0) return;
  recorded_ = counters;
  tracekin_ust_stats stats{};
  stats.service = service_.c_str();
  stats.started = counters.started;
  stats.adopted = counters.adopted;
  stats.open = counters.open;
  stats.unsampled = counters.unsampled;
  stats.queued = counters.queued;
  stats.in_flight = counters.in_flight;
  stats.spooled = counters.spooled;
  stats.exported = counters.exported;
  stats.dropped_queue_full = counters.dropped.queue_full;
  stats.dropped_too_large = counters.dropped.too_large;
  stats.dropped_rejected = counters.dropped.rejected;
  stats.dropped_expired = counters.dropped.expired;
  stats.dropped_spool_full = counters.dropped.spool_full;
  stats.dropped_spool_corrupt = counters.dropped.spool_corrupt;
  stats.dropped_closed = counters.dropped.closed;
  stats.dropped_fork = counters.dropped.fork;
  stats.tid = ThreadId();
  UstRecorder()->exporter_stats(&stats);
}

// Replaces %p by the process id, so that each child of a fork has its own file.
std::string Reporter::path() const {
  std::string path = path_;
  const std::size_t at = path.find("%p");
  if (at != std::string::npos) path.replace(at, 2, std::to_string(getpid()));
  return path;
}

// Replaces the file atomically, because Prometheus' collector may read it at any time. The file is
// readable for all users, because that collector runs as another user. Returns a message for the
// operator or "".
std::string Reporter::WriteFile(const Counters& counters) {
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

void Reporter::Detach() noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  tracer_ = nullptr;
}

void Reporter::AfterForkInChild() noexcept {
  new (&mutex_) std::mutex();
  next_event_ = next_file_ = {};
}

}  // namespace tracekin
