// SPDX-License-Identifier: Apache-2.0
// Ceph's encoding of an OpenTelemetry span context in messages, since Squid: a Ceph struct of
// version 1 with a flag. If the flag is set, the trace id, the span id and the trace flags follow.
//
// The block has room for all 128 bits of a trace id, but not for the parent. docs/wire-formats.md
// has the specification. Thread-safe: the functions use only their arguments.
#ifndef TRACEKIN_PROPAGATION_OTEL_BLOCK_H
#define TRACEKIN_PROPAGATION_OTEL_BLOCK_H

#include <opentracing/propagation.h>

#include <cstddef>
#include <string_view>

#include "propagation/context.h"

namespace tracekin::propagation {

constexpr std::size_t kOtelBlockBytes = 32;
constexpr std::size_t kEmptyOtelBlockBytes = 7;

/// Returns the size of the block that WriteOtelBlock writes for `context`: 32 bytes if it is
/// sampled and has ids, otherwise 7.
std::size_t OtelBlockBytes(const Context& context) noexcept;

/// Writes OtelBlockBytes(context) bytes.
void WriteOtelBlock(const Context& context, char* bytes) noexcept;

/// Returns the length of the block at the beginning of `bytes` (32 or 7), or 0 if there is none.
std::size_t FindOtelBlock(std::string_view bytes) noexcept;

/// Reads `block`, which must be exactly one block. Returns false if it contains no context. Reads
/// an unsampled context with its ids and the decision kDeny. Fails with
/// span_context_corrupted_error on anything else. Changes `context` only when it returns true.
opentracing::expected<bool> ReadOtelBlock(std::string_view block, Context* context) noexcept;

}  // namespace tracekin::propagation

#endif  // TRACEKIN_PROPAGATION_OTEL_BLOCK_H
