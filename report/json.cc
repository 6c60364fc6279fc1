// SPDX-License-Identifier: Apache-2.0
#include "report/json.h"

#include <rapidjson/reader.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <map>
#include <string_view>

#include "analysis/selection.h"
#include "base/json_memory.h"
#include "base/utf8.h"
#include "report/describe.h"

namespace tracekin::report {

namespace {

using analysis::Cause;
using analysis::Engine;
using analysis::IsThread;
using analysis::kAbsent;
using analysis::Part;
using analysis::SpanIndex;
using analysis::SpanRecord;
using analysis::State;
using analysis::ThreadIndex;
using analysis::Wait;

using Utf8 = rapidjson::UTF8<>;
using JsonBuffer = rapidjson::GenericStringBuffer<Utf8, JsonMemory>;
using JsonWriter = rapidjson::Writer<JsonBuffer, Utf8, Utf8, JsonMemory>;

// Writes the members of one JSON object.
class Json {
 public:
  Json() : writer_(buffer_) { writer_.StartObject(); }

  std::string Line() {
    writer_.EndObject();
    return std::string(buffer_.GetString(), buffer_.GetSize()) + '\n';
  }

  JsonWriter& writer() { return writer_; }

  void Text(const char* key, std::string_view text) {
    writer_.Key(key);
    std::string scratch;
    const std::string_view valid = Sanitize(text, &scratch);
    writer_.String(valid.data(), static_cast<rapidjson::SizeType>(valid.size()));
  }
  void TextIfAny(const char* key, std::string_view text) {
    if (!text.empty()) Text(key, text);
  }
  void Number(const char* key, std::uint64_t number) {
    writer_.Key(key);
    writer_.Uint64(number);
  }
  void NumberIfAny(const char* key, std::uint64_t number) {
    if (number != 0) Number(key, number);
  }
  void Real(const char* key, double number) {
    writer_.Key(key);
    writer_.Double(number);
  }
  void TrueIf(const char* key, bool value) {
    if (!value) return;
    writer_.Key(key);
    writer_.Bool(true);
  }
  void Thread(const Engine& engine, ThreadIndex thread) {
    if (!IsThread(thread)) return;
    const analysis::Thread& known = engine.timelines().threads[thread];
    writer_.Key("tid");
    writer_.Int(known.tid);
    Text("comm", engine.timelines().names[known.name]);
  }

 private:
  JsonBuffer buffer_;
  JsonWriter writer_;
};

// Returns whether `text` is a JSON object, which is then written unchanged.
bool IsObject(const std::string& text) {
  rapidjson::GenericReader<Utf8, Utf8, JsonMemory> reader;
  rapidjson::BaseReaderHandler<> ignore;
  rapidjson::StringStream stream(text.c_str());
  constexpr unsigned kFlags =
      rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag;
  return !text.empty() && text.front() == '{' && !reader.Parse<kFlags>(stream, ignore).IsError() &&
         text.find('\n') == std::string::npos;
}

ThreadIndex ThreadOf(const SpanRecord& span) {
  if (IsThread(span.start_thread)) return span.start_thread;
  return span.scopes.empty() ? span.finish_thread : span.scopes.front().thread;
}

const char* BasisName(analysis::Basis basis) {
  switch (basis) {
    case analysis::Basis::kScopes:
      return "scopes";
    case analysis::Basis::kThread:
      return "thread";
    case analysis::Basis::kFinish:
      return "finish";
    default:
      return "none";
  }
}

void WriteSpan(const Engine& engine, SpanIndex index, Json* json) {
  const SpanRecord& span = engine.spans()[index];
  const analysis::Names& names = engine.spans().names();
  json->Text("trace_id", TraceIdText(span.ids));
  json->Text("span_id", analysis::SpanIdText(span.ids.span));
  json->writer().Key("parent_span_id");
  if (span.parent_id == 0) {
    json->writer().Null();
  } else {
    const std::string parent = analysis::SpanIdText(span.parent_id);
    json->writer().String(parent.data(), static_cast<rapidjson::SizeType>(parent.size()));
  }
  json->Text("service", names[span.service]);
  json->Text("operation", names[span.operation]);
  json->TextIfAny("kind", names[span.kind]);
  json->Thread(engine, ThreadOf(span));
  json->Number("start_ns", span.start);
  json->Number("duration_ns", span.duration());
  json->TrueIf("error", span.error);
  json->TrueIf("start_missing", !span.start_seen);
  json->TrueIf("finish_missing", !span.finish_seen);
}

void WriteBy(const Engine& engine, const Part& part, Json* json) {
  if (!IsThread(part.by)) return;
  json->writer().Key("by");
  json->writer().StartObject();
  json->Thread(engine, part.by);
  json->TrueIf("real_time", engine.timelines().threads[part.by].priority < 0);
  if (part.by_span != analysis::kNoSpan) {
    const SpanRecord& span = engine.spans()[part.by_span];
    json->Text("trace_id", TraceIdText(span.ids));
    json->Text("span_id", analysis::SpanIdText(span.ids.span));
    json->Text("operation", engine.spans().names()[span.operation]);
  }
  json->writer().EndObject();
}

std::string Hex(std::int64_t number) {
  return "0x" + analysis::SpanIdText(static_cast<std::uint64_t>(number));
}

void WriteWait(const Engine& engine, const Part& part, Json* json) {
  const Wait& wait = engine.timelines().waits[part.wait];
  json->TextIfAny("syscall", engine.timelines().names[wait.syscall]);
  if (part.cause == Cause::kLock && wait.object != kAbsent) json->Text("futex", Hex(wait.object));
  const bool disk = part.cause == Cause::kDisk || part.cause == Cause::kFault;
  if (disk && wait.request != 0) {
    const analysis::DiskRequest& request = engine.timelines().requests[wait.request];
    const analysis::DiskTime time = DiskTimeOf(engine.timelines(), part);
    json->Text("device", DiskName(engine, part));
    json->Number("sector", request.sector);
    json->NumberIfAny("sectors", request.sectors);
    json->NumberIfAny("queue_ns", time.queue);
    json->NumberIfAny("service_ns", time.service);
  }
  if (part.cause != Cause::kNetwork) return;
  json->TextIfAny("peer", PeerName(engine, part));
  const std::uint32_t sent = engine.timelines().packets[wait.packet].transmissions;
  if (sent > 1) json->Number("transmissions", sent);
}

// Writes consecutive running parts as one part, without its end, and returns their number. The part
// contains the time in each system call. A part per call would be too much, because a program may
// make a million calls per second.
std::size_t WriteRunning(const Engine& engine, const std::vector<Part>& parts, std::size_t first,
                         Json* json) {
  analysis::Time total = 0, user = 0;
  std::map<std::string_view, analysis::Time> calls;
  std::size_t end = first;
  for (; end < parts.size() && parts[end].cause == Cause::kRunning &&
         parts[end].depth == parts[first].depth;
       ++end) {
    const Part& part = parts[end];
    total += part.length();
    if (part.state == State::kUser) user += part.length();
    if (part.state == State::kSystem) calls[engine.timelines().names[part.what]] += part.length();
  }
  json->writer().StartObject();
  json->Text("cause", Word(Cause::kRunning));
  json->Number("ns", total);
  json->NumberIfAny("user_ns", user);
  if (!calls.empty()) {
    json->writer().Key("calls_ns");
    json->writer().StartObject();
    for (const auto& [name, time] : calls) {
      std::string scratch;
      json->Number(std::string(Sanitize(name, &scratch)).c_str(), time);
    }
    json->writer().EndObject();
  }
  return end - first;
}

// Writes a part without its end, so that the parts that explain it can follow.
void BeginPart(const Engine& engine, const Part& part, Json* json) {
  json->writer().StartObject();
  json->Text("cause", Word(part.cause));
  json->Number("ns", part.length());
  WriteBy(engine, part, json);
  if (part.cause == Cause::kInterrupted) json->Text("interrupt", InterruptName(engine, part));
  if (part.wait != analysis::kNoWait) WriteWait(engine, part, json);
  if (part.cause == Cause::kUnknown) json->Text("reason", Phrase(part.reason));
  json->TrueIf("queued", part.queued);
  json->TrueIf("idle_processor", part.idle);
}

// Writes the parts as a tree. The parts that explain another part are its member "parts".
void WriteParts(const Engine& engine, const std::vector<Part>& parts, Json* json) {
  json->writer().Key("parts");
  json->writer().StartArray();
  int depth = -1;  // depth of the part whose object is still open
  for (std::size_t i = 0; i < parts.size();) {
    const Part& part = parts[i];
    if (part.depth > depth && depth >= 0) {
      json->writer().Key("parts");
      json->writer().StartArray();
    }
    for (; depth > part.depth; --depth) {
      json->writer().EndObject();
      json->writer().EndArray();
    }
    if (depth == part.depth) json->writer().EndObject();
    depth = part.depth;
    if (part.cause == Cause::kRunning) {
      i += WriteRunning(engine, parts, i, json);
    } else {
      BeginPart(engine, part, json);
      ++i;
    }
  }
  for (; depth >= 0; --depth) {
    json->writer().EndObject();
    json->writer().EndArray();
  }
  if (parts.empty()) json->writer().EndArray();
}

template <typename TimeOf>
void WriteByCause(const char* key, const TimeOf& time_of, Json* json) {
  json->writer().Key(key);
  json->writer().StartObject();
  for (std::size_t cause = 0; cause < analysis::kCauses; ++cause) {
    json->Number(Word(static_cast<Cause>(cause)), time_of(cause));
  }
  json->writer().EndObject();
}

void WriteGroup(const analysis::Group& group, Json* json) {
  json->Number("count", group.durations.size());
  json->Number("errors", group.errors);
  json->Number("p50_ns", group.Quantile(0.5));
  json->Number("p95_ns", group.Quantile(0.95));
  json->Number("p99_ns", group.Quantile(0.99));
  json->Number("max_ns", group.Quantile(1));
  json->Number("total_ns", group.total);
  json->Number("own_ns", group.own);
}

}  // namespace

std::string WhyJson(const Engine& engine, SpanIndex span) {
  const analysis::Explanation why = engine.Why(span);
  Json json;
  WriteSpan(engine, span, &json);
  json.Number("own_ns", why.own);
  json.Text("basis", BasisName(why.basis));
  json.TrueIf("cut", why.cut);
  WriteParts(engine, why.parts, &json);
  return json.Line();
}

std::string SpanJson(const Engine& engine, SpanIndex index) {
  const SpanRecord& span = engine.spans()[index];
  Json json;
  WriteSpan(engine, index, &json);
  if (IsObject(span.tags)) {
    json.writer().Key("tags");
    json.writer().RawValue(span.tags.data(), span.tags.size(), rapidjson::kObjectType);
  }
  json.writer().Key("scopes");
  json.writer().StartArray();
  for (const analysis::ScopeTime& scope : span.scopes) {
    json.writer().StartObject();
    json.Thread(engine, scope.thread);
    json.Number("start_ns", scope.enter);
    json.Number("duration_ns", scope.exit - scope.enter);
    json.writer().EndObject();
  }
  json.writer().EndArray();
  json.writer().Key("logs");
  json.writer().StartArray();
  for (const analysis::SpanLog& log : span.logs) {
    json.writer().StartObject();
    json.Number("time_ns", log.time);
    json.Text("message", log.message);
    json.writer().EndObject();
  }
  json.writer().EndArray();
  return json.Line();
}

std::string GroupJson(const analysis::Group& group) {
  Json json;
  json.Text("service", group.service);
  json.Text("name", group.name);
  WriteGroup(group, &json);
  WriteByCause(
      "causes_ns", [&](std::size_t cause) { return group.causes[cause]; }, &json);
  for (const auto& [key, share] : {std::pair("causes_p50_ns", 0.5),
                                   {"causes_p95_ns", 0.95},
                                   {"causes_p99_ns", 0.99},
                                   {"causes_max_ns", 1.0}}) {
    WriteByCause(
        key,
        [&, share = share](std::size_t cause) {
          return group.Quantile(share, {static_cast<Cause>(cause)});
        },
        &json);
  }
  return json.Line();
}

std::string BlockingJson(const analysis::Blocking& blocking) {
  Json json;
  json.Text("service", blocking.service);
  json.Text("operation", blocking.operation);
  json.Text("cause", Word(blocking.cause));
  json.writer().Key("by");
  json.writer().StartObject();
  json.Text("comm", blocking.thread);
  json.TextIfAny("service", blocking.by_service);
  json.TextIfAny("operation", blocking.by_operation);
  json.writer().EndObject();
  json.Number("count", blocking.count);
  json.Number("total_ns", blocking.total);
  json.Number("max_ns", blocking.longest);
  return json.Line();
}

std::string ContrastJson(const analysis::Contrast& contrast) {
  Json json;
  json.Text("service", contrast.service);
  json.Text("operation", contrast.operation);
  json.Number("count", contrast.spans);
  json.Number("slow_count", contrast.slow);
  json.Number("fast_count", contrast.fast);
  json.Number("slow_from_ns", contrast.fastest_slow);
  json.Number("fast_to_ns", contrast.slowest_fast);
  json.Real("slow_mean_ns", contrast.slow_mean);
  json.Real("fast_mean_ns", contrast.fast_mean);
  json.writer().Key("causes");
  json.writer().StartArray();
  for (const analysis::CauseOfSlow& cause : contrast.causes) {
    json.writer().StartObject();
    json.Text("phrase", cause.phrase);
    json.TrueIf("waits", cause.waits);
    json.Real("slow_mean_ns", cause.slow_mean);
    json.Real("fast_mean_ns", cause.fast_mean);
    json.Number("half_ns", cause.half);
    json.writer().EndObject();
  }
  json.writer().EndArray();
  json.writer().Key("tags");
  json.writer().StartArray();
  for (const analysis::TagOfSlow& tag : contrast.tags) {
    json.writer().StartObject();
    json.Text("key", tag.key);
    json.Text("value", tag.value);
    json.Real("slow_share", tag.slow);
    json.Real("fast_share", tag.fast);
    json.writer().EndObject();
  }
  json.writer().EndArray();
  return json.Line();
}

std::string ChangeJson(const analysis::Change& change) {
  Json json;
  json.Text("service", change.service);
  json.Text("name", change.name);
  for (const auto& [key, group] : {std::pair("before", change.before), {"after", change.after}}) {
    json.writer().Key(key);
    if (group == nullptr) {
      json.writer().Null();
      continue;
    }
    json.writer().StartObject();
    WriteGroup(*group, &json);
    json.writer().EndObject();
  }
  json.Real("mean_change_ns", change.total());
  json.writer().Key("causes_change_ns");
  json.writer().StartObject();
  for (std::size_t cause = 0; cause < change.causes.size(); ++cause) {
    json.Real(Word(static_cast<Cause>(cause)), change.causes[cause]);
  }
  json.writer().EndObject();
  return json.Line();
}

}  // namespace tracekin::report
