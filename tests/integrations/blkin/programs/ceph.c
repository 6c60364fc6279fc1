/* SPDX-License-Identifier: Apache-2.0 */
/* A C program written for Ceph's BlkKin that uses every function, macro and constant. Prints a
 * line for each span (label, trace, span and parent id), which programs_test.py reads. */
#include <stdio.h>
#include <stdlib.h>
#include <zipkin_c.h>

static void check(int ok, int line) {
  if (ok) return;
  fprintf(stderr, "ceph.c:%d: not so\n", line);
  exit(1);
}
#define CHECK(condition) check(condition, __LINE__)

static void show(const char* label, const struct blkin_trace* trace) {
  struct blkin_trace_info info;
  CHECK(blkin_get_trace_info(trace, &info) == 0);
  printf("%s %lld %lld %lld\n", label, (long long)info.trace_id, (long long)info.span_id,
         (long long)info.parent_span_id);
}

int main(void) {
  struct blkin_endpoint osd, client;
  struct blkin_trace root, child, message, adopted;
  struct blkin_annotation annot;
  struct blkin_trace_info info;
  struct blkin_trace_info_packed packed;

  CHECK(blkin_init() == 0);
  CHECK(blkin_init_endpoint(&osd, "10.0.0.1", (int16_t)40000, "osd.1") == 0);
  CHECK(blkin_init_endpoint(&client, "0.0.0.0", 0, "Objecter") == 0);

  CHECK(blkin_init_new_trace(&root, "op", &client) == 0);
  show("root", &root);
  CHECK(blkin_init_string_annotation(&annot, "object", "rbd_data.1", NULL) == 0);
  CHECK(blkin_record(&root, &annot) == 0);
  CHECK(blkin_init_integer_annotation(&annot, "tid", INT64_MIN, &client) == 0);
  CHECK(blkin_record(&root, &annot) == 0);
  CHECK(blkin_init_timestamp_annotation(&annot, "init", NULL) == 0);
  CHECK(blkin_record(&root, &annot) == 0);

  CHECK(blkin_init_child(&child, &root, NULL, "op msg") == 0);
  show("child", &child);
  BLKIN_TIMESTAMP(&child, NULL, CLIENT_SEND);
  BLKIN_TIMESTAMP(&child, NULL, WIRE_SEND);
  BLKIN_TIMESTAMP(&child, NULL, CLIENT_SEND_FRAGMENT);

  CHECK(blkin_pack_trace_info(&child.info, &packed) == 0);
  CHECK(blkin_unpack_trace_info(&packed, &info) == 0);
  CHECK(blkin_init_child_info(&message, &info, &osd, "osd op") == 0);
  show("message", &message);
  BLKIN_TIMESTAMP(&message, &osd, WIRE_RECV);
  BLKIN_TIMESTAMP(&message, &osd, SERVER_RECV_FRAGMENT);
  BLKIN_TIMESTAMP(&message, &osd, SERVER_RECV);
  BLKIN_KEYVAL_STRING(&message, &osd, "entity type", "client");
  BLKIN_KEYVAL_INTEGER(&message, NULL, "entity num", 4096);
  BLKIN_TIMESTAMP(&message, &osd, SERVER_SEND_FRAGMENT);
  BLKIN_TIMESTAMP(&message, &osd, SERVER_SEND);

  BLKIN_TIMESTAMP(&child, NULL, CLIENT_RECV_FRAGMENT);
  BLKIN_TIMESTAMP(&child, NULL, CLIENT_RECV);

  blkin_init_trace_info(&info);
  CHECK(blkin_set_trace_properties(&adopted, &info, "", &osd) == 0);
  show("adopted", &adopted);
  BLKIN_TIMESTAMP(&adopted, NULL, "message destructed");
  info.parent_span_id = 5;
  CHECK(blkin_set_trace_info(&adopted, &info) == 0);

  BLKIN_TIMESTAMP(&root, &client, "Span ended");
  return 0;
}
