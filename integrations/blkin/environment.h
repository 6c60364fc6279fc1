// SPDX-License-Identifier: Apache-2.0
// Makes the tracer that the environment configures:
//
//   TRACEKIN_CONFIG    the path of a JSON configuration (docs/configuration.md); the environment
//                      variables in that document override it
//   without it         only those variables, if they specify a destination for spans
#ifndef TRACEKIN_INTEGRATIONS_BLKIN_ENVIRONMENT_H
#define TRACEKIN_INTEGRATIONS_BLKIN_ENVIRONMENT_H

#include <memory>
#include <string>

#include "tracekin/tracer.h"

namespace tracekin::blkin {

/// Returns nullptr and leaves `error` unchanged if the environment does not configure a tracer.
/// Returns nullptr and puts the reason into `error` if the tracer cannot be made. The default
/// service name is the program's name. May throw std::bad_alloc. Any thread may call this as long
/// as no other thread changes the environment.
std::shared_ptr<Tracer> TracerOfEnvironment(std::string* error);

}  // namespace tracekin::blkin

#endif  // TRACEKIN_INTEGRATIONS_BLKIN_ENVIRONMENT_H
