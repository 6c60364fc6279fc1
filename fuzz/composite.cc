// SPDX-License-Identifier: Apache-2.0
// Several formats at once, named in the first line, against each of them alone.
#include "propagation/propagation.h"

#include "base/ascii.h"
#include "fuzz/headers.h"
#include "propagation/propagator.h"
#include "propagation/text_lookup.h"

namespace {

using namespace tracekin;
using namespace tracekin::propagation;

std::vector<std::string> TakeFormats(Input* input) {
  std::vector<std::string> formats;
  for (std::string_view line = input->TakeLine(); !line.empty();) {
    const std::string name(NextPart(',', &line));
    const bool again = std::find(formats.begin(), formats.end(), name) != formats.end();
    if (!again && propagation::MakePropagator(name) != nullptr) formats.push_back(name);
  }
  return formats;
}

// Implements the rules of docs/wire-formats.md, "Several formats".
Extracted Expected(const std::vector<std::string>& formats, const TestCarrier& carrier) {
  propagation::Context read;
  bool found = false;
  bool corrupted = false;
  propagation::ContextExtras extras;
  for (const std::string& name : formats) {
    propagation::TextLookup lookup(carrier);
    const auto format = propagation::MakePropagator(name);
    format->ExtractBaggage(&lookup, &extras.baggage);
    propagation::Context one;
    std::string tracestate;
    const propagation::Extraction extraction = read.has_ids()
                                                   ? propagation::Extraction::kNothing
                                                   : format->Extract(&lookup, &one, &tracestate);
    if (extraction == propagation::Extraction::kCorrupted) corrupted = true;
    if (extraction != propagation::Extraction::kFound) continue;
    found = true;
    if (read.has_decision()) one.decision = read.decision;
    read = one;
    if (one.has_ids()) extras.tracestate = tracestate;
  }
  Extracted expected;
  if (!found && corrupted) {
    expected.error = opentracing::span_context_corrupted_error;
    return expected;
  }
  const bool has_extras = !extras.baggage.empty() || !extras.tracestate.empty();
  expected.found = found || has_extras;
  expected.context =
      has_extras ? WithExtras(read, extras.baggage, extras.tracestate) : std::move(read);
  return expected;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const std::vector<std::string> formats = TakeFormats(&input);
  const Entries headers = TakeHeaders(&input);
  CheckAskedAsIterated(formats, headers);
  const Extracted extracted = CheckedExtract(formats, headers);
  const Extracted expected = Expected(formats, TestCarrier(headers));
  CHECK(extracted.found == expected.found && extracted.error == expected.error);
  CHECK(extracted.context == expected.context);

  TestCarrier written;
  CHECK(MakePropagation(formats)->Inject(extracted.context, written));
  CheckedExtract(formats, written.entries);
  return 0;
}
