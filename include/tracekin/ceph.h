// SPDX-License-Identifier: Apache-2.0
// Reads and writes span contexts in Ceph's messages between clients and OSDs, and between OSDs.
//
// Since Luminous (12.0.3) the fronts of eight message types contain BlkKin's three ids, even if
// Ceph was built without BlkKin. Since Squid (19.2) MOSDOp also contains an OpenTelemetry context.
// The offset depends on the type and the version in the message's header (struct ceph_msg_header):
//
//   type                        version   place in the front
//    42  MOSDOp                 8         byte 63
//    42  MOSDOp                 9         byte 63; the OpenTelemetry block is at byte 87
//    43  MOSDOpReply            8         the last 24 bytes
//   112  MOSDRepOp              2, 3      byte 8
//   113  MOSDRepOpReply         2         byte 8
//   108  MOSDECSubOpWrite       2         the last 24 bytes
//   109  MOSDECSubOpWriteReply  2         the last 24 bytes
//   110  MOSDECSubOpRead        3         the last 24 bytes
//   111  MOSDECSubOpReadReply   2         the last 24 bytes
//
// Every function and carrier here fails with std::errc::not_supported for any other type or
// version. It fails with span_context_corrupted_error if the fields of the front do not match such
// a message, or if the context is invalid. A front is not changed on an error. tracekin/carriers.h
// describes the rules that all carriers share. docs/ceph.md has an example.
//
// Ownership: carriers borrow the front. Thread-safety: the functions use only their arguments.
#ifndef TRACEKIN_CEPH_H
#define TRACEKIN_CEPH_H

#include <opentracing/propagation.h>
#include <opentracing/span.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "tracekin/carriers.h"
#include "tracekin/export.h"

namespace tracekin {

/// The message types that contain a context.
enum CephMessageType : std::uint16_t {
  kCephOsdOp = 42,
  kCephOsdOpReply = 43,
  kCephEcSubOpWrite = 108,
  kCephEcSubOpWriteReply = 109,
  kCephEcSubOpRead = 110,
  kCephEcSubOpReadReply = 111,
  kCephRepOp = 112,
  kCephRepOpReply = 113,
};

/// The fields of a message's header that determine the offset of its context, in host byte order.
struct CephMessageHeader {
  std::uint16_t type;
  std::uint16_t version;
};

/// Writes `context` into `front`. If `context` is not sampled, removes the context that `front`
/// contains. In MOSDOp version 9 the front becomes 25 bytes longer when it gains a context and 25
/// bytes shorter when it loses one. The caller must then update the front's length in the message's
/// header, and the checksums of the front and the header.
TRACEKIN_API opentracing::expected<void> InjectCeph(const opentracing::SpanContext& context,
                                                    CephMessageHeader header,
                                                    std::string* front) noexcept;

/// Reads the context of `front`. Prefers the OpenTelemetry context of MOSDOp version 9 if it is
/// sampled, and otherwise BlkKin's ids if there are any.
TRACEKIN_API ExtractedContext ExtractCeph(CephMessageHeader header, const void* front,
                                          std::size_t size) noexcept;

/// Calls InjectCeph from Tracer::Inject.
class TRACEKIN_API CephWriter final : public opentracing::CustomCarrierWriter {
 public:
  CephWriter(CephMessageHeader header, std::string* front) noexcept;

  opentracing::expected<void> Inject(const opentracing::Tracer& tracer,
                                     const opentracing::SpanContext& context) const override;

 private:
  const CephMessageHeader header_;
  std::string* const front_;
};

/// Calls ExtractCeph from Tracer::Extract.
class TRACEKIN_API CephReader final : public opentracing::CustomCarrierReader {
 public:
  CephReader(CephMessageHeader header, const void* front, std::size_t size) noexcept;

  ExtractedContext Extract(const opentracing::Tracer& tracer) const override;

 private:
  const CephMessageHeader header_;
  const void* const front_;
  const std::size_t size_;
};

}  // namespace tracekin

#endif  // TRACEKIN_CEPH_H
