// SPDX-License-Identifier: Apache-2.0
#include "tracer/severity.h"

#include "base/ascii.h"
#include "tracer/value_text.h"

namespace tracekin {

namespace {

struct Name {
  std::string_view text;
  tracekin_ust_level level;
};

// The names that syslog(3), log4j, Python's logging and Go's zap use.
constexpr Name kNames[] = {
    {"info", TRACEKIN_UST_INFO},       {"information", TRACEKIN_UST_INFO},
    {"notice", TRACEKIN_UST_INFO},     {"warn", TRACEKIN_UST_WARNING},
    {"warning", TRACEKIN_UST_WARNING}, {"err", TRACEKIN_UST_ERROR},
    {"error", TRACEKIN_UST_ERROR},     {"crit", TRACEKIN_UST_ERROR},
    {"critical", TRACEKIN_UST_ERROR},  {"fatal", TRACEKIN_UST_ERROR},
    {"alert", TRACEKIN_UST_ERROR},     {"emerg", TRACEKIN_UST_ERROR},
    {"emergency", TRACEKIN_UST_ERROR}, {"panic", TRACEKIN_UST_ERROR},
};

}  // namespace

tracekin_ust_level SeverityOf(std::string_view key, const opentracing::Value& value) noexcept {
  const bool is_level = key == "level" || key == "severity";
  if (!is_level && key != "event") return TRACEKIN_UST_DEBUG;
  const std::string_view text = TextOf(value).value_or("");
  if (!is_level) return text == "error" ? TRACEKIN_UST_ERROR : TRACEKIN_UST_DEBUG;
  for (const Name& name : kNames) {
    if (EqualsIgnoringCase(text, name.text)) return name.level;
  }
  return TRACEKIN_UST_DEBUG;
}

}  // namespace tracekin
