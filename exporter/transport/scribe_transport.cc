// SPDX-License-Identifier: Apache-2.0
#include "exporter/transport/scribe_transport.h"

#include <arpa/inet.h>
#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/transport/TBufferTransports.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

#include "base/one_line.h"
#include "exporter/transport/scribe_answer.h"

namespace tracekin::exporter {

namespace {

using apache::thrift::protocol::TBinaryProtocolT;
using apache::thrift::transport::TMemoryBuffer;
using Protocol = TBinaryProtocolT<TMemoryBuffer>;

// The port of Zipkin's collector.
constexpr std::uint16_t kDefaultPort = 9410;

std::string CallHeader(bool strict) {
  const auto memory = std::make_shared<TMemoryBuffer>();
  Protocol protocol(memory);
  protocol.setStrict(false, strict);
  protocol.writeMessageBegin("Log", apache::thrift::protocol::T_CALL, 0);
  return memory->getBufferAsString();
}

std::string FrameHeader(std::size_t size) {
  const std::uint32_t number = htonl(static_cast<std::uint32_t>(size));
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

SendResult Failed(std::string message) { return {SendStatus::kFailed, std::move(message)}; }

}  // namespace

ScribeTransport::ScribeTransport(const ExporterOptions& options, std::shared_ptr<Resolver> resolver)
    : call_(CallHeader(options.scribe_strict)),
      connection_(options.endpoint, kDefaultPort,
                  std::chrono::milliseconds(options.connect_timeout_ms), std::move(resolver)) {}

SendResult ScribeTransport::Send(const std::string& body, Clock::time_point deadline) {
  SendResult result{SendStatus::kFailed};
  try {
    const std::string error = Exchange(body, deadline);
    result = error.empty() ? JudgeScribeAnswer(answer_) : Failed(OneLine(error));
  } catch (const std::bad_alloc&) {
    connection_.Close();  // the next call must not follow half a frame or read this call's response
    throw;
  }
  if (result.status == SendStatus::kFailed) connection_.Close();
  if (result.status != SendStatus::kAccepted) result.message.insert(0, "Scribe: ");
  return result;
}

// Sends the call and stores the response in `answer_`. Returns an error message or "".
std::string ScribeTransport::Exchange(const std::string& body, Clock::time_point deadline) {
  if (connection_.IsOver(deadline)) return "no time left to send the batch";
  std::string error;
  if (!connection_.IsIdle()) error = connection_.Connect(deadline);
  if (error.empty()) {
    error = connection_.Write(FrameHeader(call_.size() + body.size()) + call_, deadline);
  }
  if (error.empty()) error = connection_.Write(body, deadline);
  std::uint32_t size = 0;
  if (error.empty()) error = connection_.Read(&size, sizeof size, deadline);
  if (!error.empty()) return error;

  const std::string begin(reinterpret_cast<const char*>(&size), sizeof size);
  size = ntohl(size);
  if (size > kMaxScribeAnswer)
    return "malformed or oversized response, which begins with: " + begin;
  answer_.resize(size);
  return connection_.Read(answer_.data(), size, deadline);
}

}  // namespace tracekin::exporter
