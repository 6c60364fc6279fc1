// SPDX-License-Identifier: Apache-2.0
#include "exporter/transport/scribe_answer.h"

#include <thrift/TApplicationException.h>
#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/transport/TBufferTransports.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/one_line.h"
#include "exporter/encoding/zipkin_types.h"

namespace tracekin::exporter {

namespace {

using apache::thrift::TApplicationException;
using apache::thrift::TException;
using apache::thrift::protocol::TBinaryProtocolT;
using apache::thrift::protocol::TMessageType;
using apache::thrift::protocol::TType;
using apache::thrift::transport::TMemoryBuffer;
using thrift::ResultCode;
using Protocol = TBinaryProtocolT<TMemoryBuffer>;

SendResult Failed(std::string message) { return {SendStatus::kFailed, std::move(message)}; }

SendResult JudgeException(Protocol* protocol) {
  TApplicationException exception;
  exception.read(protocol);
  return {SendStatus::kRejected, "Thrift exception of type " + std::to_string(exception.getType()) +
                                     ": " + OneLine(exception.what())};
}

// Reads the struct of a reply. Field 0 is the result of the call, if it returned one.
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
  if (!code) return Failed("the response has no result");
  if (*code == ResultCode::OK) return {SendStatus::kAccepted};
  return Failed(*code == ResultCode::TRY_LATER ? "TRY_LATER"
                                               : "unknown result " + std::to_string(*code));
}

// Judges a response with a strict or a non-strict header. Throws TException if it is not a Thrift
// message.
SendResult JudgeThrift(std::string_view answer) {
  // The buffer is borrowed and only read.
  auto* const bytes = reinterpret_cast<std::uint8_t*>(const_cast<char*>(answer.data()));
  const auto memory =
      std::make_shared<TMemoryBuffer>(bytes, static_cast<std::uint32_t>(answer.size()));
  Protocol protocol(memory, kMaxScribeAnswer, kMaxScribeAnswer, false, false);
  std::string name;
  TMessageType type{};
  std::int32_t sequence = 0;
  protocol.readMessageBegin(name, type, sequence);
  if (type == apache::thrift::protocol::T_EXCEPTION) return JudgeException(&protocol);
  if (type != apache::thrift::protocol::T_REPLY || name != "Log") {
    return Failed("the response is to another call");
  }
  return JudgeReply(&protocol);
}

}  // namespace

SendResult JudgeScribeAnswer(std::string_view answer) {
  try {
    return JudgeThrift(answer);
  } catch (const TException&) {
    // Zipkin answers a call that it could not read with a frame of plain text.
    return Failed("malformed Thrift response: " + OneLine(answer));
  }
}

}  // namespace tracekin::exporter
