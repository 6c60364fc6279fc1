// SPDX-License-Identifier: Apache-2.0
// OpenTracing's HTTPHeaders carriers for the metadata of a gRPC call.
//
// Both borrow the metadata they are constructed with. They are not thread-safe, like the metadata
// itself.
#ifndef TRACEKIN_INTEGRATIONS_GRPC_METADATA_CARRIER_H
#define TRACEKIN_INTEGRATIONS_GRPC_METADATA_CARRIER_H

#include <grpcpp/support/string_ref.h>
#include <opentracing/propagation.h>

#include <cstddef>
#include <functional>
#include <map>
#include <string>

namespace tracekin {

/// Reads received metadata. If a key occurs several times, its first value is used.
class MetadataReader final : public opentracing::HTTPHeadersReader {
 public:
  using Metadata = std::multimap<::grpc::string_ref, ::grpc::string_ref>;

  explicit MetadataReader(const Metadata& metadata) : metadata_(metadata) {}

  /// Finds `key` in any case, because metadata keys are lower case.
  opentracing::expected<opentracing::string_view> LookupKey(
      opentracing::string_view key) const override;

  opentracing::expected<void> ForeachKey(
      std::function<opentracing::expected<void>(opentracing::string_view key,
                                                opentracing::string_view value)>
          f) const override;

 private:
  const Metadata& metadata_;
};

/// Writes metadata to send. Set omits a pair that is not legal (gRPC over HTTP/2,
/// "Custom-Metadata"), because gRPC aborts the process on illegal metadata. It also omits a pair
/// that would exceed kMaxBytes, because a server rejects a call with too much metadata. Set
/// succeeds even then, so that an omitted baggage item does not prevent the tracer from writing the
/// trace id after it.
class MetadataWriter final : public opentracing::HTTPHeadersWriter {
 public:
  using Metadata = std::multimap<std::string, std::string>;

  /// Limit for the total size of the keys and values from one writer: half of the 8 KiB that a gRPC
  /// server accepts by default (GRPC_ARG_MAX_METADATA_SIZE).
  static constexpr std::size_t kMaxBytes = 4096;

  explicit MetadataWriter(Metadata& metadata) : metadata_(metadata) {}

  /// Replaces the value that the application has set for `key`, for instance by forwarding received
  /// metadata.
  opentracing::expected<void> Set(opentracing::string_view key,
                                  opentracing::string_view value) const override;

 private:
  Metadata& metadata_;
  mutable std::size_t bytes_ = 0;
};

}  // namespace tracekin

#endif  // TRACEKIN_INTEGRATIONS_GRPC_METADATA_CARRIER_H
