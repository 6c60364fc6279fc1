// SPDX-License-Identifier: Apache-2.0
// What the three programs have in common: how each gets its tracer, and how a server runs.
#ifndef TRACEKIN_EXAMPLES_REQUEST_SERVICE_H
#define TRACEKIN_EXAMPLES_REQUEST_SERVICE_H

#include <grpcpp/grpcpp.h>
#include <tracekin/tracer.h>

#include <memory>
#include <string>

/// A tracer with the settings of the environment (TRACEKIN_...); it also becomes the global one.
/// Ends the program if there are none or they are wrong.
std::shared_ptr<tracekin::Tracer> MakeTracerOrExit();

/// A channel on which each call has a span, a child of the span that is active where the call is
/// made. Connects at once, and ends the program if that takes more than 10 s.
std::shared_ptr<grpc::Channel> ConnectOrExit(const std::string& address,
                                             const std::shared_ptr<tracekin::Tracer>& tracer);

/// Serves at `address`, each call with a span, until SIGTERM or SIGINT. Call BlockEndSignals before
/// any thread is started.
void Serve(const std::string& address, grpc::Service* service,
           const std::shared_ptr<tracekin::Tracer>& tracer);
void BlockEndSignals();

#endif  // TRACEKIN_EXAMPLES_REQUEST_SERVICE_H
