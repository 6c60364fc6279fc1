// SPDX-License-Identifier: Apache-2.0
// Calls that start, change and finish spans, and open the Scopes in which they are active.
#include <opentracing/noop.h>

#include <chrono>
#include <cstring>
#include <string>
#include <utility>

#include "fuzz/api/walk.h"
#include "fuzz/check.h"

namespace tracekin {

namespace {

using opentracing::SteadyTime;
using opentracing::SystemTime;
using opentracing::Value;
using Fields = std::vector<std::pair<opentracing::string_view, Value>>;

// Returns now, the epoch, or any time that the clock can represent.
template <class Time>
Time AnyTime(Choices* choices) {
  switch (choices->Below(4)) {
    case 0:
      return {};
    case 1:
      return Time(typename Time::duration(choices->Number<std::int64_t>()));
    default:
      return Time::clock::now();
  }
}

// Returns a value of any kind. It may borrow from `text`.
Value AnyValue(Choices* choices, std::string* text, int depth = 0) {
  *text = choices->Text();
  switch (choices->Below(depth < 3 ? 10 : 8)) {
    case 0:
      return opentracing::string_view{*text};
    case 1:
      return text->c_str();
    case 2:
      return *text;
    case 3:
      return choices->TakeBool();
    case 4:
      return choices->Number<std::int64_t>();
    case 5:
      return choices->Number<std::uint64_t>();
    case 6: {
      const auto bits = choices->Number<std::uint64_t>();
      double number;
      std::memcpy(&number, &bits, sizeof number);
      return number;
    }
    case 7:
      return nullptr;
    case 8: {
      opentracing::Values list;
      std::string item;
      for (unsigned i = choices->Below(4); i != 0; --i) {
        const Value value = AnyValue(choices, &item, depth + 1);
        if (!value.is<const char*>() && !value.is<opentracing::string_view>())
          list.push_back(value);
      }
      return list;
    }
    default: {
      opentracing::Dictionary map;
      for (unsigned i = choices->Below(4); i != 0; --i) map[choices->Text()] = choices->Text();
      return map;
    }
  }
}

void StartPlain(Walk& walk) {
  const auto tracer = walk.AnyTracer();
  if (tracer == nullptr) return;
  auto span = tracer->StartSpan(walk.choices.Text());
  CHECK(span != nullptr);
  walk.world.spans.Put(walk.choices.Below(24), std::move(span));
}

void StartWithOptions(Walk& walk) {
  const auto tracer = walk.AnyTracer();
  if (tracer == nullptr) return;
  opentracing::StartSpanOptions options;
  options.start_system_timestamp = AnyTime<SystemTime>(&walk.choices);
  options.start_steady_timestamp = AnyTime<SteadyTime>(&walk.choices);
  const auto noop = opentracing::MakeNoopTracer()->StartSpan("another tracer's");
  std::vector<std::shared_ptr<void>> referred;
  for (unsigned i = walk.choices.Below(5); i != 0; --i) {
    auto [owner, context] = walk.AnyContext();
    if (walk.choices.OneIn(8)) context = &noop->context();
    options.references.emplace_back(walk.choices.TakeBool()
                                        ? opentracing::SpanReferenceType::FollowsFromRef
                                        : opentracing::SpanReferenceType::ChildOfRef,
                                    context);
    referred.push_back(std::move(owner));
  }
  std::string texts[4];
  for (std::string& text : texts) {
    if (walk.choices.TakeBool()) {
      options.tags.emplace_back(walk.choices.Text(), AnyValue(&walk.choices, &text));
    }
  }
  auto span = tracer->StartSpanWithOptions(walk.choices.Text(), options);
  CHECK(span != nullptr);
  walk.world.spans.Put(walk.choices.Below(24), std::move(span));
}

void StartChild(Walk& walk) {
  const auto parent = walk.AnySpan();
  if (parent == nullptr) return;
  walk.world.spans.Put(
      walk.choices.Below(24),
      parent->tracer().StartSpan("child", {opentracing::ChildOf(&parent->context())}));
}

void SetTag(Walk& walk) {
  const auto span = walk.AnySpan();
  std::string text;
  const Value value = AnyValue(&walk.choices, &text);
  if (span != nullptr) span->SetTag(walk.choices.Text(), value);
}

void SetPriority(Walk& walk) {
  if (const auto span = walk.AnySpan()) span->SetTag("sampling.priority", walk.choices.Below(3));
}

void Log(Walk& walk) {
  const auto span = walk.AnySpan();
  if (span == nullptr) return;
  const std::string keys[] = {walk.choices.Text(), walk.choices.Text()};
  std::string texts[2];
  const Value values[] = {AnyValue(&walk.choices, &texts[0]), AnyValue(&walk.choices, &texts[1])};
  const auto when = AnyTime<SystemTime>(&walk.choices);
  switch (walk.choices.Below(4)) {
    case 0:
      return span->Log({{keys[0], values[0]}});
    case 1:
      return span->Log({{keys[0], values[0]}, {keys[1], values[1]}});
    case 2:
      return span->Log(when, {{keys[0], values[0]}});
    default:
      return span->Log(when, Fields{{keys[0], values[0]}, {keys[1], values[1]}});
  }
}

void SetBaggage(Walk& walk) {
  const auto span = walk.AnySpan();
  if (span != nullptr) span->SetBaggageItem(walk.choices.Text(), walk.choices.Text());
}

void ReadBaggage(Walk& walk) {
  if (const auto span = walk.AnySpan()) span->BaggageItem(walk.choices.Text());
  const auto [owner, context] = walk.AnyContext();
  if (context == nullptr) return;
  unsigned items = walk.choices.Below(4);
  context->ForeachBaggageItem([&](const std::string&, const std::string&) { return items-- != 0; });
}

void SetName(Walk& walk) {
  if (const auto span = walk.AnySpan()) span->SetOperationName(walk.choices.Text());
}

void Finish(Walk& walk) {
  if (const auto span = walk.AnySpan()) span->Finish();
}

void FinishWithOptions(Walk& walk) {
  const auto span = walk.AnySpan();
  if (span == nullptr) return;
  opentracing::FinishSpanOptions options;
  options.finish_steady_timestamp = AnyTime<SteadyTime>(&walk.choices);
  std::string text;
  for (unsigned i = walk.choices.Below(4); i != 0; --i) {
    opentracing::LogRecord record;
    record.timestamp = AnyTime<SystemTime>(&walk.choices);
    record.fields.emplace_back(walk.choices.Text(), walk.choices.Text());
    record.fields.emplace_back(walk.choices.Text(), walk.choices.Number<std::int64_t>());
    options.log_records.push_back(std::move(record));
  }
  span->FinishWithOptions(options);
}

void Drop(Walk& walk) { walk.world.spans.Put(walk.choices.Below(24), nullptr); }

void BeginScope(Walk& walk) {
  auto span = walk.AnySpan();
  if (span == nullptr) return;
  const auto* const active = span.get();
  const auto scope = std::make_shared<HeldScope>(std::move(span));
  CHECK(ActiveSpan() == active);
  if (!walk.choices.OneIn(4)) walk.world.scopes.Put(walk.choices.Below(8), scope);
}

void EndScope(Walk& walk) { walk.world.scopes.Put(walk.choices.Below(8), nullptr); }

void AskForActiveSpan(Walk&) { static_cast<void>(ActiveSpan()); }

}  // namespace

const std::vector<Walk::Call>& SpanCalls() {
  static const std::vector<Walk::Call> calls = {
      {"StartSpan", 60, StartPlain},
      {"StartSpan with options", 60, StartWithOptions},
      {"StartSpan of a span's tracer", 30, StartChild},
      {"SetTag", 100, SetTag},
      {"SetTag of sampling.priority", 10, SetPriority},
      {"Log", 60, Log},
      {"SetBaggageItem", 30, SetBaggage},
      {"BaggageItem", 30, ReadBaggage},
      {"SetOperationName", 20, SetName},
      {"Finish", 30, Finish},
      {"FinishWithOptions", 30, FinishWithOptions},
      {"~Span", 40, Drop},
      {"Scope", 40, BeginScope},
      {"~Scope", 40, EndScope},
      {"ActiveSpan", 20, AskForActiveSpan},
  };
  return calls;
}

}  // namespace tracekin
