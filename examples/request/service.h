// SPDX-License-Identifier: Apache-2.0
// Code that the three programs share: how each gets its tracer, and how a server runs.
#ifndef TRACEKIN_EXAMPLES_REQUEST_SERVICE_H
#define TRACEKIN_EXAMPLES_REQUEST_SERVICE_H

#include <grpcpp/grpcpp.h>
#include <tracekin/tracer.h>

#include <memory>
#include <string>

/// Makes a tracer from the TRACEKIN_... environment variables and makes it the global one. Ends the
/// program if they are missing or not valid.
std::shared_ptr<tracekin::Tracer> MakeTracerOrExit();

/// Makes a channel on which each call has a span, a child of the span that is active where the call
/// is made. Connects immediately, and ends the program if that takes more than 10 s.
std::shared_ptr<grpc::Channel> ConnectOrExit(const std::string& address,
                                             const std::shared_ptr<tracekin::Tracer>& tracer);

/// Serves at `address` until SIGTERM or SIGINT; each call has a span. BlockEndSignals must be
/// called before any thread is started.
void Serve(const std::string& address, grpc::Service* service,
           const std::shared_ptr<tracekin::Tracer>& tracer);
void BlockEndSignals();

#endif  // TRACEKIN_EXAMPLES_REQUEST_SERVICE_H
