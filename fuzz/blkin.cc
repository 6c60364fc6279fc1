// SPDX-License-Identifier: Apache-2.0
// BlkKin's ids in their three byte orders, and in an XSEG request.
#include "propagation/blkin.h"

#include <cerrno>
#include <cstring>
#include <string>

#include "fuzz/check.h"
#include "fuzz/context.h"
#include "fuzz/input.h"
#include "tests/propagation/carriers.h"
#include "tests/propagation/heap_bytes.h"
#include "tracekin/xseg.h"

namespace {

using namespace tracekin;
using namespace tracekin::propagation;

bool Same(const TraceInfo& a, const TraceInfo& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

void CheckContext(const TraceInfo& info) {
  propagation::Context context;
  const auto found = FromTraceInfo(info, &context);
  CHECK(found || (info.trace_id != 0 && info.span_id == 0));
  if (!found || !*found) {
    CHECK(context == propagation::Context{});
    return;
  }
  CHECK(context.has_ids() && context.decision == propagation::Decision::kAccept);
  CHECK(Same(ToTraceInfo(context), info));
}

void CheckBytes(std::string_view bytes) {
  for (const propagation::ByteOrder order :
       {propagation::ByteOrder::kBig, propagation::ByteOrder::kLittle,
        propagation::ByteOrder::kHost}) {
    const TraceInfo info = propagation::ReadTraceInfo(bytes.data(), order);
    CheckContext(info);
    const HeapBytes written{std::string(propagation::kTraceInfoBytes, '\0')};
    propagation::WriteTraceInfo(info, order, written.data());
    CHECK(written.view() == bytes);
  }
}

// Checks a request of any size, in which nothing except the ids may change.
void CheckRequest(const TraceInfo& info, std::string_view bytes) {
  const HeapBytes request(bytes);
  const std::size_t size = request.size();
  const bool has_place = size >= TRACEKIN_XSEG_SIZE;
  TraceInfo read{1, 1, 1};
  tracekin_xseg_extract(request.data(), size, &read);
  CHECK(request.view() == bytes);
  CHECK(read.trace_id == 0 || (has_place && read.span_id != 0));

  const int done = tracekin_xseg_inject(&info, request.data(), size);
  CHECK(done == (has_place ? 0 : -ENOBUFS));
  if (!has_place) {
    CHECK(request.view() == bytes);
    return;
  }
  CHECK(request.view().substr(0, TRACEKIN_XSEG_OFFSET) == bytes.substr(0, TRACEKIN_XSEG_OFFSET));
  CHECK(request.view().substr(TRACEKIN_XSEG_SIZE) == bytes.substr(TRACEKIN_XSEG_SIZE));
  const int again = tracekin_xseg_extract(request.data(), size, &read);
  const bool corrupted = info.trace_id != 0 && info.span_id == 0;
  CHECK(again == (corrupted ? -EBADMSG : 0));
  CHECK(Same(read, corrupted || info.trace_id == 0 ? TraceInfo{} : info));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  std::string ids(input.TakeBytes(propagation::kTraceInfoBytes));
  ids.resize(propagation::kTraceInfoBytes);
  CheckBytes(HeapBytes(ids));
  CheckRequest(propagation::ReadTraceInfo(ids.data(), propagation::ByteOrder::kHost), input.rest());
  return 0;
}
