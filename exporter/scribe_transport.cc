#include "exporter/scribe_transport.h"

#include <arpa/inet.h>
#include <thrift/TApplicationException.h>
#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/transport/TBufferTransports.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "exporter/http_answer.h"
#include "exporter/zipkin_types.h"

namespace tracekin {

namespace {

using apache::thrift::TApplicationException;
using apache::thrift::TException;
using apache::thrift::protocol::TBinaryProtocolT;
using apache::thrift::protocol::TMessageType;
using apache::thrift::protocol::TType;
using apache::thrift::transport::TMemoryBuffer;
using thrift::ResultCode;
using Protocol = TBinaryProtocolT<TMemoryBuffer>;

// The port of Zipkin's collector.
constexpr std::uint16_t kDefaultPort = 9410;

// No answer to Log is larger, unless somebody has much to say.
constexpr std::uint32_t kMaxAnswer = 65536;

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

SendResult JudgeException(Protocol* protocol) {
  TApplicationException exception;
  exception.read(protocol);
  return {SendStatus::kRejected, "Thrift exception of type " + std::to_string(exception.getType()) +
                                     ": " + OneLine(exception.what())};
}

// Reads the struct that a reply is: the field 0, if the call returned.
SendResult JudgeReply(Protocol* protocol) {
  std::optional<std::int32_t> code;
  for (;;) {
    std::string name;
    TType type{};
    std::int16_t field = 0;
    protocol->readFieldBegin(name, type, field);
    if (type == TType::T_STOP) break;
    if (field == 0 && type == TType::T_I32) {
      protocol->readI32(code.emplace());
    } else {
      protocol->skip(type);
    }
  }
  if (!code) return Failed("the answer lacks a result");
  if (*code == ResultCode::OK) return {SendStatus::kAccepted};
  return Failed(*code == ResultCode::TRY_LATER ? "TRY_LATER"
                                               : "unknown result " + std::to_string(*code));
}

// The header may have either form. Throws TException if that is no answer in Thrift.
SendResult JudgeThrift(std::string& answer) {
  const auto memory = std::make_shared<TMemoryBuffer>(
      reinterpret_cast<std::uint8_t*>(answer.data()), static_cast<std::uint32_t>(answer.size()));
  Protocol protocol(memory, kMaxAnswer, kMaxAnswer, false, false);
  std::string name;
  TMessageType type{};
  std::int32_t sequence = 0;
  protocol.readMessageBegin(name, type, sequence);
  if (type == apache::thrift::protocol::T_EXCEPTION) return JudgeException(&protocol);
  if (type != apache::thrift::protocol::T_REPLY || name != "Log") {
    return Failed("the answer is to another call");
  }
  return JudgeReply(&protocol);
}

}  // namespace

ScribeTransport::ScribeTransport(const ExporterOptions& options)
    : call_(CallHeader(options.scribe_strict)),
      connection_(options.endpoint, kDefaultPort,
                  std::chrono::milliseconds(options.connect_timeout_ms)) {}

SendResult ScribeTransport::Send(const std::string& body, std::size_t /*spans*/,
                                 Clock::time_point deadline) {
  std::string error = Exchange(body, deadline);
  SendResult result = error.empty() ? JudgeAnswer() : Failed(OneLine(error));
  if (result.status == SendStatus::kFailed) connection_.Close();
  if (result.status != SendStatus::kAccepted) result.message.insert(0, "Scribe: ");
  return result;
}

// Sends the call, and leaves what came back in `answer_`. Returns what went wrong, if anything did.
std::string ScribeTransport::Exchange(const std::string& body, Clock::time_point deadline) {
  if (connection_.IsOver(deadline)) return "no time left to send it";
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
  if (size > kMaxAnswer)
    return "the answer is no frame, or too large a one; it begins with: " + begin;
  answer_.resize(size);
  return connection_.Read(answer_.data(), size, deadline);
}

SendResult ScribeTransport::JudgeAnswer() {
  try {
    return JudgeThrift(answer_);
  } catch (const TException&) {
    // Zipkin says in plain text, in a frame, that it could not read a call.
    return Failed("the answer is no Thrift: " + OneLine(answer_));
  }
}

}  // namespace tracekin
