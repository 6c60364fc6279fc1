// SPDX-License-Identifier: Apache-2.0
// Spans for gRPC calls, on both sides, with any OpenTracing tracer.
//
//   using Factory = grpc::experimental::ServerInterceptorFactoryInterface;
//   std::vector<std::unique_ptr<Factory>> interceptors;
//   interceptors.push_back(tracekin::MakeGrpcServerInterceptorFactory(tracer));
//   builder.experimental().SetInterceptorCreators(std::move(interceptors));
//
// Each call has one span on each side, named "package.Service/Method". The context travels in the
// call's metadata, through the tracer's HTTPHeaders format. README.md of this folder lists the
// tags.
//
// While your code runs, tracekin::ActiveSpan() is:
//   client                   the call's parent is the span that is active on the thread that
//                            starts the call; open a Scope there to name another one
//   synchronous server       the server span, in the whole handler
//   callback server          the server span, in the method that returns the reactor; not in the
//                            reactor's reactions
//   completion-queue server  none: nothing tells gRPC which thread will work for the call
// Where the server span is not active, get it from GrpcServerSpan() and open a Scope.
//
// Thread-safety: everything here may be called from any thread. No call blocks, throws, or fails an
// RPC. If memory runs out or metadata cannot be read, the call continues, and its trace contains
// less information.
#ifndef TRACEKIN_GRPC_H
#define TRACEKIN_GRPC_H

#include <grpcpp/server_context.h>
#include <grpcpp/support/client_interceptor.h>
#include <grpcpp/support/server_interceptor.h>
#include <opentracing/tracer.h>

#include <functional>
#include <memory>
#include <string_view>

#include "tracekin/export.h"

namespace tracekin {

/// Selects the calls to trace. The filter receives the method as gRPC writes it,
/// "/package.Service/Method", and returns true for a call that gets a span. It is called once per
/// call, from any thread, possibly from several at the same time. An exception means false. An
/// empty function traces every call.
using GrpcFilter = std::function<bool(std::string_view method)>;

struct GrpcClientOptions {
  GrpcFilter filter;

  /// Returns a call's parent where a Scope cannot be used, for example when there is only a
  /// SpanContext. nullptr or an exception falls back to the active span. It is called on the thread
  /// that starts the call. The result is borrowed until the stub's method (or StartCall, if the API
  /// has one) returns.
  std::function<const opentracing::SpanContext*(const ::grpc::ClientContext& call)> parent;
};

struct GrpcServerOptions {
  GrpcFilter filter;
};

/// Makes the factory for CreateCustomChannelWithInterceptors(). A span begins when the call is
/// started and ends when its status arrives. If there is no tracer, calls are not changed.
TRACEKIN_API std::unique_ptr<::grpc::experimental::ClientInterceptorFactoryInterface>
MakeGrpcClientInterceptorFactory(std::shared_ptr<opentracing::Tracer> tracer,
                                 GrpcClientOptions options = {});

/// Makes the factory for ServerBuilder::experimental().SetInterceptorCreators(). A span begins when
/// the call's metadata has arrived and ends when the status is passed to gRPC. Register this
/// factory last, so that it encloses the other interceptors and sees the status after they have
/// changed it. If there is no tracer, calls are not changed.
TRACEKIN_API std::unique_ptr<::grpc::experimental::ServerInterceptorFactoryInterface>
MakeGrpcServerInterceptorFactory(std::shared_ptr<opentracing::Tracer> tracer,
                                 GrpcServerOptions options = {});

/// Returns the span of the call that `context` belongs to. Returns nullptr if there is none because
/// the call has no interceptor, was filtered out or has not begun. The span is borrowed and valid
/// while `context` lives. Do not finish it.
TRACEKIN_API opentracing::Span* GrpcServerSpan(const ::grpc::ServerContextBase& context) noexcept;

}  // namespace tracekin

#endif  // TRACEKIN_GRPC_H
