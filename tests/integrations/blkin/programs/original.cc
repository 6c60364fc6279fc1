// SPDX-License-Identifier: Apache-2.0
// A C++ program written for BlkKin that uses every function and class. Prints a line for each span
// (label, trace, span and parent id), which programs_test.py reads.
#include <blkin/ztracer.hpp>
#include <cstdlib>
#include <iostream>

using std::string;

static void check(bool ok, int line) {
  if (ok) return;
  std::cerr << "original.cc:" << line << ": not so\n";
  exit(1);
}
#define CHECK(condition) check(condition, __LINE__)

static void show(const char* label, ZTracer::ZTraceRef trace) {
  struct blkin_trace_info info;
  CHECK(trace->get_trace_info(&info) == 0);
  std::cout << label << ' ' << info.trace_id << ' ' << info.span_id << ' ' << info.parent_span_id
            << '\n';
}

int main() {
  CHECK(ZTracer::ztrace_init() == 0);
  ZTracer::ZTraceEndpointRef e = ZTracer::create_ZTraceEndpoint("10.0.0.1", 5000, "parent");
  ZTracer::ZTraceEndpointRef e2 =
      ZTracer::create_ZTraceEndpoint(string("0.0.0.1"), 2, string("child"));

  ZTracer::ZTraceRef root = ZTracer::create_ZTrace("parent process", e);
  show("root", root);
  root->event("parent start");
  root->keyval("key", "value");
  root->keyval(string("key 2"), string("value 2"), e2);

  ZTracer::ZTraceRef child = ZTracer::create_ZTrace("child", root);
  show("child", child);
  CHECK(child->get_endpoint() == e);
  child->event(string("start"), e2);
  child->event("end");

  ZTracer::ZTraceRef elsewhere = ZTracer::create_ZTrace(string("elsewhere"), root, e2);
  show("elsewhere", elsewhere);
  elsewhere->event("end", e2);

  struct blkin_trace_info info;
  CHECK(elsewhere->get_trace_info(&info) == 0);
  ZTracer::ZTraceRef same = ZTracer::create_ZTrace("same", e, &info);
  show("same", same);
  ZTracer::ZTraceRef message = ZTracer::create_ZTrace("message", e2, &info, true);
  show("message", message);
  message->keyval("k", "v", e2);
  message->event(string("Span ended"));

  CHECK(message->set_trace_info(&info) == 0);
  show("set", message);
  root->event(string("end"));
  return 0;
}
