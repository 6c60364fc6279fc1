// SPDX-License-Identifier: Apache-2.0
#include "operations.h"

#include <tracekin/ceph.h>

#include <system_error>
#include <utility>

#include "request.h"

namespace {

constexpr std::size_t kMaxOpen = 65536;

tracekin::CephMessageHeader CephHeader(const MessageHeader& header) {
  return {header.type, header.version};
}

}  // namespace

Operations::Operations(std::shared_ptr<tracekin::Tracer> tracer, bool stamp, std::string osd,
                       const Handshake* handshake, Counts* counts)
    : tracer_(std::move(tracer)),
      stamp_(stamp),
      osd_(std::move(osd)),
      handshake_(handshake),
      counts_(counts) {}

Operations::~Operations() {
  for (auto& operation : open_) Abandon(&operation.second);
}

void Operations::Abandon(Operation* operation) {
  ++counts_->unanswered;
  operation->span->SetTag("error", true);
  operation->span->Log({{"event", "no reply"}});
  operation->span->Finish();
}

void Operations::Stop() {
  ++counts_->passed_through;
  stopped_ = true;
  for (auto& operation : open_) Abandon(&operation.second);
  open_.clear();
}

std::unique_ptr<opentracing::Span> Operations::Start(const MessageHeader& header,
                                                     const std::string* front) {
  std::unique_ptr<opentracing::SpanContext> parent;
  Request request;
  bool read = false;
  if (front != nullptr) {
    auto extracted =
        tracer_->Extract(tracekin::CephReader(CephHeader(header), front->data(), front->size()));
    if (extracted) parent = std::move(*extracted);
    if (parent != nullptr) ++counts_->with_context;
    read = extracted && ReadRequest(header.version, *front, &request);
  }
  auto span =
      tracer_->StartSpan(read && !request.operations.empty() ? request.operations : "osd op",
                         {opentracing::ChildOf(parent.get())});
  if (span == nullptr) return span;
  span->SetTag("span.kind", "client");
  span->SetTag("peer.address", osd_);
  span->SetTag("ceph.tid", header.tid);
  span->SetTag("ceph.data_bytes", header.data_size);
  if (read) {
    span->SetTag("ceph.pool", request.pool);
    span->SetTag("ceph.object", request.object);
  }
  return span;
}

void Operations::Stamp(const opentracing::Span& span, const MessageHeader& header,
                       std::string* front) {
  if (!stamp_) return;
  if (handshake_->signs) {
    ++counts_->may_be_signed;
  } else if (front == nullptr) {
    ++counts_->too_large;
  } else if (const auto done =
                 tracer_->Inject(span.context(), tracekin::CephWriter(CephHeader(header), front));
             done) {
    ++counts_->stamped;
  } else if (done.error() == std::errc::not_supported) {
    ++counts_->unknown;
  } else {
    ++counts_->inconsistent;
  }
}

bool Operations::Requests::Wants(const MessageHeader& header) {
  return !all_->stopped_ && header.type == tracekin::kCephOsdOp;
}

void Operations::Requests::Front(const MessageHeader& header, std::string* front) {
  ++all_->counts_->requests;
  const auto earlier = all_->open_.find(header.tid);
  if (earlier != all_->open_.end()) {  // the client has sent the request again
    all_->Abandon(&earlier->second);
    all_->open_.erase(earlier);
  }
  auto span = all_->open_.size() < kMaxOpen ? all_->Start(header, front) : nullptr;
  if (span == nullptr) {
    ++all_->counts_->not_followed;
    return;
  }
  all_->Stamp(*span, header, front);
  all_->open_[header.tid].span = std::move(span);
}

void Operations::Requests::Passed(const MessageHeader& header) {
  const auto operation = all_->open_.find(header.tid);
  if (operation == all_->open_.end()) return;
  operation->second.sent = Clock::now();
  operation->second.span->Log({{"event", "request sent"}});
}

bool Operations::Replies::Wants(const MessageHeader& header) {
  return header.type == tracekin::kCephOsdOpReply && all_->open_.count(header.tid) != 0;
}

void Operations::Replies::Front(const MessageHeader& header, std::string* front) {
  const auto operation = all_->open_.find(header.tid);
  if (operation == all_->open_.end()) return;
  opentracing::Span& span = *operation->second.span;
  span.Log({{"event", "reply begins"}});
  if (operation->second.sent != Clock::time_point{}) {
    const auto latency = Clock::now() - operation->second.sent;
    span.SetTag("ceph.osd_latency_us",
                std::chrono::duration_cast<std::chrono::microseconds>(latency).count());
  }
  std::int32_t result = 0;
  if (front == nullptr || !ReadResult(*front, &result)) return;
  span.SetTag("ceph.result", result);
  if (result < 0) span.SetTag("error", true);
}

void Operations::Replies::Passed(const MessageHeader& header) {
  const auto operation = all_->open_.find(header.tid);
  if (operation == all_->open_.end()) return;
  ++all_->counts_->replies;
  operation->second.span->Finish();
  all_->open_.erase(operation);
}
