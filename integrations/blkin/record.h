// SPDX-License-Identifier: Apache-2.0
// Records each call of BlkKin's API as a zipkin:* event and as a part of a Zipkin span.
//
// A record costs a few loads if no session is active and there is no tracer. Records with trace id
// 0 are ignored. Text may contain any bytes and ends with a NUL. Events contain its first 32 KiB as
// valid UTF-8. Thread-safety: any thread may call these. Nothing throws.
#ifndef TRACEKIN_INTEGRATIONS_BLKIN_RECORD_H
#define TRACEKIN_INTEGRATIONS_BLKIN_RECORD_H

#include <cstdint>

#include "integrations/blkin/origin.h"

namespace tracekin::blkin {

void RecordTimestamp(const Origin& origin, const char* event) noexcept;
/// Records the event zipkin:keyval of the original dialect.
void RecordKeyval(const Origin& origin, const char* key, const char* value) noexcept;
/// These record Ceph's events zipkin:keyval_string and zipkin:keyval_integer.
void RecordKeyvalString(const Origin& origin, const char* key, const char* value) noexcept;
void RecordKeyvalInteger(const Origin& origin, const char* key, std::int64_t value) noexcept;

}  // namespace tracekin::blkin

#endif  // TRACEKIN_INTEGRATIONS_BLKIN_RECORD_H
