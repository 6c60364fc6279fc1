// SPDX-License-Identifier: Apache-2.0
#include "trace.h"

#if BLOCKSTORE_TRACING

#include <opentracing/tracer.h>
#include <tracekin/carriers.h>
#include <tracekin/configuration.h>
#include <tracekin/tracer.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace blockstore {

namespace {

std::shared_ptr<tracekin::Tracer> tracer;

}  // namespace

void Trace::Open(const char* service) {
  tracekin::Options options;
  options.service_name = service;
  options.trace_id_bits = 64;  // a request has no space for longer ids
  std::string error;
  if (tracekin::ApplyEnvironment(&options, &error)) tracer = tracekin::MakeTracer(options, &error);
  if (tracer != nullptr) return;
  std::fprintf(stderr, "%s: %s\n", service, error.c_str());
  std::exit(1);
}

void Trace::Close() { tracer.reset(); }

Trace Trace::Begin(const char* operation) {
  Trace trace;
  trace.span_ = tracer->StartSpan(operation);
  return trace;
}

Trace Trace::Accept(const char* operation, const Request& request) {
  Trace trace;
  const auto parent = tracer->Extract(tracekin::XsegReader(&request, sizeof request));
  // A sender that did not trace the request did not sample it. A span without a parent would begin
  // a new trace.
  if (!parent || *parent == nullptr) return trace;
  trace.span_ = tracer->StartSpan(operation, {opentracing::ChildOf(parent->get())});
  return trace;
}

void Trace::Stamp(Request* request) const {
  const tracekin::XsegWriter writer(request, sizeof *request);
  if (span_ == nullptr) {
    request->req_trace = {};
  } else {
    tracer->Inject(span_->context(), writer);
  }
}

void Trace::Event(const char* what) const {
  if (span_ != nullptr) span_->Log({{"event", what}});
}

void Trace::Tag(const char* key, std::uint64_t value) const {
  if (span_ != nullptr) span_->SetTag(key, value);
}

void Trace::Tag(const char* key, const char* value) const {
  if (span_ != nullptr) span_->SetTag(key, value);
}

void Trace::End(bool ok) {
  if (span_ == nullptr) return;
  if (!ok) span_->SetTag("error", true);
  span_->Finish();
  span_.reset();
}

}  // namespace blockstore

#endif
