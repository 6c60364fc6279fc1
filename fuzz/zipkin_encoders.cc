// SPDX-License-Identifier: Apache-2.0
// Spans in Zipkin's JSON, Protocol Buffers and Thrift, each read by another parser.
#include <rapidjson/document.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <string>
#include <vector>

#include "exporter/encoding/zipkin_json_encoder.h"
#include "exporter/encoding/zipkin_model.h"
#include "exporter/encoding/zipkin_proto3_encoder.h"
#include "exporter/pipeline/span_bytes.h"
#include "fuzz/check.h"
#include "fuzz/input.h"
#include "fuzz/span.h"
#include "zipkin.pb.h"

#ifdef TRACEKIN_HAVE_THRIFT
#include <gtest/gtest.h>

#include "exporter/encoding/zipkin_thrift_encoder.h"
#include "tests/exporter/encoding/thrift_spans.h"
#endif

namespace {

using namespace tracekin;

const Resource kResource{"service", {{"zone", "a"}, {"key", "the tracer's"}}};

// The input of the encoders, and the span that their output must represent.
struct Told {
  const SpanRecord& record;
  const SpanRecord& span;
};

std::string Encoded(exporter::Encoder&& encoder, const SpanRecord& span) {
  std::string body;
  encoder.Begin(kResource, &body);
  encoder.Add(span, &body);
  encoder.End(1, &body);
  return body;
}

std::string Hex(std::uint64_t id) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016" PRIx64, id);
  return digits;
}

std::string BigEndian(std::uint64_t id) {
  std::string bytes;
  for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(id >> shift);
  return bytes;
}

std::int64_t Duration(const SpanRecord& span) {
  return std::max<std::int64_t>(span.duration_ns / 1000, 1);
}

// Checks that the member is present if and only if `expected` is not empty.
void CheckText(const rapidjson::Value& object, const char* key, std::string_view expected) {
  const auto found = object.FindMember(key);
  CHECK((found != object.MemberEnd()) == !expected.empty());
  if (expected.empty()) return;
  CHECK(std::string_view(found->value.GetString(), found->value.GetStringLength()) == expected);
}

void CheckEndpoint(const rapidjson::Value& span, const char* key, const Endpoint& endpoint) {
  CHECK(span.HasMember(key) == !endpoint.empty());
  if (endpoint.empty()) return;
  CheckText(span[key], "serviceName", endpoint.service_name);
  CheckText(span[key], "ipv4", endpoint.ipv4);
  CheckText(span[key], "ipv6", endpoint.ipv6);
  CHECK((endpoint.port == 0) ? !span[key].HasMember("port")
                             : span[key]["port"].GetUint() == endpoint.port);
}

// Compares members in order, because a key may be repeated after text was repaired.
void CheckLists(const rapidjson::Value& read, const SpanRecord& span) {
  const auto view = [](const rapidjson::Value& text) {
    return std::string_view(text.GetString(), text.GetStringLength());
  };
  CHECK(read.HasMember("tags") == !span.tags.empty());
  if (!span.tags.empty()) {
    CHECK(read["tags"].MemberCount() == span.tags.size());
    auto tag = span.tags.begin();
    for (const auto& member : read["tags"].GetObject()) {
      CHECK(view(member.name) == tag->key && view(member.value) == tag->value);
      ++tag;
    }
  }
  CHECK(read.HasMember("annotations") == !span.annotations.empty());
  if (span.annotations.empty()) return;
  CHECK(read["annotations"].Size() == span.annotations.size());
  auto annotation = span.annotations.begin();
  for (const auto& item : read["annotations"].GetArray()) {
    CHECK(item["timestamp"].GetInt64() == annotation->timestamp_ns / 1000);
    CHECK(view(item["value"]) == annotation->text);
    ++annotation;
  }
}

void CheckJson(const Told& told) {
  const SpanRecord& span = told.span;
  const std::string body = Encoded(
      exporter::ZipkinJsonEncoder(exporter::ZipkinJsonEncoder::Framing::kArray), told.record);
  CHECK(body.find("yAnnotations\"") == body.npos);  // Zipkin would mistake it for v1
  CHECK(body.find('\n') == body.npos);
  rapidjson::Document list;
  list.Parse<rapidjson::kParseValidateEncodingFlag>(body.data(), body.size());
  CHECK(!list.HasParseError() && list.IsArray() && list.Size() == 1);
  const rapidjson::Value& read = list[0];
  CheckText(read, "traceId",
            (span.trace_id_high != 0 ? Hex(span.trace_id_high) : "") + Hex(span.trace_id_low));
  CheckText(read, "id", Hex(span.span_id));
  CheckText(read, "parentId", span.parent_span_id != 0 ? Hex(span.parent_span_id) : "");
  CheckText(read, "name", span.name);
  const bool timed = span.start_ns >= 1000;
  CHECK(timed ? read["timestamp"].GetInt64() == span.start_ns / 1000
              : !read.HasMember("timestamp"));
  CHECK(span.duration_ns >= 0 ? read["duration"].GetInt64() == Duration(span)
                              : !read.HasMember("duration"));
  CheckEndpoint(read, "localEndpoint", span.local);
  CheckEndpoint(read, "remoteEndpoint", span.remote);
  CheckLists(read, span);
  CHECK(read.HasMember("debug") == span.debug && read.HasMember("shared") == span.shared);
}

void CheckProto3(const Told& told) {
  const SpanRecord& span = told.span;
  zipkin::proto3::ListOfSpans list;
  CHECK(list.ParseFromString(Encoded(exporter::ZipkinProto3Encoder(), told.record)));
  CHECK(list.spans_size() == 1);
  const zipkin::proto3::Span& read = list.spans(0);
  CHECK(read.trace_id() == (span.trace_id_high != 0 ? BigEndian(span.trace_id_high) : "") +
                               BigEndian(span.trace_id_low));
  CHECK(read.id() == BigEndian(span.span_id));
  CHECK(read.parent_id() == (span.parent_span_id != 0 ? BigEndian(span.parent_span_id) : ""));
  CHECK(read.kind() == static_cast<int>(span.kind) && read.name() == span.name);
  CHECK(read.timestamp() ==
        (span.start_ns >= 1000 ? static_cast<std::uint64_t>(span.start_ns / 1000) : 0));
  CHECK(read.duration() ==
        (span.duration_ns >= 0 ? static_cast<std::uint64_t>(Duration(span)) : 0));
  CHECK(read.local_endpoint().service_name() == span.local.service_name);
  CHECK(read.remote_endpoint().service_name() == span.remote.service_name);
  CHECK(read.remote_endpoint().port() == span.remote.port);
  CHECK(static_cast<std::size_t>(read.annotations_size()) == span.annotations.size());
  for (int i = 0; i < read.annotations_size(); ++i) {
    CHECK(read.annotations(i).value() == span.annotations[static_cast<std::size_t>(i)].text);
  }
  for (auto tag = span.tags.begin(); tag != span.tags.end(); ++tag) {
    const auto same = [tag](const SpanRecord::Tag& other) { return other.key == tag->key; };
    if (std::any_of(tag + 1, span.tags.end(), same)) continue;  // the last tag with a key counts
    CHECK(read.tags().at(std::string(tag->key)) == tag->value);
  }
  CHECK(read.debug() == span.debug && read.shared() == span.shared);
}

#ifdef TRACEKIN_HAVE_THRIFT
void CheckThrift(const Told& told) {
  const SpanRecord& span = told.span;
  ::testing::GTEST_FLAG(break_on_failure) = true;  // aborts if ReadSpans fails
  const std::vector<thrift::Span> list =
      ReadSpans(Encoded(exporter::ZipkinThriftEncoder(), told.record));
  CHECK(list.size() == 1);
  const thrift::Span& read = list[0];
  CHECK(static_cast<std::uint64_t>(read.trace_id) == span.trace_id_low);
  CHECK(static_cast<std::uint64_t>(read.trace_id_high) == span.trace_id_high);
  CHECK(static_cast<std::uint64_t>(read.id) == span.span_id);
  CHECK(static_cast<std::uint64_t>(read.parent_id) == span.parent_span_id);
  CHECK(read.name == span.name && read.debug == span.debug);
  CHECK(read.annotations.size() >= span.annotations.size());
  CHECK(read.binary_annotations.size() >= span.tags.size());
  for (std::size_t i = 0; i < span.tags.size(); ++i) {
    CHECK(read.binary_annotations[i].key == span.tags[i].key);
    CHECK(read.binary_annotations[i].value == span.tags[i].value);
  }
}
#else
void CheckThrift(const Told&) {}
#endif

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const std::string bytes = TakeSpan(&input);
  exporter::SpanDecoder decoder;
  const SpanRecord& record = decoder.Decode(bytes.data());
  exporter::ZipkinModel model;
  model.set_resource(&kResource);
  const Told told{record, model.Translate(record)};
  CheckJson(told);
  CheckProto3(told);
  CheckThrift(told);
  return 0;
}
