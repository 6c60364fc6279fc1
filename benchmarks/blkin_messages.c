/* SPDX-License-Identifier: Apache-2.0 */
/* Sends the message of BlkKin's thesis COUNT times: the event "start" of a new span at service_a,
 * 10.0.0.1:5000.
 *
 * usage: blkin_messages COUNT [one]    one: all events belong to the same span */
#include <blkin-front.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  struct blkin_endpoint endp;
  struct blkin_trace trace;
  int i, count = argc > 1 ? atoi(argv[1]) : 1;
  if (blkin_init() < 0) return 1;
  blkin_init_endpoint(&endp, "10.0.0.1", 5000, "service_a");
  for (i = 0; i < count; ++i) {
    if (i == 0 || argc < 3) blkin_init_new_trace(&trace, "process a", &endp);
    BLKIN_TIMESTAMP(&trace, &endp, "start");
  }
  return 0;
}
