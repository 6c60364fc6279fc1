// SPDX-License-Identifier: Apache-2.0
// Locates, reads and changes the span context in a Ceph message.
//
// The type and version determine its offset. If the fields of the front do not match, the front is
// not changed. docs/wire-formats.md has the specification. Thread-safe: the functions use only
// their arguments.
#ifndef TRACEKIN_PROPAGATION_CEPH_MESSAGE_H
#define TRACEKIN_PROPAGATION_CEPH_MESSAGE_H

#include <opentracing/propagation.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "propagation/context.h"
#include "tracekin/ceph.h"

namespace tracekin::propagation {

/// Offsets in a front.
struct CephTracePlace {
  std::size_t ids = 0;        // offset of BlkKin's ids, which are little-endian
  std::size_t otel = 0;       // offset of the OpenTelemetry block, if otel_size is not 0
  std::size_t otel_size = 0;  // current size of that block
};

/// Finds the context in `front`. Fails with std::errc::not_supported if the type or version is
/// unknown, and with span_context_corrupted_error if `front` does not match it.
opentracing::expected<CephTracePlace> FindCephTrace(CephMessageHeader header,
                                                    std::string_view front) noexcept;

/// Same as InjectCeph in tracekin/ceph.h.
opentracing::expected<void> WriteCephTrace(const Context& context, CephMessageHeader header,
                                           std::string* front) noexcept;

/// Same as ExtractCeph in tracekin/ceph.h. Returns false if there is no context. Changes `context`
/// only when it returns true.
opentracing::expected<bool> ReadCephTrace(CephMessageHeader header, std::string_view front,
                                          Context* context) noexcept;

}  // namespace tracekin::propagation

#endif  // TRACEKIN_PROPAGATION_CEPH_MESSAGE_H
