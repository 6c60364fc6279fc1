// SPDX-License-Identifier: Apache-2.0
// The span of one call, which is started with the method and finished once with the status.
//
// It owns its span and keeps the tracer alive, which might otherwise be destroyed before the last
// call. Thread-safety: any thread may call any method at any time.
#ifndef TRACEKIN_INTEGRATIONS_GRPC_RPC_SPAN_H
#define TRACEKIN_INTEGRATIONS_GRPC_RPC_SPAN_H

#include <grpcpp/support/status.h>
#include <opentracing/tracer.h>

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace tracekin {

class RpcSpan {
 public:
  /// Starts a span. `method` is "/package.Service/Method", as gRPC writes it. `kind` is a value of
  /// the tag span.kind. `parent` may be nullptr. Returns nullptr if the tracer does not return a
  /// span or memory runs out.
  static std::shared_ptr<RpcSpan> Start(std::shared_ptr<const opentracing::Tracer> tracer,
                                        std::string_view method, opentracing::string_view kind,
                                        const opentracing::SpanContext* parent) noexcept;

  RpcSpan(std::shared_ptr<const opentracing::Tracer> tracer,
          std::unique_ptr<opentracing::Span> span) noexcept
      : tracer_(std::move(tracer)), span_(std::move(span)) {}

  /// Finishes a call without a status as CANCELLED, like gRPC, because it was abandoned.
  ~RpcSpan() {
    Finish({::grpc::StatusCode::CANCELLED, "the call was abandoned before it had a status"});
  }

  RpcSpan(const RpcSpan&) = delete;
  RpcSpan& operator=(const RpcSpan&) = delete;

  opentracing::Span& span() noexcept { return *span_; }
  const opentracing::Tracer& tracer() const noexcept { return *tracer_; }

  /// Tags the span with `status` and finishes it. Only the first call has an effect.
  void Finish(const ::grpc::Status& status) noexcept;

 private:
  const std::shared_ptr<const opentracing::Tracer> tracer_;
  const std::unique_ptr<opentracing::Span> span_;  // Destroyed before its tracer.
  std::atomic<bool> finished_{false};
};

/// Returns the name of `code` in gRPC's specification, like "OK" or "DEADLINE_EXCEEDED", or its
/// number if the specification does not list it.
std::string StatusCodeName(::grpc::StatusCode code);

}  // namespace tracekin

#endif  // TRACEKIN_INTEGRATIONS_GRPC_RPC_SPAN_H
