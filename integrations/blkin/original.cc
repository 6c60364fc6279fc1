// SPDX-License-Identifier: Apache-2.0
// Implements BlkKin's C API in its author's dialect. The headers document the functions.

#include <cstddef>
#include <cstring>

#include "integrations/blkin/ids.h"
#include "integrations/blkin/process.h"
#include "integrations/blkin/record.h"
#include "tracekin/blkin/original/blkin-front.h"

// Sizes and offsets of the original structs on LP64.
static_assert(sizeof(blkin_endpoint) == 24 && offsetof(blkin_endpoint, ip) == 0 &&
              offsetof(blkin_endpoint, port) == 8 && offsetof(blkin_endpoint, name) == 16);
static_assert(sizeof(int) == 4 && sizeof(blkin_annotation_type) == 4);
static_assert(sizeof(blkin_trace_info) == 24 && alignof(blkin_trace_info) == 8 &&
              offsetof(blkin_trace_info, trace_id) == 0 &&
              offsetof(blkin_trace_info, span_id) == 8 &&
              offsetof(blkin_trace_info, parent_span_id) == 16);
static_assert(sizeof(blkin_trace_info_packed) == 24 && alignof(blkin_trace_info_packed) == 1 &&
              offsetof(blkin_trace_info_packed, trace_id) == 0 &&
              offsetof(blkin_trace_info_packed, span_id) == 8 &&
              offsetof(blkin_trace_info_packed, parent_span_id) == 16);
static_assert(sizeof(blkin_trace) == 40 && offsetof(blkin_trace, name) == 0 &&
              offsetof(blkin_trace, info) == 8 && offsetof(blkin_trace, trace_endpoint) == 32);
static_assert(sizeof(blkin_annotation) == 32 && offsetof(blkin_annotation, type) == 0 &&
              offsetof(blkin_annotation, key) == 8 && offsetof(blkin_annotation, val) == 16 &&
              offsetof(blkin_annotation, annotation_endpoint) == 24);
static_assert(ANNOT_STRING == 0 && ANNOT_TIMESTAMP == 1);

namespace {

using namespace tracekin::blkin;  // NOLINT(google-build-using-namespace)

constexpr char kNoName[] = "NoName";
constexpr char kNoIp[] = "NaN";

const char* Or(const char* text, const char* otherwise) {
  return text != nullptr ? text : otherwise;
}

}  // namespace

int blkin_init() { return Initialise(); }

int _blkin_init_new_trace(blkin_trace* new_trace, const char* name, blkin_endpoint* endpoint) {
  if (new_trace == nullptr) return -EINVAL;
  *new_trace = {name, RootWithTwoIds(), endpoint};
  return 0;
}

int _blkin_init_child(blkin_trace* child, blkin_trace* parent, blkin_endpoint* endpoint,
                      const char* child_name) {
  if (child == nullptr || parent == nullptr) return -EINVAL;
  *child = {child_name, ChildOf(parent->info),
            endpoint != nullptr ? endpoint : parent->trace_endpoint};
  return 0;
}

int _blkin_init_child_info(blkin_trace* child, blkin_trace_info* info, blkin_endpoint* endpoint,
                           const char* child_name) {
  if (child == nullptr || info == nullptr || endpoint == nullptr) return -EINVAL;
  *child = {child_name, ChildOf(*info), endpoint};
  return 0;
}

int _blkin_init_endpoint(blkin_endpoint* endp, const char* ip, int port, const char* name) {
  if (endp == nullptr) return -EINVAL;
  *endp = {Or(ip, kNoIp), port, name};
  return 0;
}

int _blkin_init_string_annotation(blkin_annotation* annotation, const char* key, const char* val,
                                  blkin_endpoint* endpoint) {
  if (annotation == nullptr || key == nullptr || val == nullptr) return -EINVAL;
  *annotation = {ANNOT_STRING, key, val, endpoint};
  return 0;
}

int _blkin_init_timestamp_annotation(blkin_annotation* annotation, const char* event,
                                     blkin_endpoint* endpoint) {
  if (annotation == nullptr || event == nullptr) return -EINVAL;
  *annotation = {ANNOT_TIMESTAMP, nullptr, event, endpoint};
  return 0;
}

int _blkin_record(blkin_trace* trace, blkin_annotation* annot) {
  if (trace == nullptr || annot == nullptr || annot->val == nullptr) return -EINVAL;
  const blkin_endpoint* endpoint =
      annot->annotation_endpoint != nullptr ? annot->annotation_endpoint : trace->trace_endpoint;
  if (endpoint == nullptr) return -EINVAL;
  const Origin origin = {trace->info, Or(trace->name, kNoName), Or(endpoint->name, kNoName),
                         Or(endpoint->ip, kNoIp), endpoint->port};
  // Read as a number, because a C program may store any value, while C++ knows only the
  // enumerators.
  unsigned type;
  std::memcpy(&type, &annot->type, sizeof type);
  switch (type) {
    case ANNOT_STRING:
      if (annot->key == nullptr) return -EINVAL;
      RecordKeyval(origin, annot->key, annot->val);
      return 0;
    case ANNOT_TIMESTAMP:
      RecordTimestamp(origin, annot->val);
      return 0;
  }
  return -EINVAL;
}

int _blkin_get_trace_info(blkin_trace* trace, blkin_trace_info* info) {
  if (trace == nullptr || info == nullptr) return -EINVAL;
  *info = trace->info;
  return 0;
}

int _blkin_set_trace_info(blkin_trace* trace, blkin_trace_info* info) {
  if (trace == nullptr || info == nullptr) return -EINVAL;
  trace->info = *info;
  return 0;
}

int _blkin_pack_trace_info(blkin_trace_info* info, blkin_trace_info_packed* pinfo) {
  if (info == nullptr || pinfo == nullptr) return -EINVAL;
  *pinfo = Pack(*info);
  return 1;
}

int _blkin_unpack_trace_info(blkin_trace_info_packed* pinfo, blkin_trace_info* info) {
  if (info == nullptr || pinfo == nullptr) return -EINVAL;
  *info = Unpack(*pinfo);
  return 1;
}

decltype(blkin_init_new_trace) blkin_init_new_trace = _blkin_init_new_trace;
decltype(blkin_init_child) blkin_init_child = _blkin_init_child;
decltype(blkin_init_child_info) blkin_init_child_info = _blkin_init_child_info;
decltype(blkin_init_endpoint) blkin_init_endpoint = _blkin_init_endpoint;
decltype(blkin_init_string_annotation) blkin_init_string_annotation = _blkin_init_string_annotation;
decltype(blkin_init_timestamp_annotation) blkin_init_timestamp_annotation =
    _blkin_init_timestamp_annotation;
decltype(blkin_record) blkin_record = _blkin_record;
decltype(blkin_get_trace_info) blkin_get_trace_info = _blkin_get_trace_info;
decltype(blkin_set_trace_info) blkin_set_trace_info = _blkin_set_trace_info;
decltype(blkin_pack_trace_info) blkin_pack_trace_info = _blkin_pack_trace_info;
decltype(blkin_unpack_trace_info) blkin_unpack_trace_info = _blkin_unpack_trace_info;
