// SPDX-License-Identifier: Apache-2.0
// A C++ program written for Ceph's BlkKin that uses every method and constant. Prints a line for
// each span (label, trace, span and parent id), which programs_test.py reads.
#include <cstdlib>
#include <iostream>
#include <ztracer.hpp>

static void check(bool ok, int line) {
  if (ok) return;
  std::cerr << "ceph.cc:" << line << ": not so\n";
  exit(1);
}
#define CHECK(condition) check(condition, __LINE__)

static void show(const char* label, const ZTracer::Trace& trace) {
  const blkin_trace_info* info = trace.get_info();
  std::cout << label << ' ' << info->trace_id << ' ' << info->span_id << ' ' << info->parent_span_id
            << '\n';
}

int main() {
  CHECK(ZTracer::ztrace_init() == 0);
  ZTracer::Endpoint objecter("Objecter");
  ZTracer::Endpoint messenger("10.0.0.1", 6800, "Messenger");
  ZTracer::Endpoint pg("x");
  pg.copy_name(std::string("PG 1.") + "2");
  pg.copy_ip("10.0.0.9");
  pg.set_port(6801);
  ZTracer::Endpoint copied(pg), shared("shared");
  copied.copy_address_from(&messenger);
  shared.share_address_from(&messenger);
  copied = shared;

  ZTracer::Trace nothing;
  CHECK(!nothing.valid() && !nothing);
  nothing.event("not recorded");
  nothing.keyval("not", "recorded");

  ZTracer::Trace root("op", &objecter);
  CHECK(root.valid());
  show("root", root);
  root.event("init");
  root.keyval("object", "rbd_data.1");
  root.keyval("tid", (int64_t)7);
  root.keyval("type", "write", &messenger);
  root.keyval("size", (int64_t)-4096, &messenger);
  root.event("op submit", &messenger);

  ZTracer::Trace child("op msg", NULL, &root);
  show("child", child);
  child.event(ZTracer::CLIENT_SEND);
  child.event(ZTracer::WIRE_SEND);
  child.event(ZTracer::CLIENT_SEND_FRAGMENT);
  child.event(ZTracer::CLIENT_RECV_FRAGMENT);
  child.event(ZTracer::CLIENT_RECV);

  ZTracer::Trace decoded;
  CHECK(decoded.init("osd_op", &messenger, child.get_info(), true) == 0);
  show("decoded", decoded);
  decoded.event(ZTracer::WIRE_RECV);
  decoded.event(ZTracer::SERVER_RECV_FRAGMENT);
  decoded.event(ZTracer::SERVER_RECV);
  decoded.event(ZTracer::SERVER_SEND_FRAGMENT);
  decoded.event(ZTracer::SERVER_SEND);

  ZTracer::Trace adopted("osd op", &pg, decoded.get_info());
  show("adopted", adopted);
  adopted.event("message destructed");  // late: the span has already ended

  ZTracer::Trace osd_op;
  CHECK(osd_op.init("osd op", &copied, &root) == 0);
  osd_op.copy_name(std::string("pg ") + "op");
  show("osd_op", osd_op);
  osd_op.event("start");
  ZTracer::Trace again(osd_op);
  again.event("end");
  again.set_info(root.get_info());
  show("again", again);

  root.event("end");
  return 0;
}
