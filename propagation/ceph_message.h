// SPDX-License-Identifier: Apache-2.0
// Where a Ceph message holds a span context, and reading and changing it there.
//
// Type and version say where that must be; the front's own fields must agree, or it is left alone.
// The specification is in docs/wire-formats.md. Thread-safe: functions of their arguments.
#ifndef TRACEKIN_PROPAGATION_CEPH_MESSAGE_H
#define TRACEKIN_PROPAGATION_CEPH_MESSAGE_H

#include <opentracing/propagation.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "propagation/context.h"
#include "tracekin/ceph.h"

namespace tracekin {

/// Offsets in a front.
struct CephTracePlace {
  std::size_t ids = 0;        // of BlkKin's, little-endian
  std::size_t otel = 0;       // of the OpenTelemetry block, if otel_size is not 0
  std::size_t otel_size = 0;  // of that block as it is now
};

/// Fails with std::errc::not_supported if nothing is known of such a message, and with
/// span_context_corrupted_error if `front` does not look as such a message's.
opentracing::expected<CephTracePlace> FindCephTrace(CephMessageHeader header,
                                                    std::string_view front) noexcept;

/// As InjectCeph of tracekin/ceph.h.
opentracing::expected<void> WriteCephTrace(const Context& context, CephMessageHeader header,
                                           std::string* front) noexcept;

/// As ExtractCeph of tracekin/ceph.h; false if there is no context. `context` is left alone unless
/// this returns true.
opentracing::expected<bool> ReadCephTrace(CephMessageHeader header, std::string_view front,
                                          Context* context) noexcept;

}  // namespace tracekin

#endif  // TRACEKIN_PROPAGATION_CEPH_MESSAGE_H
