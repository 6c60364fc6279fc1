// SPDX-License-Identifier: Apache-2.0
// The server side: one interceptor per call, made by a factory that the server owns.
//
// In the synchronous and the callback API, gRPC runs the method's handler inside the Proceed() of
// the first hook, so that a Scope around that Proceed() covers the handler. With a completion queue
// Proceed() only queues the application's tag.
//
// There is no hook for a cancelled call. But when POST_RECV_CLOSE comes before PRE_SEND_STATUS, the
// client no longer waits for the status. If the handler then does not send one, the destructor
// finishes the span.
#include <grpcpp/server_context.h>
#include <opentracing/ext/tags.h>

#include <atomic>
#include <chrono>
#include <string>
#include <utility>

#include "integrations/grpc/metadata_carrier.h"
#include "integrations/grpc/rpc_span.h"
#include "tracekin/grpc.h"
#include "tracekin/scope.h"

namespace tracekin {
namespace {

using ::grpc::Status;
using ::grpc::StatusCode;
using ::grpc::experimental::InterceptionHookPoints;
using ::grpc::experimental::Interceptor;
using ::grpc::experimental::InterceptorBatchMethods;
using ::grpc::experimental::ServerInterceptorFactoryInterface;
using ::grpc::experimental::ServerRpcInfo;

// A server context cannot store our data except in its metadata, which an interceptor may extend.
// So a call's span is an entry there, recognized by the address of its key, which no peer can send.
// Key and value are legal metadata because some applications forward everything that they have
// received.
constexpr char kSpanKey[] = "tracekin-server-span";

struct SpanEntry {
  char value[6] = "local";  // First, so that a pointer to it is a pointer to the entry.
  opentracing::Span* span = nullptr;
};

class ServerInterceptor final : public Interceptor {
 public:
  ServerInterceptor(ServerRpcInfo* info, std::shared_ptr<const opentracing::Tracer> tracer)
      : tracer_(std::move(tracer)), info_(info) {}

  ~ServerInterceptor() override {
    if (span_ != nullptr) Finish({StatusCode::CANCELLED, "the handler did not send a status"});
  }

  void Intercept(InterceptorBatchMethods* methods) override {
    using Hook = InterceptionHookPoints;
    if (methods->QueryInterceptionHookPoint(Hook::POST_RECV_INITIAL_METADATA)) {
      Start(methods->GetRecvInitialMetadata());
      // A synchronous call, including this object, is destroyed before Proceed() returns.
      if (const std::shared_ptr<RpcSpan> span = span_) {
        Scope scope(span->span());
        methods->Proceed();
        return;
      }
    } else if (span_ != nullptr) {
      if (methods->QueryInterceptionHookPoint(Hook::POST_RECV_CLOSE)) NoteCancelled();
      if (methods->QueryInterceptionHookPoint(Hook::PRE_SEND_STATUS)) {
        const auto* context = dynamic_cast<::grpc::CallbackServerContext*>(info_->server_context());
        if (context != nullptr && context->IsCancelled()) NoteCancelled();
        Finish(methods->GetSendStatus());
      }
    }
    methods->Proceed();
  }

 private:
  void Start(MetadataReader::Metadata* metadata) noexcept try {
    if (metadata == nullptr || span_ != nullptr) return;
    const auto parent = tracer_->Extract(MetadataReader(*metadata));
    span_ = RpcSpan::Start(tracer_, info_->method(), opentracing::ext::span_kind_rpc_server,
                           parent ? parent->get() : nullptr);
    if (span_ == nullptr) return;
    if (!parent) {
      span_->span().Log({{"event", "propagation"}, {"message", parent.error().message()}});
    }
    deadline_ = info_->server_context()->deadline();
    entry_.span = &span_->span();
    metadata->emplace(::grpc::string_ref(kSpanKey), ::grpc::string_ref(entry_.value));
  } catch (...) {
    // Out of memory. The call continues, with or without a span.
  }

  void NoteCancelled() noexcept { cancelled_.store(true, std::memory_order_relaxed); }

  // The deadline and a cancellation override the handler's status, because the client sees them.
  void Finish(const Status& status) noexcept try {
    StatusCode code = status.error_code();
    if (std::chrono::system_clock::now() >= deadline_) {
      code = StatusCode::DEADLINE_EXCEEDED;
    } else if (cancelled_.load(std::memory_order_relaxed)) {
      code = StatusCode::CANCELLED;
    }
    if (code == status.error_code()) return span_->Finish(status);
    span_->Finish({code, "status sent too late: " + StatusCodeName(status.error_code()) + ' ' +
                             status.error_message()});
  } catch (...) {
    span_->Finish(Status::CANCELLED);
  }

  const std::shared_ptr<const opentracing::Tracer> tracer_;
  ServerRpcInfo* const info_;
  std::shared_ptr<RpcSpan> span_;
  SpanEntry entry_;
  std::chrono::system_clock::time_point deadline_ = std::chrono::system_clock::time_point::max();
  std::atomic<bool> cancelled_{false};
};

class ServerInterceptorFactory final : public ServerInterceptorFactoryInterface {
 public:
  ServerInterceptorFactory(std::shared_ptr<const opentracing::Tracer> tracer,
                           GrpcServerOptions options)
      : tracer_(std::move(tracer)), options_(std::move(options)) {}

  Interceptor* CreateServerInterceptor(ServerRpcInfo* info) override try {
    if (tracer_ == nullptr) return nullptr;
    if (options_.filter && !options_.filter(info->method())) return nullptr;
    return new ServerInterceptor(info, tracer_);
  } catch (...) {
    return nullptr;
  }

 private:
  const std::shared_ptr<const opentracing::Tracer> tracer_;
  const GrpcServerOptions options_;
};

}  // namespace

std::unique_ptr<ServerInterceptorFactoryInterface> MakeGrpcServerInterceptorFactory(
    std::shared_ptr<opentracing::Tracer> tracer, GrpcServerOptions options) {
  return std::make_unique<ServerInterceptorFactory>(std::move(tracer), std::move(options));
}

opentracing::Span* GrpcServerSpan(const ::grpc::ServerContextBase& context) noexcept try {
  const auto entries = context.client_metadata().equal_range(kSpanKey);
  for (auto entry = entries.first; entry != entries.second; ++entry) {
    if (entry->first.data() == kSpanKey) {
      return reinterpret_cast<const SpanEntry*>(entry->second.data())->span;
    }
  }
  return nullptr;
} catch (...) {
  // Out of memory. The context builds its map of the metadata on the first call.
  return nullptr;
}

}  // namespace tracekin
