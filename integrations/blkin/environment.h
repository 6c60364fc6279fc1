// SPDX-License-Identifier: Apache-2.0
// The tracer that the environment asks for:
//
//   TRACEKIN_CONFIG    the path of a JSON configuration (docs/configuration.md); the variables of
//                      that document go before it
//   without it         those variables, if they say where spans go
#ifndef TRACEKIN_INTEGRATIONS_BLKIN_ENVIRONMENT_H
#define TRACEKIN_INTEGRATIONS_BLKIN_ENVIRONMENT_H

#include <memory>
#include <string>

#include "tracekin/tracer.h"

namespace tracekin::blkin {

/// nullptr, and `error` left alone, if it asks for none; nullptr and the reason in `error` if it
/// asks for one that cannot be made. Its service, if none is named, is the program. May throw
/// std::bad_alloc. Any thread, as long as no other changes the environment.
std::shared_ptr<Tracer> TracerOfEnvironment(std::string* error);

}  // namespace tracekin::blkin

#endif  // TRACEKIN_INTEGRATIONS_BLKIN_ENVIRONMENT_H
