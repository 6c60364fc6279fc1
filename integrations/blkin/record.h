// SPDX-License-Identifier: Apache-2.0
// One record of BlkKin's: a zipkin:* event, and a part of a Zipkin span.
//
// While no session listens and there is no tracer each costs a few loads. Nothing is recorded of
// trace id 0. Text may be anything that ends with a NUL; events get it as valid UTF-8, and of a
// text the first 32 KiB. Thread-safety: any thread. Nothing throws.
#ifndef TRACEKIN_INTEGRATIONS_BLKIN_RECORD_H
#define TRACEKIN_INTEGRATIONS_BLKIN_RECORD_H

#include <cstdint>

#include "integrations/blkin/origin.h"

namespace tracekin::blkin {

void RecordTimestamp(const Origin& origin, const char* event) noexcept;
/// The original dialect's event zipkin:keyval.
void RecordKeyval(const Origin& origin, const char* key, const char* value) noexcept;
/// Ceph's zipkin:keyval_string and zipkin:keyval_integer.
void RecordKeyvalString(const Origin& origin, const char* key, const char* value) noexcept;
void RecordKeyvalInteger(const Origin& origin, const char* key, std::int64_t value) noexcept;

}  // namespace tracekin::blkin

#endif  // TRACEKIN_INTEGRATIONS_BLKIN_RECORD_H
