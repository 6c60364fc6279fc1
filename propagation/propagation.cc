// SPDX-License-Identifier: Apache-2.0
#include "propagation/propagation.h"

#include <cxxabi.h>

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

#include "propagation/text_lookup.h"

namespace tracekin::propagation {

namespace {

using opentracing::expected;
using opentracing::make_unexpected;

// Makes the formats that are listed under `key` of the configuration.
bool MakeAll(const char* key, const std::vector<std::string>& names,
             std::vector<std::unique_ptr<Propagator>>* formats, std::string* error) {
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (std::find(names.begin(), name, *name) != name) {
      *error = std::string(key) + ": \"" + *name + "\" is listed twice";
      return false;
    }
    formats->push_back(MakePropagator(*name));
    if (formats->back() == nullptr) {
      *error = std::string(key) + ": \"" + *name + "\" is not a known format; known formats:";
      for (const std::string_view known : PropagatorNames()) error->append(" ").append(known);
      return false;
    }
  }
  return true;
}

// Keeps exceptions of the carrier from reaching the application.
template <typename Call>
auto WithoutExceptions(Call call) -> decltype(call()) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return make_unexpected(std::make_error_code(std::errc::not_enough_memory));
  } catch (const abi::__forced_unwind&) {
    throw;  // a thread that is cancelled within the carrier must exit
  } catch (...) {
    return make_unexpected(std::make_error_code(std::errc::io_error));
  }
}

}  // namespace

std::unique_ptr<Propagation> Propagation::Make(const std::vector<std::string>& inject,
                                               const std::vector<std::string>& extract,
                                               std::string* error) {
  std::unique_ptr<Propagation> result(new Propagation);
  if (!MakeAll("propagation.inject", inject, &result->inject_, error) ||
      !MakeAll("propagation.extract", extract, &result->extract_, error)) {
    return nullptr;
  }
  return result;
}

expected<void> Propagation::Inject(const Context& context,
                                   const opentracing::TextMapWriter& carrier) const {
  return WithoutExceptions([&]() -> expected<void> {
    for (const auto& format : inject_) {
      auto done = format->Inject(context, carrier);
      if (!done) return done;
    }
    return {};
  });
}

expected<bool> Propagation::Extract(const opentracing::TextMapReader& carrier,
                                    Context* context) const {
  return WithoutExceptions([&] { return Read(carrier, context); });
}

expected<bool> Propagation::Read(const opentracing::TextMapReader& carrier,
                                 Context* context) const {
  TextLookup lookup{carrier};
  Context read;
  ContextExtras extras;
  const Extraction ids = ReadIds(&lookup, &read, &extras.tracestate);
  for (const auto& format : extract_) format->ExtractBaggage(&lookup, &extras.baggage);
  if (lookup.error()) return make_unexpected(lookup.error());
  if (ids == Extraction::kCorrupted) {
    return make_unexpected(opentracing::span_context_corrupted_error);
  }
  const bool has_extras = !extras.baggage.empty() || !extras.tracestate.empty();
  if (ids == Extraction::kNothing && !has_extras) return false;
  if (has_extras) read.extras = std::make_shared<ContextExtras>(std::move(extras));
  *context = std::move(read);
  return true;
}

Extraction Propagation::ReadIds(TextLookup* carrier, Context* context,
                                std::string* tracestate) const {
  Extraction result = Extraction::kNothing;
  for (const auto& format : extract_) {
    const Decision decision = context->decision;
    const Extraction extraction = format->Extract(carrier, context, tracestate);
    if (extraction == Extraction::kFound) {
      if (decision != Decision::kDeferred) context->decision = decision;
      if (context->has_ids()) return extraction;
    }
    if (extraction != Extraction::kNothing && result != Extraction::kFound) result = extraction;
  }
  return result;
}

}  // namespace tracekin::propagation
