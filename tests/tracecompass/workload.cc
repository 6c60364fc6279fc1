// SPDX-License-Identifier: Apache-2.0
// Makes spans whose scopes nest, overlap on several threads, move, end in any order and outlive
// their span. Some spans begin before the trace or do not end in it.
//
// usage: tracecompass_workload FILE [SPANS]   FILE receives the exported spans
//
// Without SPANS it prints "ready" when the trace should begin and "done" when it should end, and
// waits for a line each time.
#include <cstdio>
#include <cstdlib>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tracekin/scope.h"
#include "tracekin/tracer.h"

namespace {

using opentracing::ChildOf;
using tracekin::Scope;
using SpanPointer = std::unique_ptr<opentracing::Span>;
using TracerPointer = std::shared_ptr<tracekin::Tracer>;

TracerPointer MakeTracer(const std::string& path) {
  tracekin::Options options;
  options.service_name = "workload";
  options.exporter.type = "file";
  options.exporter.path = path;
  options.exporter.queue_spans = 200000;
  options.ust.enabled = true;
  std::string error;
  TracerPointer tracer = tracekin::MakeTracer(options, &error);
  if (tracer == nullptr) {
    std::fprintf(stderr, "tracecompass_workload: %s\n", error.c_str());
    std::exit(1);
  }
  return tracer;
}

// Works long enough to be visible in a picture.
void Work(int milliseconds = 1) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

void WorkFor(opentracing::Span* span, int milliseconds) {
  const Scope scope(*span);
  Work(milliseconds);
}

SpanPointer Child(const opentracing::Span& parent, const char* name) {
  return parent.tracer().StartSpan(name, {ChildOf(&parent.context())});
}

void Nest(const opentracing::Span& parent) {
  const auto outer = Child(parent, "outer");
  const Scope in_outer(*outer);
  Work();
  {
    const auto inner = Child(*outer, "inner");
    const Scope in_inner(*inner);
    Work();
    const Scope outer_again(*outer);
    Work();
  }
  Work();
  outer->Finish();
  const auto late = Child(parent, "inside a scope that outlives its span");
  WorkFor(late.get(), 1);
}

void Share(const opentracing::Span& parent) {
  const auto shared = Child(parent, "shared by threads");
  std::thread first(WorkFor, shared.get(), 3);
  Work();
  std::thread second(WorkFor, shared.get(), 4);
  first.join();
  second.join();
}

void HandOver(const opentracing::Span& parent) {
  SpanPointer job = Child(parent, "handed over");
  WorkFor(job.get(), 1);
  Work();
  std::thread([&job] {
    WorkFor(job.get(), 2);
    job->SetOperationName("handed over, done");
    job->Finish();
  }).join();
}

void EndInAnyOrder(const opentracing::Span& parent) {
  std::vector<SpanPointer> spans;
  std::vector<std::unique_ptr<Scope>> scopes;
  for (const char* name : {"one", "two", "three"}) {
    spans.push_back(Child(parent, name));
    scopes.push_back(std::make_unique<Scope>(*spans.back()));
    Work();
  }
  for (const int end : {1, 0, 2}) {
    scopes[end].reset();
    Work();
  }
}

// Spans that begin on separate threads before the trace and continue in it after `go`.
class Before {
 public:
  Before(const TracerPointer& tracer, std::shared_future<void> go)
      : root_(tracer->StartSpan("before ä")),
        idle_(Child(*root_, "before, idle")),
        entered_(Child(*root_, "before, entered later")) {
    std::promise<void> inside;
    thread_ = std::thread([this, go, &inside] {
      const Scope in_root(*root_);
      const Scope in_entered(*entered_);
      inside.set_value();
      go.wait();
      Work();
    });
    inside.get_future().wait();
  }

  void Finish() {
    WorkFor(entered_.get(), 3);  // while the other thread leaves
    thread_.join();
    idle_->Finish();
    entered_->Finish();
    WorkFor(root_.get(), 1);
    root_->Finish();
  }

 private:
  const SpanPointer root_, idle_, entered_;
  std::thread thread_;
};

void MakeMany(const TracerPointer& tracer, int spans) {
  for (int i = 0; i < spans; i += 10) {
    const auto root = tracer->StartSpan("request " + std::to_string(i % 70 / 10));
    const Scope scope(*root);
    for (int child = 1; child < 10; ++child) {
      const auto span = Child(*root, child % 3 == 0 ? "query" : "step");
      const Scope in_span(*span);
    }
  }
}

void SayAndWait(const char* what) {
  std::puts(what);
  std::fflush(stdout);
  while (std::getchar() != '\n') {
    if (std::feof(stdin)) std::exit(1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const TracerPointer tracer = MakeTracer(argv[1]);
  if (argc > 2) {
    MakeMany(tracer, std::atoi(argv[2]));
    tracer->Close();
    return 0;
  }
  std::promise<void> go;
  Before before(tracer, go.get_future().share());
  SayAndWait("ready");
  go.set_value();
  before.Finish();

  const auto root = tracer->StartSpan("request");
  const auto open = Child(*root, "still open");
  WorkFor(open.get(), 1);
  {
    const Scope scope(*root);
    Nest(*root);
    Share(*root);
    HandOver(*root);
    HandOver(*root);
    EndInAnyOrder(*root);
  }
  root->Finish();
  SayAndWait("done");
  open->Finish();
  tracer->Close();
  return 0;
}
