// SPDX-License-Identifier: Apache-2.0
// The origin of a record: the span and the endpoint that both dialects of BlkKin's API provide. The
// text is borrowed for the duration of a call.
#ifndef TRACEKIN_INTEGRATIONS_BLKIN_ORIGIN_H
#define TRACEKIN_INTEGRATIONS_BLKIN_ORIGIN_H

#include "tracekin/blkin/trace_info.h"

namespace tracekin::blkin {

struct Origin {
  blkin_trace_info ids;
  const char* name;     // name of the span; no pointer in this struct is null
  const char* service;  // name of the endpoint; ip and port belong to it as well
  const char* ip;
  int port;
};

}  // namespace tracekin::blkin

#endif  // TRACEKIN_INTEGRATIONS_BLKIN_ORIGIN_H
