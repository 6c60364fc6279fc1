// SPDX-License-Identifier: Apache-2.0
// Fronts of Ceph's messages. The first byte selects the rest of the input: a front of any type, or
// the fields of a front that is built here after Ceph's own encoders, in which the place of the
// trace must be found.
#include "propagation/ceph_message.h"

#include <string>
#include <string_view>

#include "fuzz/check.h"
#include "fuzz/context.h"
#include "fuzz/input.h"
#include "propagation/otel_block.h"
#include "tests/propagation/carriers.h"
#include "tests/propagation/heap_bytes.h"

namespace {

using namespace tracekin;
using namespace tracekin::propagation;

constexpr std::size_t kIdsBytes = 24;

struct Message {
  CephMessageHeader header;
  unsigned op_version;  // version of the struct in an erasure-coded operation
};

constexpr Message kMessages[] = {
    {{kCephOsdOp, 8}, 0},        {{kCephOsdOp, 9}, 0},
    {{kCephOsdOpReply, 8}, 0},   {{kCephRepOp, 2}, 0},
    {{kCephRepOp, 3}, 0},        {{kCephRepOpReply, 2}, 0},
    {{kCephEcSubOpWrite, 2}, 4}, {{kCephEcSubOpWriteReply, 2}, 1},
    {{kCephEcSubOpRead, 3}, 3},  {{kCephEcSubOpReadReply, 2}, 1},
};

// Writes fields as Ceph does. Bytes with a fixed value get that value, and all others are read from
// the input.
class FrontBuilder {
 public:
  explicit FrontBuilder(Input* input) : input_(input) {}

  void Any(std::size_t size) {
    const std::string_view bytes = input_->TakeBytes(size);
    front.append(bytes).append(size - bytes.size(), '\0');
  }
  void Fixed(std::string_view hex) { front += FromHex(hex); }
  void U32(std::size_t value) {
    for (int shift = 0; shift < 32; shift += 8) front += static_cast<char>(value >> shift);
  }
  void Name() { Sized(input_->Take<std::uint8_t>()); }
  void Struct(unsigned known) {
    const unsigned compatible = 1 + input_->Take<std::uint8_t>() % known;
    front += static_cast<char>(compatible + input_->Take<std::uint8_t>() % (256 - compatible));
    front += static_cast<char>(compatible);
    Sized(input_->Take<std::uint8_t>());
  }
  void Pg() {
    Fixed("01");
    Any(12);
    Fixed("ffffffff");
  }
  void ShardedPg() {
    Fixed("0101 12000000");
    Pg();
    Any(1);
  }
  void RequestId() {
    Fixed("0202 15000000");
    Any(21);
  }
  void Ids() {
    place.ids = front.size();
    Any(kIdsBytes);
  }
  void Otel() {
    place.otel = front.size();
    const bool full = input_->TakeBool();
    Fixed(full ? "0101 1a000000 01" : "0101 01000000 00");
    if (full) Any(16 + 8 + 1);
    place.otel_size = front.size() - place.otel;
  }

  std::string front;
  propagation::CephTracePlace place;

 private:
  void Sized(std::size_t size) {
    U32(size);
    Any(size);
  }

  Input* const input_;
};

void BuildOp(bool with_otel, FrontBuilder* to) {
  to->ShardedPg();
  to->Any(12);
  to->RequestId();
  to->Ids();
  if (with_otel) to->Otel();
  to->Any(12);
  to->Struct(6);
  to->Name();
}

void BuildOpReply(Input* input, FrontBuilder* to) {
  to->Name();
  to->Pg();
  to->Any(28);
  const std::size_t ops = input->Take<std::uint8_t>();
  to->U32(ops);
  to->Any(38 * ops + 4 + 4 * ops + 20);
  const bool redirect = input->TakeBool();
  to->Fixed(redirect ? "01" : "00");
  if (redirect) to->Struct(1);
  to->Ids();
}

void BuildRepOp(FrontBuilder* to) {
  to->Any(8);
  to->Ids();
  to->RequestId();
  to->ShardedPg();
}

void BuildEcSubOp(unsigned version, FrontBuilder* to) {
  to->ShardedPg();
  to->Any(4);
  to->Struct(version);
  to->Any(4);
  to->Ids();
}

std::string Build(const Message& message, Input* input) {
  FrontBuilder builder(input);
  switch (message.header.type) {
    case kCephOsdOp:
      BuildOp(message.header.version == 9, &builder);
      break;
    case kCephOsdOpReply:
      BuildOpReply(input, &builder);
      break;
    case kCephRepOp:
    case kCephRepOpReply:
      BuildRepOp(&builder);
      break;
    default:
      BuildEcSubOp(message.op_version, &builder);
  }
  const bool ends_with_ids = builder.place.ids + kIdsBytes == builder.front.size();
  if (!ends_with_ids) builder.front += input->rest();
  const auto place = propagation::FindCephTrace(message.header, HeapBytes(builder.front));
  CHECK(place);
  CHECK(place->ids == builder.place.ids && place->otel == builder.place.otel &&
        place->otel_size == builder.place.otel_size);
  return builder.front;
}

// Returns the front without the bytes of the context.
std::string Rest(const propagation::CephTracePlace& place, std::string front) {
  if (place.otel_size != 0) {
    CHECK(place.otel >= place.ids + kIdsBytes);
    front.erase(place.otel, place.otel_size);
  }
  return front.erase(place.ids, kIdsBytes);
}

// Returns the parts of `context` that a message can represent.
propagation::Context Carried(propagation::Context context, bool with_otel) {
  if (!context.sampled() || !context.has_ids()) return {};
  context.decision = propagation::Decision::kAccept;
  if (with_otel) {
    if (context.trace_id_low == 0) context.parent_span_id = 0;
    return context;
  }
  if (context.trace_id_low == 0) return {};
  context.trace_id_high = 0;
  context.random_trace_id = false;
  return context;
}

void CheckRead(CephMessageHeader header, const std::string& front) {
  propagation::Context context;
  const auto found = propagation::ReadCephTrace(header, HeapBytes(front), &context);
  if (found && *found) {
    CHECK(context.has_ids());
    CHECK(context.decision == propagation::Decision::kAccept ||
          context.decision == propagation::Decision::kDeny);
  } else {
    CHECK(context == propagation::Context{});
  }
}

void CheckWrite(const propagation::Context& context, CephMessageHeader header,
                const std::string& front) {
  std::string stamped = front;
  const auto done = propagation::WriteCephTrace(context, header, &stamped);
  const auto before = propagation::FindCephTrace(header, HeapBytes(front));
  if (!before) {
    CHECK(!done && done.error() == before.error());
    CHECK(stamped == front);
    return;
  }
  CHECK(done);
  const auto after = propagation::FindCephTrace(header, HeapBytes(stamped));
  CHECK(after && after->ids == before->ids && after->otel == before->otel);
  CHECK((after->otel_size != 0) == (before->otel_size != 0));
  CHECK(Rest(*after, stamped) == Rest(*before, front));

  const propagation::Context carried = Carried(context, after->otel_size != 0);
  propagation::Context read;
  const auto found = propagation::ReadCephTrace(header, HeapBytes(stamped), &read);
  CHECK(found && *found == carried.has_ids());
  CHECK(read == carried);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const bool build = input.TakeBool();
  CephMessageHeader header{input.Take<std::uint8_t>(), input.Take<std::uint8_t>()};
  const propagation::Context context = TakeContext(&input);
  std::string front;
  if (build) {
    const Message& message = kMessages[header.type % std::size(kMessages)];
    header = message.header;
    front = Build(message, &input);
  } else {
    front = input.rest();
  }
  CheckRead(header, front);
  CheckWrite(context, header, front);
  CheckWrite({}, header, front);
  return 0;
}
