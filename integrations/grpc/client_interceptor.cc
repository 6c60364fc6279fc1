// SPDX-License-Identifier: Apache-2.0
// The client's side: one interceptor a call, made by a factory that the channel owns.
//
// gRPC calls an interceptor from several threads at a time when the application writes, reads and
// waits for the status of one call in different ones.
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
    // Where the metadata waits for the first message (set_initial_metadata_corked), a call may have
    // been cancelled before it began: started_ is what tells this thread that span_ is there.
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
      // A tracer that cannot write its context has told so in the result, for which nobody waits.
      (void)tracer_->Inject(span_->span().context(), MetadataWriter(*metadata));
    } catch (...) {
      // Out of memory: the server begins a trace of its own.
    }
  }

  const opentracing::SpanContext* Parent() const noexcept {
    try {
      const auto* parent = options_.parent ? options_.parent(*context_) : nullptr;
      if (parent != nullptr) return parent;
    } catch (...) {
      // As documented: an exception leaves the choice to the active span.
    }
    const opentracing::Span* active = ActiveSpan();
    return active != nullptr ? &active->context() : nullptr;
  }

  const std::shared_ptr<const opentracing::Tracer> tracer_;
  const GrpcClientOptions& options_;  // The channel's, which the call keeps alive.
  const ::grpc::ClientContext* const context_;
  const std::string
      method_;  // A copy: a generic stub's string may be gone when the call is started.
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

  // Not nullptr for a call without a span: gRPC does not expect that of a factory that is
  // registered with RegisterGlobalClientInterceptorFactory().
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
