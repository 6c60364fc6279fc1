// SPDX-License-Identifier: Apache-2.0
// The span of one call: started with what is known of the method, finished once with the status.
//
// It owns its span and holds on to the tracer, which may otherwise go before the last call does.
// Thread-safety: every method may be called from any thread at any time.
#ifndef TRACEKIN_INTEGRATIONS_GRPC_RPC_SPAN_H
#define TRACEKIN_INTEGRATIONS_GRPC_RPC_SPAN_H

#include <grpcpp/support/status.h>
#include <opentracing/tracer.h>

#include <atomic>
#include <memory>
#include <string_view>

namespace tracekin {

class RpcSpan {
 public:
  /// `method` is "/package.Service/Method", as gRPC has it; `kind` is a value of the tag span.kind;
  /// `parent` may be nullptr. Returns nullptr when the tracer, or the memory, does not give a span.
  static std::shared_ptr<RpcSpan> Start(std::shared_ptr<const opentracing::Tracer> tracer,
                                        std::string_view method, opentracing::string_view kind,
                                        const opentracing::SpanContext* parent) noexcept;

  RpcSpan(std::shared_ptr<const opentracing::Tracer> tracer,
          std::unique_ptr<opentracing::Span> span) noexcept
      : tracer_(std::move(tracer)), span_(std::move(span)) {}

  /// A call that ends without a status was given up, which gRPC makes CANCELLED.
  ~RpcSpan() { Finish({::grpc::StatusCode::CANCELLED, "given up before there was a status"}); }

  RpcSpan(const RpcSpan&) = delete;
  RpcSpan& operator=(const RpcSpan&) = delete;

  opentracing::Span& span() noexcept { return *span_; }
  const opentracing::Tracer& tracer() const noexcept { return *tracer_; }

  /// Tags the span with `status` and finishes it. Only the first call has an effect.
  void Finish(const ::grpc::Status& status) noexcept;

 private:
  const std::shared_ptr<const opentracing::Tracer> tracer_;
  const std::unique_ptr<opentracing::Span> span_;  // Goes before its tracer does.
  std::atomic<bool> finished_{false};
};

/// "OK", "DEADLINE_EXCEEDED" ...: the names that gRPC's specification gives its codes; the number
/// of a code that it does not know.
std::string StatusCodeName(::grpc::StatusCode code);

}  // namespace tracekin

#endif  // TRACEKIN_INTEGRATIONS_GRPC_RPC_SPAN_H
