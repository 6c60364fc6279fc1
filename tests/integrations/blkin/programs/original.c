/* SPDX-License-Identifier: Apache-2.0 */
/* A C program written for BlkKin that uses every function and macro. Prints a line for each span
 * (label, trace, span and parent id), which programs_test.py reads. */
#include <blkin-front.h>
#include <stdio.h>
#include <stdlib.h>

static void check(int ok, int line) {
  if (ok) return;
  fprintf(stderr, "original.c:%d: not so\n", line);
  exit(1);
}
#define CHECK(condition) check(condition, __LINE__)

static void show(const char* label, struct blkin_trace* trace) {
  struct blkin_trace_info info;
  CHECK(blkin_get_trace_info(trace, &info) == 0);
  printf("%s %lld %lld %lld\n", label, (long long)info.trace_id, (long long)info.span_id,
         (long long)info.parent_span_id);
}

static void pointers(void) {
  struct blkin_endpoint endp, nowhere, v6;
  struct blkin_trace root, child, other, info_child;
  struct blkin_annotation annot;
  struct blkin_trace_info info;
  struct blkin_trace_info_packed packed;

  CHECK(blkin_init_endpoint(&endp, "10.0.0.1", 5000, "service a") == 0);
  CHECK(blkin_init_endpoint(&nowhere, NULL, 65535, "nowhere") == 0);
  CHECK(blkin_init_endpoint(&v6, "2001:db8::1", 0, "sixth") == 0);

  CHECK(blkin_init_new_trace(&root, "process a", &endp) == 0);
  show("root", &root);
  CHECK(blkin_init_timestamp_annotation(&annot, "start", &endp) == 0);
  CHECK(blkin_record(&root, &annot) == 0);
  CHECK(blkin_init_string_annotation(&annot, "key", "value", NULL) == 0);
  CHECK(blkin_record(&root, &annot) == 0);

  CHECK(blkin_init_child(&child, &root, NULL, "child") == 0);
  show("child", &child);
  BLKIN_TIMESTAMP(&child, &endp, "cs");
  BLKIN_KEYVAL(&child, &nowhere, "k\xC3\xA4y", "one \"two\"");
  BLKIN_TIMESTAMP(&child, NULL, "cr");

  CHECK(blkin_init_child(&other, &root, &nowhere, "other") == 0);
  show("other", &other);
  BLKIN_TIMESTAMP(&other, NULL, "Span ended");

  CHECK(blkin_get_trace_info(&child, &info) == 0);
  CHECK(blkin_pack_trace_info(&info, &packed) == 1);
  memset(&info, 0, sizeof info);
  CHECK(blkin_unpack_trace_info(&packed, &info) == 1);
  CHECK(blkin_init_child_info(&info_child, &info, &v6, "of a message") == 0);
  show("message", &info_child);
  BLKIN_TIMESTAMP(&info_child, &v6, "sr");
  BLKIN_TIMESTAMP(&info_child, &v6, "ss");

  /* Continues the span with these ids, like a peer that does not make children. */
  info.trace_id = -3;
  info.span_id = 0x7fffffff00000001LL;
  info.parent_span_id = 9;
  CHECK(blkin_set_trace_info(&other, &info) == 0);
  show("set", &other);
  BLKIN_TIMESTAMP(&other, NULL, "end");

  CHECK(blkin_init_timestamp_annotation(&annot, "end", &endp) == 0);
  CHECK(blkin_record(&root, &annot) == 0);
}

/* Uses the function names of libzipkin-c. */
static void functions(void) {
  struct blkin_endpoint endp;
  struct blkin_trace root, child;
  struct blkin_annotation annot;
  struct blkin_trace_info info;
  struct blkin_trace_info_packed packed;

  CHECK(_blkin_init_endpoint(&endp, "10.0.0.2", 1, "inner") == 0);
  CHECK(_blkin_init_new_trace(&root, NULL, &endp) == 0);
  show("inner", &root);
  CHECK(_blkin_init_string_annotation(&annot, "a", "", &endp) == 0);
  CHECK(_blkin_record(&root, &annot) == 0);
  CHECK(_blkin_init_child(&child, &root, NULL, "x") == 0);
  CHECK(_blkin_get_trace_info(&child, &info) == 0);
  CHECK(_blkin_pack_trace_info(&info, &packed) == 1);
  CHECK(_blkin_unpack_trace_info(&packed, &info) == 1);
  CHECK(_blkin_set_trace_info(&child, &info) == 0);
  CHECK(_blkin_init_child_info(&child, &info, &endp, "inner child") == 0);
  show("inner_child", &child);
  CHECK(_blkin_init_timestamp_annotation(&annot, "message destructed", NULL) == 0);
  CHECK(_blkin_record(&child, &annot) == 0);
  CHECK(_blkin_record(&root, &annot) == 0);
}

int main(void) {
  CHECK(blkin_init() == 0);
  CHECK(blkin_init() == 0);
  pointers();
  functions();
  return 0;
}
