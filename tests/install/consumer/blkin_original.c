/* SPDX-License-Identifier: Apache-2.0 */
/* A program that was written for BlkKin. */
#include <blkin/blkin-front.h>
#include <stdio.h>

int main(void) {
  struct blkin_endpoint endp;
  struct blkin_trace trace;
  if (blkin_init() < 0) {
    fprintf(stderr, "Could not initialize blkin\n");
    return 1;
  }
  blkin_init_endpoint(&endp, "10.0.0.1", 5000, "service a");
  blkin_init_new_trace(&trace, "process a", &endp);
  BLKIN_TIMESTAMP(&trace, &endp, "start");
  BLKIN_TIMESTAMP(&trace, &endp, "end");
  return 0;
}
