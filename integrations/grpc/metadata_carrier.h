// SPDX-License-Identifier: Apache-2.0
// OpenTracing's HTTPHeaders carriers over the metadata of a gRPC call.
//
// Both borrow the metadata they are made with. Not thread-safe; a call's metadata is not either.
#ifndef TRACEKIN_INTEGRATIONS_GRPC_METADATA_CARRIER_H
#define TRACEKIN_INTEGRATIONS_GRPC_METADATA_CARRIER_H

#include <grpcpp/support/string_ref.h>
#include <opentracing/propagation.h>

#include <cstddef>
#include <map>
#include <string>

namespace tracekin {

/// What has arrived. Where a key came several times its first value is the one that is read.
class MetadataReader final : public opentracing::HTTPHeadersReader {
 public:
  using Metadata = std::multimap<::grpc::string_ref, ::grpc::string_ref>;

  explicit MetadataReader(const Metadata& metadata) : metadata_(metadata) {}

  /// `key` in any case; metadata keys are lower case.
  opentracing::expected<opentracing::string_view> LookupKey(
      opentracing::string_view key) const override;

  opentracing::expected<void> ForeachKey(
      std::function<opentracing::expected<void>(opentracing::string_view key,
                                                opentracing::string_view value)>
          f) const override;

 private:
  const Metadata& metadata_;
};

/// What will be sent. gRPC aborts the process when it is handed metadata that is not legal, and a
/// server refuses a call with too much of it; so a pair that is not legal (gRPC over HTTP/2,
/// "Custom-Metadata"), or that would exceed kMaxBytes, is left out, and Set succeeds all the same:
/// losing a baggage item must not cost the trace id that the tracer writes after it.
class MetadataWriter final : public opentracing::HTTPHeadersWriter {
 public:
  using Metadata = std::multimap<std::string, std::string>;

  /// The sum of the keys and values that one writer writes: half of the 8 KiB that a gRPC server
  /// accepts by default (GRPC_ARG_MAX_METADATA_SIZE).
  static constexpr std::size_t kMaxBytes = 4096;

  explicit MetadataWriter(Metadata& metadata) : metadata_(metadata) {}

  /// Replaces what the application has set for `key`, for instance by forwarding what it had
  /// received.
  opentracing::expected<void> Set(opentracing::string_view key,
                                  opentracing::string_view value) const override;

 private:
  Metadata& metadata_;
  mutable std::size_t bytes_ = 0;
};

}  // namespace tracekin

#endif  // TRACEKIN_INTEGRATIONS_GRPC_METADATA_CARRIER_H
