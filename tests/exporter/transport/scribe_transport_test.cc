// SPDX-License-Identifier: Apache-2.0
#include "exporter/transport/scribe_transport.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "exporter/encoding/scribe_encoder.h"
#include "tests/exporter/encoding/thrift_spans.h"
#include "tests/exporter/encoding/varied_spans.h"
#include "tests/exporter/transport/fault_server.h"
#include "tests/exporter/transport/full_listener.h"
#include "tests/exporter/transport/scribe_server.h"
#include "tests/support/connections.h"
#include "tests/support/listener.h"
#include "tests/support/transport_fixture.h"

namespace tracekin::exporter {
namespace {

using namespace std::string_literals;
using std::chrono::milliseconds;
using testing::ConnectionsTo;
using ::testing::HasSubstr;
using testing::In;
using testing::kSlack;
using ::testing::StartsWith;
using Connection = FaultServer::Connection;

// Replies in the form in which a server sends them, including their frame.
const std::string kStrictOk = FromHex(
    "0000001780010002000000034c6f6700000000080000"
    "00000000"
    "00");
const std::string kOk = FromHex(
    "00000014000000034c6f670200000000"
    "080000"
    "00000000"
    "00");

std::string Frame(const std::string& message) {
  const std::uint32_t size = htonl(static_cast<std::uint32_t>(message.size()));
  return std::string(reinterpret_cast<const char*>(&size), sizeof size) + message;
}

std::string Body(const std::vector<SpanRecord>& spans, std::string_view category = "zipkin") {
  ScribeEncoder encoder(category);
  return Encode(encoder, spans);
}

class ScribeTransportTest : public testing::TransportFixture<ScribeTransport> {
 protected:
  ScribeTransportTest() : TransportFixture(Body({})) {}

  ScribeTransport& Connect(const std::string& url) {
    options_.endpoint = url;
    return transport_.emplace(options_);
  }

  FaultServer& Serve(FaultServer::Handler handler) {
    FaultServer& server = server_.emplace(std::move(handler));
    Connect("scribe://127.0.0.1:" + std::to_string(server.port()));
    return server;
  }

  // Sends one batch to a peer that answers with `handler`.
  SendResult SendTo(FaultServer::Handler handler, milliseconds time = milliseconds(10000)) {
    Serve(std::move(handler));
    return Send(empty_, time);
  }

  // Sends one batch to a peer that answers with `bytes`.
  SendResult SendToPeerThatSays(const std::string& bytes) {
    return SendTo([bytes](Connection& c) { c.Write(bytes); });
  }
};

// Tests the transport with libthrift's real server. The parameters are whether it writes versioned
// headers, and whether we do.
class ScribeServerTest : public ScribeTransportTest,
                         public ::testing::WithParamInterface<std::tuple<bool, bool>> {
 protected:
  ScribeServerTest() : scribe_(false, std::get<0>(GetParam())) {
    options_.scribe_strict = std::get<1>(GetParam());
    Connect(scribe_.url());
  }
  ScribeServer scribe_;
};

INSTANTIATE_TEST_SUITE_P(Headers, ScribeServerTest,
                         ::testing::Combine(::testing::Bool(), ::testing::Bool()),
                         [](const auto& test) {
                           return (std::get<0>(test.param) ? "Strict"s : "Plain"s) + "Server" +
                                  (std::get<1>(test.param) ? "Strict" : "Plain") + "Client";
                         });

TEST_P(ScribeServerTest, ReadsTheSpansOneAnEntry) {
  const VariedSpans varied(300, 0xdc955a1d4768875d, 1510256710021866999);
  const SendResult result = Send(Body(varied.spans(), "a category"));
  ASSERT_EQ(result.status, SendStatus::kAccepted) << result.message;
  ASSERT_EQ(scribe_.calls().size(), 1u);
  const std::vector<thrift::LogEntry> entries = scribe_.calls()[0];
  ASSERT_EQ(entries.size(), 300u);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    EXPECT_EQ(entries[i].category, "a category");
    ExpectSpan(ReadSpan(FromBase64(entries[i].message)), varied.spans()[i]);
    if (HasFailure()) FAIL() << "span " << i;
  }
}

TEST_P(ScribeServerTest, KeepsItsConnection) {
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Send().status, SendStatus::kAccepted);
  EXPECT_EQ(scribe_.calls().size(), 5u);
  EXPECT_EQ(scribe_.connections(), 1);
}

TEST_P(ScribeServerTest, TryLaterIsAFailureOfTheWholeBatch) {
  scribe_.set_answer(ScribeServer::Answer::kTryLater);
  const SendResult result = Send();
  EXPECT_EQ(result.status, SendStatus::kFailed);
  EXPECT_EQ(result.message, "Scribe: TRY_LATER");
  scribe_.set_answer(ScribeServer::Answer::kOk);
  EXPECT_EQ(Send().status, SendStatus::kAccepted);
}

TEST_P(ScribeServerTest, AnExceptionIsARejectionInItsWords) {
  scribe_.set_answer(ScribeServer::Answer::kException);
  for (int i = 0; i < 2; ++i) {
    const SendResult result = Send();
    EXPECT_EQ(result.status, SendStatus::kRejected);
    EXPECT_EQ(result.message, "Scribe: Thrift exception of type 0: cannot read that");
  }
  scribe_.set_answer(ScribeServer::Answer::kOk);
  EXPECT_EQ(Send().status, SendStatus::kAccepted);
  EXPECT_EQ(scribe_.connections(), 1);
}

TEST_P(ScribeServerTest, ConnectsAgainAfterAClose) {
  scribe_.set_answer(ScribeServer::Answer::kClose);
  const SendResult result = Send();
  EXPECT_EQ(result.status, SendStatus::kFailed);
  EXPECT_EQ(result.message, "Scribe: connection closed by the peer");
  scribe_.set_answer(ScribeServer::Answer::kOk);
  EXPECT_EQ(Send().status, SendStatus::kAccepted);
  EXPECT_EQ(scribe_.connections(), 2);
}

TEST_F(ScribeTransportTest, StrictHeadersAreForServersThatWantThem) {
  ScribeServer scribe(true, true);
  Connect(scribe.url());
  EXPECT_EQ(Send().status, SendStatus::kFailed);
  EXPECT_TRUE(scribe.calls().empty());
  options_.scribe_strict = true;
  Connect(scribe.url());
  EXPECT_EQ(Send().status, SendStatus::kAccepted);
}

// A frame that BlkKin sent, with a message that BlkKin made.
TEST_F(ScribeTransportTest, WritesTheFrameThatBlkKinWrote) {
  const std::string message =
      "CgABASNFZ4mrze8LAAMAAAAJcHJvY2VzcyBhCgAEERITFBUWFxgKAAUhIiMkJSYnKA8ABgwAAAABCgABAAUCYzUk"
      "AkALAAIAAAAFc3RhcnQMAAMIAAEKAAABBgACE4gLAAMAAAAJc2VydmljZSBhAAAPAAgMAAAAAAA=";
  const std::string body =
      FromHex("0f00010c000000010b0001000000067a69706b696e0b0002000000a4") + message + "\0\0"s;
  Serve([](Connection& c) { c.Write(kStrictOk); });
  EXPECT_EQ(Send(body).status, SendStatus::kAccepted);
  const std::string frame = FromHex("000000ce000000034c6f670100000000") + body;
  EXPECT_EQ(frame.size(), 210u);
  EXPECT_EQ(server_->requests().at(0), frame);
}

TEST_F(ScribeTransportTest, StrictHeaderHasTheVersion) {
  options_.scribe_strict = true;
  Serve([](Connection& c) { c.Write(kOk); });
  EXPECT_EQ(Send().status, SendStatus::kAccepted);
  EXPECT_EQ(server_->requests().at(0), Frame(FromHex("80010001000000034c6f6700000000") + Body({})));
}

TEST_F(ScribeTransportTest, BodiesOfSeveralMegabytesArrive) {
  const std::string body(10 << 20, 'x');
  Serve([](Connection& c) { c.Write(kOk); });
  EXPECT_EQ(Send(body).status, SendStatus::kAccepted);
  EXPECT_EQ(server_->requests().at(0), Frame(FromHex("000000034c6f670100000000") + body));
}

TEST_F(ScribeTransportTest, AnswersInPlainTextAreNoThrift) {
  // Zipkin answers with such a frame if it cannot read ours.
  const SendResult result = SendToPeerThatSays(Frame("java.lang.RuntimeException:\n no"));
  EXPECT_EQ(result.status, SendStatus::kFailed);
  EXPECT_EQ(result.message, "Scribe: malformed Thrift response: java.lang.RuntimeException: no");
}

TEST_F(ScribeTransportTest, AnswersOfAnotherProtocolAreToldByTheirBeginning) {
  const SendResult result = SendToPeerThatSays("HTTP/1.1 400 Bad Request\r\n\r\n");
  EXPECT_EQ(result.status, SendStatus::kFailed);
  EXPECT_THAT(result.message, HasSubstr("begins with: HTTP"));
}

TEST_F(ScribeTransportTest, NoMemoryIsTakenForALengthThatWasRead) {
  for (const char* length : {"7fffffff", "ffffffff", "80000000", "00010001"}) {
    const SendResult result = SendToPeerThatSays(FromHex(length));
    EXPECT_EQ(result.status, SendStatus::kFailed) << length;
    EXPECT_THAT(result.message, HasSubstr("oversized")) << length;
  }
  // This also applies to the content of a frame.
  for (const char* message : {"7fffffff",
                              "80010002"
                              "7fffffff",
                              "80010002000000034c6f67000000000b00007fffffff",
                              "80010002000000034c6f67000000000f00000c7fffffff",
                              "80010003000000034c6f67000000000b0001"
                              "7fffffff"}) {
    const SendResult result = SendToPeerThatSays(Frame(FromHex(message)));
    EXPECT_EQ(result.status, SendStatus::kFailed) << message;
    EXPECT_THAT(result.message, StartsWith("Scribe: malformed Thrift response")) << message;
    EXPECT_LT(elapsed_, milliseconds(1000)) << message;
  }
}

TEST_F(ScribeTransportTest, AnswersThatAreCutAnywhereAreFailures) {
  for (const std::string& whole : {kOk, kStrictOk}) {
    const std::string message = whole.substr(4);
    for (std::size_t size = 0; size < message.size(); ++size) {
      EXPECT_EQ(SendToPeerThatSays(Frame(message.substr(0, size))).status, SendStatus::kFailed)
          << size;
    }
    EXPECT_EQ(SendToPeerThatSays(whole).status, SendStatus::kAccepted);
  }
}

TEST_F(ScribeTransportTest, OtherAnswersAreFailures) {
  const struct {
    const char* message;
    const char* words;
  } answers[] = {
      {"80010002000000034c6f67000000000800000000000700", "unknown result 7"},
      {"80010002000000034c6f670000000000", "has no result"},
      {"80010002000000034c6f67000000000a0000000000000000000000", "has no result"},
      {"80010002000000034c6f68000000000800000000000000", "another call"},
      {"80010001000000034c6f67000000000800000000000000", "another call"},
      {"80020002000000034c6f67000000000800000000000000", "malformed Thrift"},
  };
  for (const auto& answer : answers) {
    const SendResult result = SendToPeerThatSays(Frame(FromHex(answer.message)));
    EXPECT_EQ(result.status, SendStatus::kFailed) << answer.message;
    EXPECT_THAT(result.message, HasSubstr(answer.words));
  }
}

TEST_F(ScribeTransportTest, FieldsThatNobodyKnowsArePassedOver) {
  EXPECT_EQ(SendToPeerThatSays(Frame(FromHex("80010002000000034c6f67000000000b0007000000027878"
                                             "08000000000000"
                                             "00")))
                .status,
            SendStatus::kAccepted);
}

TEST_F(ScribeTransportTest, SaysThatNobodyListens) {
  Serve([](Connection&) {});
  server_.reset();
  const SendResult result = Send();
  EXPECT_EQ(result.status, SendStatus::kFailed);
  EXPECT_THAT(result.message, HasSubstr("127.0.0.1"));
  EXPECT_THAT(result.message, HasSubstr("Connection refused"));
}

TEST_F(ScribeTransportTest, SaysThatTheConnectionWasReset) {
  const SendResult result = SendTo([](Connection& c) { c.Reset(); });
  EXPECT_EQ(result.status, SendStatus::kFailed);
  EXPECT_THAT(result.message, HasSubstr("reset by peer"));
}

TEST_F(ScribeTransportTest, ConnectsAnewWhenThePeerHasClosedInBetween) {
  Serve([](Connection& c) {
    c.Write(kOk);
    c.Close();
  });
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Send().status, SendStatus::kAccepted);
    // The connection ends after the answer.
    for (const int descriptor : ConnectionsTo(server_->port())) {
      struct pollfd end = {descriptor, POLLIN, 0};
      EXPECT_EQ(poll(&end, 1, 10000), 1);
    }
  }
  EXPECT_EQ(server_->connections(), 3);
}

TEST_F(ScribeTransportTest, WhatCameUnaskedIsNotTakenForAnAnswer) {
  Serve([](Connection& c) { c.Write(kOk + kOk); });
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Send().status, SendStatus::kAccepted);
  EXPECT_EQ(server_->connections(), 3);
}

TEST_F(ScribeTransportTest, GoesOnWhenTheCollectorComesBack) {
  auto accept = [](Connection& c) { c.Write(kOk); };
  Serve(accept);
  EXPECT_EQ(Send().status, SendStatus::kAccepted);
  const std::uint16_t port = server_->port();
  server_.reset();
  EXPECT_EQ(Send().status, SendStatus::kFailed);
  server_.emplace(accept, port);
  EXPECT_EQ(Send().status, SendStatus::kAccepted);
}

TEST_F(ScribeTransportTest, GivesUpAtTheDeadlineWhenNoAnswerComes) {
  const SendResult result = SendTo([](Connection& c) { c.WaitForPeer(); }, milliseconds(300));
  EXPECT_EQ(result.status, SendStatus::kFailed);
  EXPECT_EQ(result.message, "Scribe: no response in time");
  EXPECT_GE(elapsed_, milliseconds(300));
  EXPECT_LE(elapsed_, milliseconds(300) + kSlack);
  EXPECT_TRUE(ConnectionsTo(server_->port()).empty());  // a late answer is discarded
}

TEST_F(ScribeTransportTest, GivesUpAtTheDeadlineWhenTheAnswerTrickles) {
  const SendResult result = SendTo(
      [](Connection& c) {
        c.Write(FromHex("00010000"));
        while (!c.WaitForPeer(10) && c.Write("x")) {
        }
        c.Close();
      },
      milliseconds(300));
  EXPECT_EQ(result.status, SendStatus::kFailed);
  EXPECT_LE(elapsed_, milliseconds(300) + kSlack);
}

// The listener accepts no connection, so bodies fill the kernel's buffers and then stop.
TEST_F(ScribeTransportTest, GivesUpAtTheDeadlineWhenThePeerDoesNotRead) {
  const testing::Listener listener(1);
  Connect("scribe://" + listener.address());
  const SendResult result = Send(std::string(32 << 20, 'x'), milliseconds(300));
  EXPECT_EQ(result.status, SendStatus::kFailed);
  EXPECT_EQ(result.message, "Scribe: timed out while sending");
  EXPECT_LE(elapsed_, milliseconds(300) + kSlack);
}

TEST_F(ScribeTransportTest, DeadlineThatHasPassedSendsNothing) {
  Serve([](Connection& c) { c.Write(kOk); });
  EXPECT_EQ(Send(Body({}), milliseconds(0)).status, SendStatus::kFailed);
  EXPECT_EQ(server_->connections(), 0);
  EXPECT_EQ(Send().status, SendStatus::kAccepted);
  EXPECT_EQ(Send(Body({}), milliseconds(0)).status, SendStatus::kFailed);
  EXPECT_EQ(server_->requests().size(), 1u);
}

TEST_F(ScribeTransportTest, InterruptMovesTheDeadlineOfASendUnderWay) {
  auto interrupt = [this](Connection& c) {  // on the server's thread
    c.WaitForPeer(300);
    transport_->Interrupt(In(milliseconds(100)));
    c.WaitForPeer();
    c.Close();
  };
  EXPECT_EQ(SendTo(interrupt, milliseconds(60000)).status, SendStatus::kFailed);
  EXPECT_GE(elapsed_, milliseconds(400));
  EXPECT_LE(elapsed_, milliseconds(400) + kSlack);
}

TEST_F(ScribeTransportTest, InterruptHoldsForLaterSendsAndIsNeverTakenBack) {
  Serve([](Connection& c) { c.Write(kOk); });
  transport_->Interrupt(In(milliseconds(60000)));
  EXPECT_EQ(Send().status, SendStatus::kAccepted);
  transport_->Interrupt(Transport::Clock::now());
  transport_->Interrupt(In(milliseconds(60000)));
  EXPECT_EQ(Send().status, SendStatus::kFailed);
  EXPECT_EQ(server_->requests().size(), 1u);
}

TEST_F(ScribeTransportTest, ConnectingHasATimeOutOfItsOwn) {
  const FullListener listener;
  options_.connect_timeout_ms = 200;
  Connect("scribe://127.0.0.1:" + listener.port());
  const SendResult result = Send();
  EXPECT_EQ(result.status, SendStatus::kFailed);
  EXPECT_THAT(result.message, HasSubstr("imeout"));
  EXPECT_GE(elapsed_, milliseconds(190));
  EXPECT_LE(elapsed_, milliseconds(200) + kSlack);
}

// The environment's proxies are meant for HTTP.
TEST_F(ScribeTransportTest, UsesNoProxy) {
  setenv("http_proxy", "http://127.0.0.1:1", 1);
  EXPECT_EQ(SendToPeerThatSays(kOk).status, SendStatus::kAccepted);
  unsetenv("http_proxy");
}

TEST_F(ScribeTransportTest, PortIsThatOfZipkinUnlessItIsNamed) {
  Connect("scribe://127.0.0.1");
  EXPECT_THAT(Send().message, HasSubstr("port 9410"));  // or the error of a server there
  Connect("scribe://[::1]/");
  EXPECT_THAT(Send().message, HasSubstr("port 9410"));
}

TEST_F(ScribeTransportTest, ProgramsThatTheHostRunsDoNotGetItsSockets) {
  EXPECT_EQ(SendToPeerThatSays(kOk).status, SendStatus::kAccepted);
  const std::vector<int> descriptors = ConnectionsTo(server_->port());
  ASSERT_EQ(descriptors.size(), 1u);
  EXPECT_EQ(fcntl(descriptors[0], F_GETFD), FD_CLOEXEC);
}

TEST_F(ScribeTransportTest, ClosesItsConnectionAtTheEnd) {
  EXPECT_EQ(SendToPeerThatSays(kOk).status, SendStatus::kAccepted);
  transport_.reset();
  EXPECT_TRUE(ConnectionsTo(server_->port()).empty());
}

TEST_F(ScribeTransportTest, ChildOfAForkClosesItsCopiesAndParentGoesOn) {
  Serve([](Connection& c) { c.Write(kOk); });
  EXPECT_EQ(Send().status, SendStatus::kAccepted);
  const pid_t child = fork();
  if (child == 0) {
    transport_->AbandonAfterFork();
    const bool closed = ConnectionsTo(server_->port()).empty();
    ScribeTransport own(options_);
    const bool sent = own.Send(Body({}), In(milliseconds(5000))).status == SendStatus::kAccepted;
    _exit(closed && sent ? 0 : 1);
  }
  int status;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(Send().status, SendStatus::kAccepted);
  EXPECT_EQ(server_->connections(), 2) << "the parent's connection is still good";
}

}  // namespace
}  // namespace tracekin::exporter
