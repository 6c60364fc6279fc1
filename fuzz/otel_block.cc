// SPDX-License-Identifier: Apache-2.0
// Decodes Ceph's OpenTelemetry block.
#include "propagation/otel_block.h"

#include <string>

#include "fuzz/check.h"
#include "fuzz/input.h"
#include "tests/propagation/carriers.h"

namespace {

using namespace tracekin;
using namespace tracekin::propagation;

void CheckRoundTrip(const propagation::Context& context, std::string_view block) {
  char written[propagation::kOtelBlockBytes];
  propagation::WriteOtelBlock(context, written);
  const std::string_view again(written, propagation::OtelBlockBytes(context));
  CHECK(again.size() ==
        (context.sampled() ? propagation::kOtelBlockBytes : propagation::kEmptyOtelBlockBytes));
  if (!context.sampled()) return;
  CHECK(again.substr(0, propagation::kOtelBlockBytes - 1) ==
        block.substr(0, propagation::kOtelBlockBytes - 1));
  propagation::Context read;
  const auto found = propagation::ReadOtelBlock(again, &read);
  CHECK(found && *found && read == context);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = Input(data, size).rest();
  const std::size_t found = propagation::FindOtelBlock(bytes);
  CHECK(found == 0 || found == propagation::kEmptyOtelBlockBytes ||
        found == propagation::kOtelBlockBytes);
  CHECK(found <= bytes.size());

  propagation::Context context;
  const auto read = propagation::ReadOtelBlock(bytes, &context);
  CHECK(!read || found == bytes.size());
  if (read && *read) {
    CHECK(context.has_ids() && context.has_decision());
    CheckRoundTrip(context, bytes);
  } else {
    CHECK(context == propagation::Context{});
  }
  return 0;
}
