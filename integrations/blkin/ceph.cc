// SPDX-License-Identifier: Apache-2.0
// Implements BlkKin's C API in Ceph's dialect. The header documents the functions.

#include <cstddef>

#include "integrations/blkin/ids.h"
#include "integrations/blkin/process.h"
#include "integrations/blkin/record.h"
#include "tracekin/blkin/ceph/zipkin_c.h"

// Sizes and offsets of Ceph's structs on LP64.
static_assert(sizeof(blkin_endpoint) == 24 && offsetof(blkin_endpoint, ip) == 0 &&
              offsetof(blkin_endpoint, port) == 8 && offsetof(blkin_endpoint, name) == 16 &&
              sizeof(blkin_endpoint::port) == 2);
static_assert(sizeof(blkin_trace) == 40 && offsetof(blkin_trace, name) == 0 &&
              offsetof(blkin_trace, info) == 8 && offsetof(blkin_trace, endpoint) == 32);
static_assert(sizeof(blkin_annotation) == 32 && offsetof(blkin_annotation, type) == 0 &&
              offsetof(blkin_annotation, key) == 8 && offsetof(blkin_annotation, val_str) == 16 &&
              offsetof(blkin_annotation, val_int) == 16 &&
              offsetof(blkin_annotation, endpoint) == 24);
static_assert(ANNOT_STRING == 0 && ANNOT_INTEGER == 1 && ANNOT_TIMESTAMP == 2);

namespace {

using namespace tracekin::blkin;  // NOLINT(google-build-using-namespace)

}  // namespace

const char* const CLIENT_SEND = "cs";
const char* const CLIENT_RECV = "cr";
const char* const SERVER_SEND = "ss";
const char* const SERVER_RECV = "sr";
const char* const WIRE_SEND = "ws";
const char* const WIRE_RECV = "wr";
const char* const CLIENT_SEND_FRAGMENT = "csf";
const char* const CLIENT_RECV_FRAGMENT = "crf";
const char* const SERVER_SEND_FRAGMENT = "ssf";
const char* const SERVER_RECV_FRAGMENT = "srf";

int blkin_init() { return Initialise(); }

int blkin_init_new_trace(blkin_trace* new_trace, const char* name, const blkin_endpoint* endpoint) {
  if (new_trace == nullptr) return -EINVAL;
  *new_trace = {name, RootWithOneId(), endpoint};
  return 0;
}

void blkin_init_trace_info(blkin_trace_info* trace_info) {
  if (trace_info != nullptr) *trace_info = RootWithOneId();
}

int blkin_init_child(blkin_trace* child, const blkin_trace* parent, const blkin_endpoint* endpoint,
                     const char* child_name) {
  if (child == nullptr || parent == nullptr) return -EINVAL;
  *child = {child_name, ChildOf(parent->info), endpoint != nullptr ? endpoint : parent->endpoint};
  return 0;
}

int blkin_init_child_info(blkin_trace* child, const blkin_trace_info* info,
                          const blkin_endpoint* endpoint, const char* child_name) {
  if (child == nullptr || info == nullptr || endpoint == nullptr) return -EINVAL;
  *child = {child_name, ChildOf(*info), endpoint};
  return 0;
}

int blkin_init_endpoint(blkin_endpoint* endpoint, const char* ip, int16_t port, const char* name) {
  if (endpoint == nullptr) return -EINVAL;
  *endpoint = {ip != nullptr ? ip : "NaN", port, name};
  return 0;
}

int blkin_init_string_annotation(blkin_annotation* annotation, const char* key, const char* val,
                                 const blkin_endpoint* endpoint) {
  if (annotation == nullptr || key == nullptr || val == nullptr) return -EINVAL;
  *annotation = {ANNOT_STRING, key, {val}, endpoint};
  return 0;
}

int blkin_init_integer_annotation(blkin_annotation* annotation, const char* key, int64_t val,
                                  const blkin_endpoint* endpoint) {
  if (annotation == nullptr || key == nullptr) return -EINVAL;
  *annotation = {ANNOT_INTEGER, key, {nullptr}, endpoint};
  annotation->val_int = val;
  return 0;
}

int blkin_init_timestamp_annotation(blkin_annotation* annotation, const char* event,
                                    const blkin_endpoint* endpoint) {
  if (annotation == nullptr || event == nullptr) return -EINVAL;
  *annotation = {ANNOT_TIMESTAMP, nullptr, {event}, endpoint};
  return 0;
}

int blkin_record(const blkin_trace* trace, const blkin_annotation* annotation) {
  if (trace == nullptr || annotation == nullptr || trace->name == nullptr) return -EINVAL;
  const blkin_endpoint* endpoint =
      annotation->endpoint != nullptr ? annotation->endpoint : trace->endpoint;
  if (endpoint == nullptr || endpoint->ip == nullptr || endpoint->name == nullptr) return -EINVAL;
  const Origin origin = {trace->info, trace->name, endpoint->name, endpoint->ip, endpoint->port};
  switch (annotation->type) {
    case ANNOT_STRING:
      if (annotation->key == nullptr || annotation->val_str == nullptr) return -EINVAL;
      RecordKeyvalString(origin, annotation->key, annotation->val_str);
      return 0;
    case ANNOT_INTEGER:
      if (annotation->key == nullptr) return -EINVAL;
      RecordKeyvalInteger(origin, annotation->key, annotation->val_int);
      return 0;
    case ANNOT_TIMESTAMP:
      if (annotation->val_str == nullptr) return -EINVAL;
      RecordTimestamp(origin, annotation->val_str);
      return 0;
  }
  return -EINVAL;
}

int blkin_get_trace_info(const blkin_trace* trace, blkin_trace_info* info) {
  if (trace == nullptr || info == nullptr) return -EINVAL;
  *info = trace->info;
  return 0;
}

int blkin_set_trace_info(blkin_trace* trace, const blkin_trace_info* info) {
  if (trace == nullptr || info == nullptr) return -EINVAL;
  trace->info = *info;
  return 0;
}

int blkin_set_trace_properties(blkin_trace* trace, const blkin_trace_info* info, const char* name,
                               const blkin_endpoint* endpoint) {
  if (trace == nullptr || info == nullptr || name == nullptr || endpoint == nullptr) return -EINVAL;
  *trace = {name, *info, endpoint};
  return 0;
}

int blkin_pack_trace_info(const blkin_trace_info* info, blkin_trace_info_packed* pinfo) {
  if (info == nullptr || pinfo == nullptr) return -EINVAL;
  *pinfo = Pack(*info);
  return 0;
}

int blkin_unpack_trace_info(const blkin_trace_info_packed* pinfo, blkin_trace_info* info) {
  if (info == nullptr || pinfo == nullptr) return -EINVAL;
  *info = Unpack(*pinfo);
  return 0;
}
