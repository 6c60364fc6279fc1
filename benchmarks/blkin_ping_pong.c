/* SPDX-License-Identifier: Apache-2.0 */
/* The ping-pong of BlkKin's thesis, written against BlkKin: two processes that exchange messages
 * over pipes. The server opens a root span for each message and the client makes a child of it.
 * Each records when it starts and when it ends.
 *
 * usage: blkin_ping_pong ITERATIONS [syslog | nothing]
 * Prints the server's time in nanoseconds. With "syslog" the same data is sent to syslog(3)
 * instead; with "nothing" no event is recorded. */
#include <blkin-front.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

struct message {
  char text[20];
  struct blkin_trace_info trace_info;
};

static enum { BLKIN, SYSLOG, NOTHING } way = BLKIN;

static void fail(const char* what) {
  perror(what);
  exit(1);
}

static void record(struct blkin_trace* trace, struct blkin_endpoint* endp, const char* event) {
  if (way == BLKIN) BLKIN_TIMESTAMP(trace, endp, event);
  if (way == SYSLOG) {
    syslog(LOG_INFO, "%s %s %d %s %lld %lld %lld %s", trace->name, endp->name, endp->port, endp->ip,
           (long long)trace->info.trace_id, (long long)trace->info.span_id,
           (long long)trace->info.parent_span_id, event);
  }
}

static void server(int in, int out, long iterations) {
  struct blkin_endpoint endp;
  struct blkin_trace trace;
  struct message msg = {"message", {0, 0, 0}};
  long i;
  blkin_init_endpoint(&endp, "10.0.0.1", 5000, "service a");
  for (i = 0; i < iterations; ++i) {
    blkin_init_new_trace(&trace, "process a", &endp);
    record(&trace, &endp, "start");
    blkin_get_trace_info(&trace, &msg.trace_info);
    if (write(out, &msg, sizeof msg) != sizeof msg) fail("write");
    if (read(in, &msg, sizeof msg) != sizeof msg) fail("read");
    record(&trace, &endp, "end");
  }
}

static void client(int in, int out, long iterations) {
  struct blkin_endpoint endp;
  struct blkin_trace trace;
  struct message msg;
  long i;
  blkin_init_endpoint(&endp, "10.0.0.2", 5001, "service b");
  memset(&msg, 0, sizeof msg);
  if (write(out, &msg, sizeof msg) != sizeof msg) fail("write"); /* the client is ready */
  for (i = 0; i < iterations; ++i) {
    if (read(in, &msg, sizeof msg) != sizeof msg) fail("read");
    blkin_init_child_info(&trace, &msg.trace_info, &endp, "process b");
    record(&trace, &endp, "start");
    record(&trace, &endp, "end");
    if (write(out, &msg, sizeof msg) != sizeof msg) fail("write");
  }
}

/* Waits until the client has begun; after a fork, LTTng needs some time as well. */
static void await(int in) {
  struct message msg;
  if (read(in, &msg, sizeof msg) != sizeof msg) fail("read");
}

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int main(int argc, char** argv) {
  int there[2], back[2], status;
  long iterations = argc > 1 ? atol(argv[1]) : 10;
  long long start;
  pid_t child;
  if (argc > 2) way = argv[2][0] == 's' ? SYSLOG : NOTHING;
  if (pipe(there) != 0 || pipe(back) != 0) fail("pipe");
  if (way == SYSLOG) openlog("ping_pong", LOG_NDELAY, LOG_USER);
  if (blkin_init() < 0) fail("blkin_init");
  child = fork();
  if (child == -1) fail("fork");
  if (child == 0) {
    client(there[0], back[1], iterations);
    exit(0);
  }
  await(back[0]);
  start = now();
  server(back[0], there[1], iterations);
  printf("%lld\n", now() - start);
  if (waitpid(child, &status, 0) != child || status != 0) fail("the client");
  return 0;
}
