// SPDX-License-Identifier: Apache-2.0
// Whose record it is: what both dialects of BlkKin's API say of a span and of the place where it
// was recorded. Borrowed for a call.
#ifndef TRACEKIN_INTEGRATIONS_BLKIN_ORIGIN_H
#define TRACEKIN_INTEGRATIONS_BLKIN_ORIGIN_H

#include "tracekin/blkin/trace_info.h"

namespace tracekin::blkin {

struct Origin {
  blkin_trace_info ids;
  const char* name;     // of the span; the names are never null
  const char* service;  // of the endpoint, as the next two
  const char* ip;
  int port;
};

}  // namespace tracekin::blkin

#endif  // TRACEKIN_INTEGRATIONS_BLKIN_ORIGIN_H
