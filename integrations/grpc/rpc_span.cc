// SPDX-License-Identifier: Apache-2.0
#include "integrations/grpc/rpc_span.h"

#include <opentracing/ext/tags.h>

#include <array>
#include <string>
#include <utility>

namespace tracekin {
namespace {

// Application code sets status messages, which may contain long texts of exceptions.
constexpr std::size_t kMaxMessageBytes = 512;

std::string Bounded(const std::string& message) {
  if (message.size() <= kMaxMessageBytes) return message;
  std::size_t end = kMaxMessageBytes;
  // Do not cut within a UTF-8 sequence: its continuation bytes are 10xxxxxx.
  while (end > kMaxMessageBytes - 3 && (message[end] & 0xc0) == 0x80) --end;
  return message.substr(0, end);
}

}  // namespace

std::shared_ptr<RpcSpan> RpcSpan::Start(std::shared_ptr<const opentracing::Tracer> tracer,
                                        std::string_view method, opentracing::string_view kind,
                                        const opentracing::SpanContext* parent) noexcept try {
  if (!method.empty() && method.front() == '/') method.remove_prefix(1);
  opentracing::StartSpanOptions options;
  if (parent != nullptr) {
    options.references.emplace_back(opentracing::SpanReferenceType::ChildOfRef, parent);
  }
  options.tags.reserve(4);
  options.tags.emplace_back(opentracing::ext::span_kind, kind);
  options.tags.emplace_back("rpc.system", "grpc");
  // A server reports a method that it does not have as "unknown", without a slash.
  const auto slash = method.rfind('/');
  if (slash != method.npos) {
    options.tags.emplace_back("rpc.service", std::string(method.substr(0, slash)));
  }
  options.tags.emplace_back("rpc.method", std::string(method.substr(slash + 1)));
  auto span = tracer->StartSpanWithOptions({method.data(), method.size()}, options);
  if (span == nullptr) return nullptr;
  return std::make_shared<RpcSpan>(std::move(tracer), std::move(span));
} catch (...) {
  return nullptr;
}

void RpcSpan::Finish(const ::grpc::Status& status) noexcept {
  if (finished_.exchange(true, std::memory_order_acq_rel)) return;
  try {
    span_->SetTag("grpc.status_code", StatusCodeName(status.error_code()));
    if (!status.ok()) {
      span_->SetTag(opentracing::ext::error, true);
      if (!status.error_message().empty()) {
        span_->SetTag("grpc.message", Bounded(status.error_message()));
      }
    }
  } catch (...) {
    // Out of memory. The span will have fewer tags.
  }
  span_->Finish();
}

std::string StatusCodeName(::grpc::StatusCode code) {
  // https://github.com/grpc/grpc/blob/master/doc/statuscodes.md
  static constexpr std::array<const char*, 17> kNames = {"OK",
                                                         "CANCELLED",
                                                         "UNKNOWN",
                                                         "INVALID_ARGUMENT",
                                                         "DEADLINE_EXCEEDED",
                                                         "NOT_FOUND",
                                                         "ALREADY_EXISTS",
                                                         "PERMISSION_DENIED",
                                                         "RESOURCE_EXHAUSTED",
                                                         "FAILED_PRECONDITION",
                                                         "ABORTED",
                                                         "OUT_OF_RANGE",
                                                         "UNIMPLEMENTED",
                                                         "INTERNAL",
                                                         "UNAVAILABLE",
                                                         "DATA_LOSS",
                                                         "UNAUTHENTICATED"};
  const auto index = static_cast<std::size_t>(code);
  return index < kNames.size() ? kNames[index] : std::to_string(static_cast<int>(code));
}

}  // namespace tracekin
