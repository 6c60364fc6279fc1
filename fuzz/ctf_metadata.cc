// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader of metadata, in packets or as text. Any input must be either accepted or
// rejected, and accepted metadata must be able to read any bytes.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "ctf/error.h"
#include "ctf/layout.h"
#include "ctf/metadata_file.h"
#include "ctf/tsdl.h"
#include "fuzz/check.h"

namespace {

using namespace tracekin::ctf;

// Runs the program on `bytes`, in memory of exactly their size.
void RunOn(const Program& program, const std::vector<std::uint8_t>& bytes) {
  std::int64_t numbers[kScratch] = {};
  std::string_view texts[kScratch];
  Values values;
  values.number = numbers;
  values.text = texts;
  std::fill(std::begin(values.scratch), std::end(values.scratch), 0);
  const std::uint8_t* const end = bytes.data() + bytes.size();
  const std::uint8_t* const reached =
      Run(program, bytes.data(), end, reinterpret_cast<std::uintptr_t>(bytes.data()), &values);
  CHECK(reached == nullptr || (reached >= bytes.data() && reached <= end));
  for (const std::string_view text : texts) CHECK(text.size() <= bytes.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  try {
    const TraceLayout layout = LayOut(ParseMetadata(MetadataText(input)));
    // Any bytes will do, so this uses those of the metadata.
    const std::vector<std::uint8_t> bytes(data, data + std::min<std::size_t>(size, 300));
    RunOn(layout.packet_header, bytes);
    for (const auto& [id, stream] : layout.streams) {
      RunOn(stream.packet_context, bytes);
      RunOn(stream.context, bytes);
      for (const EventLayout& event : stream.events) RunOn(event.fields, bytes);
    }
  } catch (const NotUnderstood&) {
  } catch (const WrongMetadata&) {
  }
  return 0;
}
