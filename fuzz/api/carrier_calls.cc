// SPDX-License-Identifier: Apache-2.0
// Calls that inject and extract span contexts with each kind of carrier, valid and damaged.
#include <algorithm>
#include <sstream>
#include <string>
#include <utility>

#include "fuzz/api/walk.h"
#include "fuzz/check.h"
#include "tracekin/carriers.h"
#include "tracekin/ceph.h"
#include "tracekin/xseg.h"

namespace tracekin {

namespace {

constexpr BytesFormat kFormats[] = {BytesFormat::kBlkin, BytesFormat::kCeph, BytesFormat::kHost,
                                    BytesFormat::kOtel};

/// A carrier of headers, with or without support for LookupKey.
class Carrier final : public opentracing::HTTPHeadersReader, public opentracing::HTTPHeadersWriter {
 public:
  explicit Carrier(Headers initial = {}, bool asked = false)
      : headers(std::move(initial)), asked_(asked) {}

  opentracing::expected<void> Set(opentracing::string_view key,
                                  opentracing::string_view value) const override {
    const auto printable = [](char c) { return c >= ' ' && c <= '~'; };
    CHECK(!key.empty() && std::all_of(key.begin(), key.end(), printable));
    CHECK(std::none_of(key.begin(), key.end(), [](char c) { return c == ':' || c == ' '; }));
    CHECK(std::all_of(value.begin(), value.end(), printable));
    headers.emplace_back(key, value);
    return {};
  }

  opentracing::expected<opentracing::string_view> LookupKey(
      opentracing::string_view key) const override {
    if (!asked_) return opentracing::make_unexpected(opentracing::lookup_key_not_supported_error);
    for (const auto& header : headers) {
      if (key == header.first) return opentracing::string_view{header.second};
    }
    return opentracing::make_unexpected(opentracing::key_not_found_error);
  }

  opentracing::expected<void> ForeachKey(
      std::function<opentracing::expected<void>(opentracing::string_view, opentracing::string_view)>
          visit) const override {
    for (const auto& header : headers) {
      auto done = visit(header.first, header.second);
      if (!done) return done;
    }
    return {};
  }

  mutable Headers headers;

 private:
  const bool asked_;
};

void Keep(Walk& walk, ExtractedContext extracted) {
  if (!extracted || *extracted == nullptr) return;
  (*extracted)->ToTraceID();
  (*extracted)->ToSpanID();
  walk.Keep(std::move(*extracted));
}

// Sometimes damages a message, like another process might.
void Damage(Choices* choices, std::string* text) {
  if (text->empty() || choices->OneIn(2)) return;
  (*text)[choices->Below(65536) % text->size()] = choices->Take<char>();
  if (choices->OneIn(4)) text->resize(choices->Below(65536) % (text->size() + 1));
}

void Clone(Walk& walk) {
  const auto [owner, context] = walk.AnyContext();
  if (context == nullptr) return;
  auto copy = context->Clone();
  CHECK(copy != nullptr && copy->ToSpanID() == context->ToSpanID());
  walk.Keep(std::move(copy));
}

void DropContext(Walk& walk) { walk.Keep(nullptr); }

void InjectHeaders(Walk& walk) {
  const auto tracer = walk.AnyTracer();
  const auto [owner, context] = walk.AnyContext();
  if (tracer == nullptr || context == nullptr) return;
  const Carrier carrier;
  if (walk.choices.TakeBool()) {
    tracer->Inject(*context, static_cast<const opentracing::TextMapWriter&>(carrier));
  } else {
    tracer->Inject(*context, static_cast<const opentracing::HTTPHeadersWriter&>(carrier));
  }
  walk.world.headers.Put(walk.choices.Below(8), std::make_shared<Headers>(carrier.headers));
}

void ExtractHeaders(Walk& walk) {
  const auto tracer = walk.AnyTracer();
  const auto sent = walk.world.headers.Get(walk.choices.Below(8));
  if (tracer == nullptr) return;
  Headers headers = sent == nullptr ? Headers{} : *sent;
  for (auto& [key, value] : headers) Damage(&walk.choices, &value);
  static constexpr const char* kKeys[] = {"b3",         "x-b3-traceid", "traceparent",
                                          "tracestate", "baggage",      "uber-trace-id",
                                          "uberctx-a",  "X-B3-Sampled"};
  if (walk.choices.OneIn(4)) headers.emplace_back(walk.choices.Of(kKeys), walk.choices.Text());
  const Carrier carrier(std::move(headers), walk.choices.TakeBool());
  if (walk.choices.TakeBool()) {
    Keep(walk, tracer->Extract(static_cast<const opentracing::TextMapReader&>(carrier)));
  } else {
    Keep(walk, tracer->Extract(static_cast<const opentracing::HTTPHeadersReader&>(carrier)));
  }
}

void InjectBinary(Walk& walk) {
  const auto tracer = walk.AnyTracer();
  const auto [owner, context] = walk.AnyContext();
  if (tracer == nullptr || context == nullptr) return;
  std::ostringstream out;
  tracer->Inject(*context, out);
  walk.world.bytes.Put(walk.choices.Below(8), std::make_shared<std::string>(out.str()));
}

void ExtractBinary(Walk& walk) {
  const auto tracer = walk.AnyTracer();
  const auto sent = walk.world.bytes.Get(walk.choices.Below(8));
  if (tracer == nullptr) return;
  std::string bytes = sent == nullptr ? walk.choices.Text() : *sent;
  Damage(&walk.choices, &bytes);
  std::istringstream in(bytes);
  Keep(walk, tracer->Extract(in));
}

void CarryBytes(Walk& walk) {
  const auto tracer = walk.AnyTracer();
  const auto [owner, context] = walk.AnyContext();
  if (tracer == nullptr || context == nullptr) return;
  const BytesFormat format = walk.choices.Of(kFormats);
  std::string bytes(walk.choices.Below(kMaxBytesOfFormat + 2), '\xff');
  std::size_t written = bytes.size();
  const bool done =
      tracer->Inject(*context, BytesWriter(format, bytes.data(), bytes.size(), &written))
          .has_value();
  CHECK(written <= bytes.size());
  if (done) bytes.resize(written);
  Damage(&walk.choices, &bytes);
  Keep(walk, tracer->Extract(BytesReader(format, bytes.data(), bytes.size())));
}

void CarryTraceInfo(Walk& walk) {
  const auto [owner, context] = walk.AnyContext();
  TraceInfo info{walk.choices.Number<std::int64_t>(), walk.choices.Number<std::int64_t>(),
                 walk.choices.Number<std::int64_t>()};
  if (context != nullptr) {
    const auto own = ToTraceInfo(*context);
    if (own && walk.choices.TakeBool()) info = *own;
  }
  Keep(walk, FromTraceInfo(info));
}

void CarryXseg(Walk& walk) {
  const auto tracer = walk.AnyTracer();
  const auto [owner, context] = walk.AnyContext();
  if (tracer == nullptr || context == nullptr) return;
  std::string request(TRACEKIN_XSEG_OFFSET + walk.choices.Below(64), '\xff');
  tracer->Inject(*context, XsegWriter(request.data(), request.size()));
  Damage(&walk.choices, &request);
  Keep(walk, tracer->Extract(XsegReader(request.data(), request.size())));
  tracekin_trace_info info;
  tracekin_xseg_extract(request.data(), request.size(), &info);
  tracekin_xseg_inject(&info, request.data(), request.size());
  tracekin_xseg_clear(request.data(), request.size());
  CHECK(tracekin_xseg_extract(request.data(), request.size(), &info) <= 0 && info.trace_id == 0);
}

void CarryCeph(Walk& walk) {
  const auto tracer = walk.AnyTracer();
  const auto [owner, context] = walk.AnyContext();
  if (tracer == nullptr || context == nullptr) return;
  static constexpr CephMessageHeader kHeaders[] = {
      {kCephRepOp, 2},        {kCephRepOpReply, 2}, {kCephOsdOp, 8},           {kCephOsdOp, 9},
      {kCephEcSubOpWrite, 2}, {kCephOsdOpReply, 8}, {kCephEcSubOpReadReply, 2}};
  const CephMessageHeader header = walk.choices.Of(kHeaders);
  // For some of these types, zeros are a valid front, while random bytes rarely are.
  std::string front(walk.choices.Below(256), '\0');
  Damage(&walk.choices, &front);
  tracer->Inject(*context, CephWriter(header, &front));
  Damage(&walk.choices, &front);
  Keep(walk, tracer->Extract(CephReader(header, front.data(), front.size())));
}

}  // namespace

const std::vector<Walk::Call>& CarrierCalls() {
  static const std::vector<Walk::Call> calls = {
      {"Clone", 20, Clone},
      {"~SpanContext", 20, DropContext},
      {"Inject into headers", 30, InjectHeaders},
      {"Extract from headers", 30, ExtractHeaders},
      {"Inject into a stream", 15, InjectBinary},
      {"Extract from a stream", 15, ExtractBinary},
      {"BytesWriter and BytesReader", 15, CarryBytes},
      {"ToTraceInfo and FromTraceInfo", 15, CarryTraceInfo},
      {"XsegWriter and XsegReader", 10, CarryXseg},
      {"CephWriter and CephReader", 10, CarryCeph},
  };
  return calls;
}

}  // namespace tracekin
