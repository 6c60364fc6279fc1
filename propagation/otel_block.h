// SPDX-License-Identifier: Apache-2.0
// The form in which Ceph (from Squid on) puts an OpenTelemetry span context into a message: a Ceph
// struct of version 1 with a flag, and behind it, if there is a context, trace id, span id and flags.
//
// It has room for all 128 bits of a trace id, and none for the parent. The specification is in
// docs/wire-formats.md. Thread-safe: functions of their arguments.
#ifndef TRACEKIN_PROPAGATION_OTEL_BLOCK_H
#define TRACEKIN_PROPAGATION_OTEL_BLOCK_H

#include <opentracing/propagation.h>

#include <cstddef>
#include <string_view>

#include "propagation/context.h"

namespace tracekin {

constexpr std::size_t kOtelBlockBytes = 32;
constexpr std::size_t kEmptyOtelBlockBytes = 7;

/// How many of the 32 or 7 bytes of a block WriteOtelBlock takes for `context`: 7 unless it is
/// sampled and has ids.
std::size_t OtelBlockBytes(const Context& context) noexcept;

/// Writes that many.
void WriteOtelBlock(const Context& context, char* bytes) noexcept;

/// The length of the block that `bytes` begin with, 32 or 7; 0 if they begin with anything else.
std::size_t FindOtelBlock(std::string_view bytes) noexcept;

/// Reads `block`, which must be one whole block. False if it holds no context. One that is not
/// sampled is read as it is: with ids, and denied. Fails with span_context_corrupted_error on
/// anything else. `context` is left alone unless this returns true.
opentracing::expected<bool> ReadOtelBlock(std::string_view block, Context* context) noexcept;

}  // namespace tracekin

#endif  // TRACEKIN_PROPAGATION_OTEL_BLOCK_H
