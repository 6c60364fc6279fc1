// SPDX-License-Identifier: Apache-2.0
// Makes spans of many shapes with a real tracer, which records them as events and exports them to
// files.
//
// usage: ust_spans FOLDER            some spans of each shape, with two tracers and a child process
//        ust_spans FOLDER SECONDS    spans on two threads for that time; prints when it begins
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

#include "tracekin/scope.h"
#include "tracekin/tracer.h"

namespace {

using opentracing::ChildOf;
using opentracing::SystemTime;
using TracerPointer = std::shared_ptr<tracekin::Tracer>;

TracerPointer MakeTracer(const std::string& path, unsigned trace_id_bits) {
  tracekin::Options options;
  options.service_name = "Größe";
  options.tags = {{"host", "web-1"}};
  options.trace_id_bits = trace_id_bits;
  options.exporter.type = "file";
  options.exporter.path = path;
  options.ust.enabled = true;
  std::string error;
  TracerPointer tracer = tracekin::MakeTracer(options, &error);
  if (tracer == nullptr) {
    std::fprintf(stderr, "ust_spans: %s\n", error.c_str());
    _exit(1);
  }
  return tracer;
}

void SetAllSortsOfTags(opentracing::Span* span) {
  span->SetTag("text", "a \"quoted\" \\ line\nbreak\ttab \x01 end");
  span->SetTag("umlaut ä", "grün €");
  span->SetTag("not UTF-8", "before \xff\xc3( after");
  span->SetTag("empty", "");
  span->SetTag("number", -42);
  span->SetTag("unsigned", UINT64_MAX);
  span->SetTag("double", 0.1);
  span->SetTag("true", true);
  span->SetTag("null", nullptr);
  span->SetTag("list", opentracing::Values{1, "two", opentracing::Dictionary{{"three", 3}}});
  span->SetTag("again", "first");
  span->SetTag("again", "second");
  span->SetTag("host", "own");
  span->SetTag("error", false);
}

void MakeSpans(const TracerPointer& tracer) {
  const auto root = tracer->StartSpan("GET /ä");
  const tracekin::Scope scope(*root);
  root->SetTag("span.kind", "server");
  SetAllSortsOfTags(root.get());
  root->Log({{"event", "miss"}, {"key", "a b"}, {"tries", 3}});
  root->Log({{"message", "plain"}});

  const auto call = tracer->StartSpan("Call", {ChildOf(&root->context())});
  call->SetTag("span.kind", "client");
  call->SetTag("peer.service", "Storage");
  call->SetTag("peer.ipv4", "127.0.0.1");
  call->SetTag("peer.port", 5432);
  call->SetTag("error", true);
  call->SetOperationName("Call renamed");
  call->Finish();

  const auto unsampled = tracer->StartSpan(
      "Not exported", {ChildOf(&root->context()), opentracing::SetTag("sampling.priority", 0)});
  unsampled->SetTag("local", "only");
  unsampled->Finish();

  // Durations are exported in whole microseconds, and as 1 if shorter.
  const auto long_ago = SystemTime(std::chrono::nanoseconds(1500000000123456789));
  const auto instant = std::chrono::steady_clock::now();
  const auto short_span = tracer->StartSpan(
      "Short", {ChildOf(&root->context()), opentracing::StartTimestamp(long_ago, instant)});
  short_span->Finish({opentracing::FinishTimestamp(instant + std::chrono::nanoseconds(999))});

  // Far larger than the limit of a span, so it is truncated in the events and in the export.
  const auto large = tracer->StartSpan("Large", {ChildOf(&root->context())});
  large->SetTag("huge", std::string(1'000'000, '"') + "\xff");
  large->Log(
      {{"event", std::string("NUL \0 and more", 14)}, {"text", std::string(1'000'000, 'x')}});
  large->Finish();
  root->Finish();
}

void MakeSpansFor(std::chrono::seconds time, const TracerPointer& tracer) {
  const auto end = std::chrono::steady_clock::now() + time;
  const auto work = [&tracer, end] {
    while (std::chrono::steady_clock::now() < end) {
      const auto span = tracer->StartSpan("load");
      const tracekin::Scope scope(*span);
      span->Log({{"event", "x"}});
      // Limits the rate to one that any disk can write.
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  };
  std::thread other(work);
  work();
  other.join();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) return 2;
  const std::string folder = argv[1];
  if (argc == 3) {
    const TracerPointer tracer = MakeTracer(folder + "/load.json", 128);
    std::puts("begins");
    std::fflush(stdout);
    MakeSpansFor(std::chrono::seconds(std::stoi(argv[2])), tracer);
    return 0;
  }
  const TracerPointer long_ids = MakeTracer(folder + "/long.json", 128);
  MakeSpans(long_ids);
  const TracerPointer short_ids = MakeTracer(folder + "/short.json", 64);
  MakeSpans(short_ids);

  const pid_t child = fork();
  if (child == 0) {
    MakeSpans(long_ids);
    long_ids->Close();
    _exit(0);
  }
  int status = 0;
  const bool well = waitpid(child, &status, 0) == child && status == 0;
  long_ids->Close();
  short_ids->Close();
  return well ? 0 : 1;
}
