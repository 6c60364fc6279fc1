// SPDX-License-Identifier: Apache-2.0
// usage: with_grpc FILE
// Makes gRPC interceptors for a tracer that writes to FILE.
#include <tracekin/grpc.h>
#include <tracekin/tracer.h>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  tracekin::Options options;
  options.service_name = "with_grpc";
  options.exporter.path = argv[1];
  const std::shared_ptr<tracekin::Tracer> tracer = tracekin::MakeTracer(options);
  return tracer != nullptr && tracekin::MakeGrpcClientInterceptorFactory(tracer) != nullptr &&
                 tracekin::MakeGrpcServerInterceptorFactory(tracer) != nullptr
             ? 0
             : 1;
}
