// SPDX-License-Identifier: Apache-2.0
// Span contexts inside Ceph's messages between clients and OSDs, and between OSDs.
//
// Since Luminous (12.0.3) eight types of messages hold BlkKin's three ids in their front, whether Ceph
// was built to use them or not; MOSDOp since Squid (19.2) an OpenTelemetry context as well. Where they
// are follows from the type and the version in the message's header (struct ceph_msg_header):
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
// Errors, for every function and carrier here: std::errc::not_supported for any other type or version;
// span_context_corrupted_error if the front's fields are not what they are in such a message, or the
// context is none. A front is then left as it is. What else carriers have in common is said in
// tracekin/carriers.h; docs/ceph.md has an example.
//
// Ownership: carriers borrow the front. Thread-safety: functions of their arguments.
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

/// The types that hold a context.
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

/// What a message's header says of it, in the order of the host.
struct CephMessageHeader {
  std::uint16_t type;
  std::uint16_t version;
};

/// Puts `context` into `front`, or takes the one that is there out if `context` is not sampled. In
/// MOSDOp version 9 that makes the front 25 bytes longer or shorter if it had no context before, or has
/// none after: its length in the message's header must follow, as must the checksums of both.
TRACEKIN_API opentracing::expected<void> InjectCeph(const opentracing::SpanContext& context,
                                                    CephMessageHeader header,
                                                    std::string* front) noexcept;

/// Of MOSDOp version 9 the OpenTelemetry context, if that is sampled; else BlkKin's, if there is one.
TRACEKIN_API ExtractedContext ExtractCeph(CephMessageHeader header, const void* front,
                                          std::size_t size) noexcept;

/// InjectCeph for Tracer::Inject.
class TRACEKIN_API CephWriter final : public opentracing::CustomCarrierWriter {
 public:
  CephWriter(CephMessageHeader header, std::string* front) noexcept;

  opentracing::expected<void> Inject(const opentracing::Tracer& tracer,
                                     const opentracing::SpanContext& context) const override;

 private:
  const CephMessageHeader header_;
  std::string* const front_;
};

/// ExtractCeph for Tracer::Extract.
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
