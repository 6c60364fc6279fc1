// SPDX-License-Identifier: Apache-2.0
// The origin of a record: the span and the endpoint that both dialects of BlkKin's API provide. The
// text is borrowed for the duration of a call.
#ifndef TRACEKIN_INTEGRATIONS_BLKIN_ORIGIN_H
#define TRACEKIN_INTEGRATIONS_BLKIN_ORIGIN_H

#include "tracekin/blkin/trace_info.h"

namespace tracekin::blkin {

struct Origin {
  blkin_trace_info ids;
  const char* name;     // of the span; no pointer in this struct is null
  const char* service;  // of the endpoint, like ip and port
  const char* ip;
  int port;
};

}  // namespace tracekin::blkin

#endif  // TRACEKIN_INTEGRATIONS_BLKIN_ORIGIN_H
