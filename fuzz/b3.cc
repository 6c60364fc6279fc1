// SPDX-License-Identifier: Apache-2.0
// B3 in headers: everything that one of its two forms contains can be written in the other.
#include "fuzz/headers.h"

namespace {

using namespace tracekin;
using namespace tracekin::propagation;

void CheckFormat(const std::string& format, const Entries& headers) {
  CheckAskedAsIterated({format}, headers);
  const Extracted extracted = CheckedExtract({format}, headers);
  if (!extracted.found) return;
  CHECK(extracted.context.has_ids() || extracted.context.has_decision());
  for (const char* other : {"b3", "b3multi"}) {
    const Extracted again = CheckedExtract({other}, CheckedInject(other, extracted.context));
    CHECK(again.found && again.context == extracted.context);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const Entries headers = TakeHeaders(&input);
  CheckFormat("b3", headers);
  CheckFormat("b3multi", headers);
  return 0;
}
