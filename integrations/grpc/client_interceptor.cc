// SPDX-License-Identifier: Apache-2.0
// The client side: one interceptor per call, made by a factory that the channel owns.
//
// gRPC calls an interceptor from several threads at the same time when the application writes,
// reads and waits for the status of one call in different threads.
#include <grpcpp/client_context.h>
#include <opentracing/ext/tags.h>

#include <atomic>
#include <string>
#include <utility>

#include "integrations/grpc/metadata_carrier.h"
#include "integrations/grpc/rpc_span.h"
#include "tracekin/grpc.h"
#include "tracekin/scope.h"

namespace tracekin {
namespace {

using ::grpc::experimental::ClientInterceptorFactoryInterface;
using ::grpc::experimental::ClientRpcInfo;
using ::grpc::experimental::InterceptionHookPoints;
using ::grpc::experimental::Interceptor;
using ::grpc::experimental::InterceptorBatchMethods;

class ClientInterceptor final : public Interceptor {
 public:
  ClientInterceptor(ClientRpcInfo* info, std::shared_ptr<const opentracing::Tracer> tracer,
                    const GrpcClientOptions& options)
      : tracer_(std::move(tracer)),
        options_(options),
        context_(info->client_context()),
        method_(info->method()) {}

  void Intercept(InterceptorBatchMethods* methods) override {
    if (methods->QueryInterceptionHookPoint(InterceptionHookPoints::PRE_SEND_INITIAL_METADATA)) {
      Start(methods->GetSendInitialMetadata());
    }
    // With set_initial_metadata_corked the metadata waits for the first message, so a call may be
    // cancelled before it begins. started_ shows this thread whether span_ exists.
    if (methods->QueryInterceptionHookPoint(InterceptionHookPoints::POST_RECV_STATUS) &&
        started_.load(std::memory_order_acquire)) {
      if (const ::grpc::Status* status = methods->GetRecvStatus()) span_->Finish(*status);
    }
    methods->Proceed();
  }

 private:
  void Start(MetadataWriter::Metadata* metadata) noexcept {
    if (metadata == nullptr || span_ != nullptr) return;
    span_ = RpcSpan::Start(tracer_, method_, opentracing::ext::span_kind_rpc_client, Parent());
    if (span_ == nullptr) return;
    started_.store(true, std::memory_order_release);
    try {
      // Ignores an error, because the call can continue without a context.
      (void)tracer_->Inject(span_->span().context(), MetadataWriter(*metadata));
    } catch (...) {
      // Out of memory. The server will start a new trace.
    }
  }

  const opentracing::SpanContext* Parent() const noexcept {
    try {
      const auto* parent = options_.parent ? options_.parent(*context_) : nullptr;
      if (parent != nullptr) return parent;
    } catch (...) {
      // As documented, the active span is used if `parent` throws.
    }
    const opentracing::Span* active = ActiveSpan();
    return active != nullptr ? &active->context() : nullptr;
  }

  const std::shared_ptr<const opentracing::Tracer> tracer_;
  const GrpcClientOptions& options_;  // Owned by the channel's factory, which the call keeps alive.
  const ::grpc::ClientContext* const context_;
  // A copy, because a generic stub may free its string before the call is started.
  const std::string method_;
  std::shared_ptr<RpcSpan> span_;
  std::atomic<bool> started_{false};
};

class PassThrough final : public Interceptor {
 public:
  void Intercept(InterceptorBatchMethods* methods) override { methods->Proceed(); }
};

class ClientInterceptorFactory final : public ClientInterceptorFactoryInterface {
 public:
  ClientInterceptorFactory(std::shared_ptr<const opentracing::Tracer> tracer,
                           GrpcClientOptions options)
      : tracer_(std::move(tracer)), options_(std::move(options)) {}

  // Never returns nullptr, because gRPC does not allow that for a factory that is registered with
  // RegisterGlobalClientInterceptorFactory().
  Interceptor* CreateClientInterceptor(ClientRpcInfo* info) override {
    if (tracer_ == nullptr || !Wanted(info->method())) return new PassThrough;
    return new ClientInterceptor(info, tracer_, options_);
  }

 private:
  bool Wanted(const char* method) const noexcept try {
    return !options_.filter || options_.filter(method);
  } catch (...) {
    return false;
  }

  const std::shared_ptr<const opentracing::Tracer> tracer_;
  const GrpcClientOptions options_;
};

}  // namespace

std::unique_ptr<ClientInterceptorFactoryInterface> MakeGrpcClientInterceptorFactory(
    std::shared_ptr<opentracing::Tracer> tracer, GrpcClientOptions options) {
  return std::make_unique<ClientInterceptorFactory>(std::move(tracer), std::move(options));
}

}  // namespace tracekin
