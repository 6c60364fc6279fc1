// SPDX-License-Identifier: Apache-2.0
#include "exporter/transport/http_transport.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "exporter/encoding/zipkin_answer.h"
#include "tests/exporter/transport/fault_server.h"
#include "tests/exporter/transport/full_listener.h"
#include "tests/support/connections.h"
#include "tests/support/listener.h"
#include "tests/support/temp_folder.h"
#include "tests/support/transport_fixture.h"

namespace tracekin::exporter {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::AnyOf;
using testing::ConnectionsTo;
using ::testing::HasSubstr;
using testing::In;
using testing::kSlack;
using ::testing::Not;
using ::testing::StartsWith;
using Connection = FaultServer::Connection;

std::string Body(const std::string& request) {
  return request.substr(request.find("\r\n\r\n") + 4);
}

std::string Gunzipped(const std::string& compressed) {
  z_stream stream = {};
  EXPECT_EQ(inflateInit2(&stream, MAX_WBITS + 16), Z_OK);
  std::string text(4 << 20, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));
  stream.avail_in = static_cast<uInt>(compressed.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  EXPECT_EQ(stream.avail_in, 0u);
  text.resize(stream.total_out);
  inflateEnd(&stream);
  return text;
}

class HttpTransportTest : public testing::TransportFixture<HttpTransport> {
 protected:
  HttpTransportTest() : TransportFixture("[]") {}

  FaultServer& Serve(FaultServer::Handler handler) { return server_.emplace(std::move(handler)); }

  HttpTransport& Connect(const std::string& url) {
    options_.endpoint = url;
    return transport_.emplace(options_, "application/json", JudgeZipkinAnswer);
  }

  // Sends one batch to a server that answers with `handler`.
  SendResult SendTo(FaultServer::Handler handler, milliseconds time = milliseconds(10000)) {
    Connect(Serve(std::move(handler)).url());
    return Send(empty_, time);
  }
};

TEST_F(HttpTransportTest, PostsTheBodyWithItsHeaders) {
  const std::string body =
      '[' + std::string(2 << 20, ' ') + ']';  // above 1 MiB libcurl tends to send Expect
  Connect(Serve([](Connection& c) { c.Answer("202 Accepted"); }).url());
  EXPECT_EQ(Send(body).status, SendStatus::kAccepted);
  ASSERT_EQ(server_->requests().size(), 1u);
  const std::string request = server_->requests()[0];
  EXPECT_EQ(Body(request), body);
  EXPECT_THAT(request, StartsWith("POST /api/v2/spans HTTP/1.1\r\n"));
  EXPECT_THAT(request, HasSubstr("\r\nContent-Type: application/json\r\n"));
  EXPECT_THAT(request, HasSubstr("\r\nb3: 0\r\n"));
  EXPECT_THAT(request, HasSubstr("\r\nUser-Agent: tracekin/"));
  EXPECT_THAT(request, Not(HasSubstr("\r\nExpect:")));
  EXPECT_THAT(request, Not(HasSubstr("\r\nAuthorization:")));
}

TEST_F(HttpTransportTest, SendsUserAndPasswordOfTheUrl) {
  Connect(Serve([](Connection& c) { c.Answer("202 Accepted"); }).url("user:secret"));
  EXPECT_EQ(Send().status, SendStatus::kAccepted);
  EXPECT_THAT(server_->requests().at(0),
              HasSubstr("\r\nAuthorization: Basic dXNlcjpzZWNyZXQ=\r\n"));
}

TEST_F(HttpTransportTest, KeepsItsConnection) {
  Connect(Serve([](Connection& c) { c.Answer("202 Accepted"); }).url());
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Send(std::to_string(i)).status, SendStatus::kAccepted);
  EXPECT_EQ(server_->connections(), 1);
  ASSERT_EQ(server_->requests().size(), 5u);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Body(server_->requests()[i]), std::to_string(i));
}

TEST_F(HttpTransportTest, KeepsItsConnectionAfterARejection) {
  Connect(Serve([](Connection& c) { c.Answer("400 Bad Request", "no"); }).url());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Send().status, SendStatus::kRejected);
  EXPECT_EQ(server_->connections(), 1);
}

TEST_F(HttpTransportTest, ConnectsAgainWhenThePeerHasClosedInBetween) {
  Connect(Serve([](Connection& c) {
            c.Answer("202 Accepted");
            c.Close();
          }).url());
  for (int i = 0; i < 3; ++i) {
    const SendResult result = Send(std::to_string(i));
    EXPECT_EQ(result.status, SendStatus::kAccepted) << result.message;
  }
  EXPECT_EQ(server_->requests().size(), 3u);
  EXPECT_EQ(server_->connections(), 3);
}

TEST_F(HttpTransportTest, GoesOnWhenTheCollectorComesBack) {
  auto accept = [](Connection& c) { c.Answer("202 Accepted"); };
  Connect(Serve(accept).url());
  EXPECT_EQ(Send().status, SendStatus::kAccepted);
  const std::uint16_t port = server_->port();
  server_.reset();
  EXPECT_EQ(Send().status, SendStatus::kFailed);
  server_.emplace(accept, port);
  EXPECT_EQ(Send().status, SendStatus::kAccepted);
}

TEST_F(HttpTransportTest, SaysThatNobodyListens) {
  std::string url = Serve([](Connection&) {}).url("user:secret");
  server_.reset();
  Connect(url);
  const SendResult result = Send();
  EXPECT_EQ(result.status, SendStatus::kFailed);
  EXPECT_THAT(result.message, AllOf(HasSubstr("127.0.0.1"), HasSubstr("Connection refused")));
  EXPECT_THAT(result.message, Not(HasSubstr("secret")));
}

TEST_F(HttpTransportTest, GivesUpAtTheDeadlineWhenNoAnswerComes) {
  const SendResult result = SendTo([](Connection& c) { c.WaitForPeer(); }, milliseconds(300));
  EXPECT_EQ(result.status, SendStatus::kFailed);
  EXPECT_THAT(result.message, StartsWith("no response within 3"));
  EXPECT_GE(elapsed_, milliseconds(300));
  EXPECT_LE(elapsed_, milliseconds(300) + kSlack);
}

TEST_F(HttpTransportTest, ConnectsAnewAfterAnAnswerThatDidNotCome) {
  bool first = true;
  auto handler = [&first](Connection& c) {
    if (std::exchange(first, false)) {
      c.WaitForPeer();
      c.Close();
    } else {
      c.Answer("202 Accepted");
    }
  };
  EXPECT_EQ(SendTo(handler, milliseconds(100)).status, SendStatus::kFailed);
  EXPECT_EQ(Send("second").status, SendStatus::kAccepted);
  EXPECT_EQ(Body(server_->requests().at(1)), "second");
  EXPECT_EQ(server_->connections(), 2);
}

TEST_F(HttpTransportTest, DeadlineThatHasPassedSendsNothing) {
  const SendResult result =
      SendTo([](Connection& c) { c.Answer("202 Accepted"); }, milliseconds(0));
  EXPECT_EQ(result.status, SendStatus::kFailed);
  EXPECT_EQ(server_->connections(), 0);
}

TEST_F(HttpTransportTest, GivesUpAtTheDeadlineWhenHeadersTrickle) {
  const SendResult result = SendTo(
      [](Connection& c) {
        c.Write("HTTP/1.1 100 Continue\r\n");
        while (!c.WaitForPeer(10) && c.Write("x-more: 1\r\n")) {
        }
        c.Close();
      },
      milliseconds(300));
  EXPECT_EQ(result.status, SendStatus::kFailed);
  EXPECT_THAT(result.message, StartsWith("no response within 3"));
  EXPECT_LE(elapsed_, milliseconds(300) + kSlack);
}

TEST_F(HttpTransportTest, TakesTheStatusForTheAnswerWhenTheBodyIsSlow) {
  auto trickle = [](const std::string& status) {
    return [status](Connection& c) {
      c.Write("HTTP/1.1 " + status + "\r\nContent-Length: 1000000\r\n\r\nsome words");
      while (!c.WaitForPeer(10) && c.Write("x")) {
      }
      c.Close();
    };
  };
  EXPECT_EQ(SendTo(trickle("202 Accepted"), milliseconds(300)).status, SendStatus::kAccepted);
  EXPECT_LE(elapsed_, milliseconds(300) + kSlack);
  const SendResult result = SendTo(trickle("400 Bad Request"), milliseconds(300));
  EXPECT_EQ(result.status, SendStatus::kRejected);
  EXPECT_THAT(result.message, StartsWith("HTTP 400: some words"));
  EXPECT_LE(elapsed_, milliseconds(300) + kSlack);
}

TEST_F(HttpTransportTest, DoesNotReadAnEndlessBody) {
  const SendResult result = SendTo([](Connection& c) {
    c.Write("HTTP/1.1 503 Service Unavailable\r\n\r\n");
    while (c.Write(std::string(10000, 'x'))) {
    }
    c.Close();
  });
  EXPECT_EQ(result.status, SendStatus::kFailed);
  EXPECT_EQ(result.message, "HTTP 503: " + std::string(256, 'x'));
  EXPECT_LE(elapsed_, milliseconds(2000));
}

TEST_F(HttpTransportTest, SaysThatTheConnectionWasReset) {
  const SendResult result = SendTo([](Connection& c) { c.Reset(); });
  EXPECT_EQ(result.status, SendStatus::kFailed);
  EXPECT_THAT(result.message, HasSubstr("reset by peer"));
}

TEST_F(HttpTransportTest, SaysThatThePeerClosedWithoutAnAnswer) {
  const SendResult result = SendTo([](Connection& c) { c.Close(); });
  EXPECT_EQ(result.status, SendStatus::kFailed);
  EXPECT_EQ(result.message, "Empty reply from server");
}

TEST_F(HttpTransportTest, AnswerThatIsNoHttpIsAFailure) {
  const SendResult result = SendTo([](Connection& c) {
    c.Write("\0\0\0\x17 this is Thrift\r\n\r\n");
    c.Close();
  });
  EXPECT_EQ(result.status, SendStatus::kFailed);
  EXPECT_NE(result.message, "");
}

TEST_F(HttpTransportTest, DoesNotFollowARedirect) {
  const SendResult result = SendTo(
      [](Connection& c) { c.Answer("307 Temporary Redirect", "", "Location: /elsewhere\r\n"); });
  EXPECT_EQ(result.status, SendStatus::kFailed);
  EXPECT_EQ(result.message, "HTTP 307 (redirects are not followed)");
  EXPECT_EQ(server_->requests().size(), 1u);
}

TEST_F(HttpTransportTest, SpeaksHttpOnly) {
  for (const char* url : {"ftp://127.0.0.1/", "file:///etc/passwd", "gopher://127.0.0.1/"}) {
    Connect(url);
    const SendResult result = Send();
    EXPECT_EQ(result.status, SendStatus::kFailed) << url;
    EXPECT_THAT(result.message, HasSubstr("not supported or disabled")) << url;
  }
}

TEST_F(HttpTransportTest, SaysThatAUrlIsNone) {
  for (const char* url : {"", "http://", "http://127.0.0.1:99999/", "http://user:secret@/"}) {
    Connect(url);
    const SendResult result = Send();
    EXPECT_EQ(result.status, SendStatus::kFailed) << url;
    EXPECT_THAT(result.message, HasSubstr("URL")) << url;
    EXPECT_THAT(result.message, Not(HasSubstr("secret"))) << url;
  }
}

TEST_F(HttpTransportTest, ConnectingHasATimeOutOfItsOwn) {
  const FullListener listener;
  options_.connect_timeout_ms = 200;
  Connect("http://127.0.0.1:" + listener.port() + '/');
  const SendResult result = Send();
  EXPECT_EQ(result.status, SendStatus::kFailed);
  EXPECT_THAT(result.message, HasSubstr("imeout"));
  EXPECT_GE(elapsed_, milliseconds(190));
  EXPECT_LE(elapsed_, milliseconds(200) + kSlack);
}

TEST_F(HttpTransportTest, InterruptMovesTheDeadlineOfASendUnderWay) {
  auto interrupt = [this](Connection& c) {  // on the server's thread
    c.WaitForPeer(300);  // Send() then waits, and no timer of libcurl would wake it
    transport_->Interrupt(In(milliseconds(100)));
    c.WaitForPeer();
    c.Close();
  };
  EXPECT_EQ(SendTo(interrupt, milliseconds(60000)).status, SendStatus::kFailed);
  EXPECT_GE(elapsed_, milliseconds(400));
  EXPECT_LE(elapsed_, milliseconds(400) + kSlack);
}

TEST_F(HttpTransportTest, InterruptHoldsForLaterSendsAndIsNeverTakenBack) {
  Connect(Serve([](Connection& c) { c.Answer("202 Accepted"); }).url());
  transport_->Interrupt(In(milliseconds(60000)));
  EXPECT_EQ(Send().status, SendStatus::kAccepted);
  transport_->Interrupt(Transport::Clock::now());
  transport_->Interrupt(In(milliseconds(60000)));
  EXPECT_EQ(Send().status, SendStatus::kFailed);
  EXPECT_EQ(server_->requests().size(), 1u);
}

TEST_F(HttpTransportTest, ProgramsThatTheHostRunsDoNotGetItsSockets) {
  EXPECT_EQ(SendTo([](Connection& c) { c.Answer("202 Accepted"); }).status, SendStatus::kAccepted);
  const std::vector<int> descriptors = ConnectionsTo(server_->port());
  ASSERT_EQ(descriptors.size(), 1u);
  EXPECT_EQ(fcntl(descriptors[0], F_GETFD), FD_CLOEXEC);
}

TEST_F(HttpTransportTest, ClosesItsConnectionAtTheEnd) {
  EXPECT_EQ(SendTo([](Connection& c) { c.Answer("202 Accepted"); }).status, SendStatus::kAccepted);
  transport_.reset();
  EXPECT_EQ(ConnectionsTo(server_->port()).size(), 0u);
}

TEST_F(HttpTransportTest, ChildOfAForkClosesItsCopiesAndParentGoesOn) {
  Connect(Serve([](Connection& c) { c.Answer("202 Accepted"); }).url());
  EXPECT_EQ(Send("parent").status, SendStatus::kAccepted);
  const pid_t child = fork();
  if (child == 0) {
    transport_->AbandonAfterFork();
    const bool closed = ConnectionsTo(server_->port()).empty();
    HttpTransport own(options_, "application/json", JudgeZipkinAnswer);
    const bool sent = own.Send("child", In(milliseconds(5000))).status == SendStatus::kAccepted;
    _exit(closed && sent ? 0 : 1);
  }
  int status;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(Send("parent again").status, SendStatus::kAccepted);
  EXPECT_EQ(server_->connections(), 2) << "the parent's connection is still good";
  EXPECT_EQ(Body(server_->requests().at(1)), "child");
  EXPECT_EQ(Body(server_->requests().at(2)), "parent again");
}

// The server simulates a close that crosses our next batch.
TEST_F(HttpTransportTest, SendsAgainWhatMetAConnectionThatWasBeingClosed) {
  int number = 0;
  Connect(Serve([&number](Connection& c) {
            if (++number == 2) return c.Close();
            c.Answer("202 Accepted");
          }).url());
  EXPECT_EQ(Send("first").status, SendStatus::kAccepted);
  EXPECT_EQ(Send("second").status, SendStatus::kAccepted);
  EXPECT_EQ(Send("third").status, SendStatus::kAccepted);
  ASSERT_EQ(server_->requests().size(), 4u);
  const char* const bodies[] = {"first", "second", "second", "third"};
  for (int i = 0; i < 4; ++i) EXPECT_EQ(Body(server_->requests()[i]), bodies[i]);
  EXPECT_EQ(server_->connections(), 2);
}

TEST_F(HttpTransportTest, DoesNotUseAConnectionThatIsHalfClosed) {
  Connect(Serve([](Connection& c) {
            c.Answer("202 Accepted");
            c.CloseHalf();  // accepts another request but cannot answer it
          }).url());
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Send(std::to_string(i)).status, SendStatus::kAccepted);
    std::this_thread::sleep_for(milliseconds(50));  // the server's FIN follows its answer
  }
  ASSERT_EQ(server_->requests().size(), 3u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Body(server_->requests()[i]), std::to_string(i));
  EXPECT_EQ(server_->connections(), 3);
}

TEST_F(HttpTransportTest, AnAnswerThatWasCutShortIsAnAnswer) {
  const SendResult result = SendTo([](Connection& c) {
    c.Write("HTTP/1.1 202 Accepted\r\nContent-Length: 100\r\n\r\nhalf of");
    c.Reset();
  });
  EXPECT_EQ(result.status, SendStatus::kAccepted) << result.message;
}

TEST_F(HttpTransportTest, ResetInMidBodyIsAFailure) {
  // The body exceeds the sockets' buffers, and the server does not read it.
  const testing::Listener listener(1);
  std::thread server([&listener] {
    const int peer = accept(listener.socket(), nullptr, nullptr);
    char some[1000];
    EXPECT_GT(recv(peer, some, sizeof some, 0), 0);
    close(peer);  // unread bytes cause an RST
  });
  Connect("http://" + listener.address() + '/');
  const SendResult result = Send(std::string(32 << 20, ' '));
  server.join();
  EXPECT_EQ(result.status, SendStatus::kFailed);
  EXPECT_THAT(result.message, AnyOf(HasSubstr("reset by peer"), HasSubstr("Broken pipe")));
}

TEST_F(HttpTransportTest, SaysThatANameIsNotKnown) {
  Connect("http://collector.invalid/");
  const SendResult result = Send();
  EXPECT_EQ(result.status, SendStatus::kFailed);
  EXPECT_THAT(result.message, HasSubstr("Could not resolve host: collector.invalid"));
}

TEST_F(HttpTransportTest, PassesRetryAfterOn) {
  const auto answer = [](const std::string& status, const std::string& header) {
    return [=](Connection& c) { c.Answer(status, "", header); };
  };
  const auto retry_after = [&](const std::string& status, const std::string& value) {
    return SendTo(answer(status, "Retry-After: " + value + "\r\n")).retry_after;
  };
  using std::chrono::seconds;
  EXPECT_EQ(retry_after("429 Too Many Requests", "7"), seconds(7));
  EXPECT_EQ(retry_after("503 Service Unavailable", "120"), seconds(120));
  EXPECT_EQ(retry_after("503 Service Unavailable", "99999999999"), seconds(3600));
  EXPECT_EQ(retry_after("503 Service Unavailable", "-5"), seconds(0));
  EXPECT_EQ(retry_after("503 Service Unavailable", "soon"), seconds(0));
  EXPECT_EQ(retry_after("503 Service Unavailable", "Wed, 21 Oct 2015 07:28:00 GMT"), seconds(0));
  EXPECT_EQ(retry_after("503 Service Unavailable", "Fri, 01 Jan 2100 00:00:00 GMT"), seconds(3600));
  const std::time_t in_a_minute = std::time(nullptr) + 60;
  char date[40];
  std::strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", std::gmtime(&in_a_minute));
  EXPECT_NEAR(retry_after("503 Service Unavailable", date).count(), 60000, 2000);
  EXPECT_EQ(retry_after("202 Accepted", "7"), seconds(0));
  EXPECT_EQ(SendTo(answer("429 Too Many Requests", "")).retry_after, seconds(0));
}

TEST_F(HttpTransportTest, RetryAfterIsOfOneAnswerOnly) {
  bool first = true;
  Connect(Serve([&first](Connection& c) {
            c.Answer("503 Service Unavailable", "",
                     std::exchange(first, false) ? "Retry-After: 7\r\n" : "");
          }).url());
  EXPECT_EQ(Send().retry_after, std::chrono::seconds(7));
  EXPECT_EQ(Send().retry_after, std::chrono::seconds(0));
}

TEST_F(HttpTransportTest, TellsWhatIsTooLarge) {
  const auto answer = [](const std::string& status, const std::string& text) {
    return [=](Connection& c) { c.Answer(status, text); };
  };
  EXPECT_EQ(SendTo(answer("413 Content Too Large", "")).status, SendStatus::kTooLarge);
  EXPECT_EQ(SendTo(answer("500 Internal Server Error", "413 Request Entity Too Large")).status,
            SendStatus::kTooLarge);
}

TEST_F(HttpTransportTest, SendsTheHeadersThatAreConfigured) {
  options_.headers = {{"X-Scope-OrgID", "tenant 1"}, {"Authorization", "Key secret"}};
  EXPECT_EQ(SendTo([](Connection& c) { c.Answer("202 Accepted"); }).status, SendStatus::kAccepted);
  const std::string request = server_->requests().at(0);
  EXPECT_THAT(request, HasSubstr("\r\nX-Scope-OrgID: tenant 1\r\n"));
  EXPECT_THAT(request, HasSubstr("\r\nAuthorization: Key secret\r\n"));
  EXPECT_THAT(request, HasSubstr("\r\nContent-Type: application/json\r\n"));
}

TEST_F(HttpTransportTest, CompressesBodies) {
  options_.compression = "gzip";
  Connect(Serve([](Connection& c) { c.Answer("202 Accepted"); }).url());
  const std::string bodies[] = {'[' + std::string(1 << 20, ' ') + ']', "", "[]"};
  for (const std::string& body : bodies) EXPECT_EQ(Send(body).status, SendStatus::kAccepted);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string request = server_->requests().at(i);
    EXPECT_THAT(request, HasSubstr("\r\nContent-Encoding: gzip\r\n"));
    EXPECT_EQ(Gunzipped(Body(request)), bodies[i]);
  }
  EXPECT_LT(server_->requests()[0].size(), 20000u);
}

TEST_F(HttpTransportTest, ConnectsToAUnixSocket) {
  const testing::TempFolder folder;
  options_.unix_socket = folder.path() + "/collector";
  {
    FaultServer server([](Connection& c) { c.Answer("202 Accepted"); }, options_.unix_socket);
    Connect("http://zipkin.example/api/v2/spans");
    EXPECT_EQ(Send("one").status, SendStatus::kAccepted);
    EXPECT_EQ(Send("two").status, SendStatus::kAccepted);
    EXPECT_EQ(server.connections(), 1);
    EXPECT_THAT(server.requests().at(0), HasSubstr("\r\nHost: zipkin.example\r\n"));
    EXPECT_EQ(Body(server.requests().at(1)), "two");
  }
  const SendResult result = Send();
  EXPECT_EQ(result.status, SendStatus::kFailed);
  EXPECT_THAT(result.message, HasSubstr("Connection refused"));
}

class CredentialTest : public HttpTransportTest {
 protected:
  CredentialTest()
      : path_(::testing::TempDir() + "tracekin-credential-" + std::to_string(getpid())) {
    Serve([](Connection& c) { c.Answer("202 Accepted"); });
  }
  ~CredentialTest() override { std::filesystem::remove(path_); }

  void Write(const std::string& content) { std::ofstream(path_) << content; }

  // Returns the credential that is sent with the next batch.
  std::string Sent() {
    const SendResult result = Send();
    EXPECT_EQ(result.status, SendStatus::kAccepted) << result.message;
    if (result.status != SendStatus::kAccepted) return {};
    const std::string request = server_->requests().back();
    const std::size_t begin = request.find("\r\nAuthorization: ");
    if (begin == std::string::npos) return {};
    EXPECT_EQ(request.find("\r\nAuthorization: ", begin + 1), std::string::npos);
    return request.substr(begin + 17, request.find("\r\n", begin + 17) - begin - 17);
  }

  void ExpectFailure(const std::string& message) {
    const std::size_t before = server_->requests().size();
    const SendResult result = Send();
    EXPECT_EQ(result.status, SendStatus::kFailed);
    EXPECT_EQ(result.message, message);
    EXPECT_EQ(server_->requests().size(), before) << "nothing is sent without it";
  }

  const std::string path_;
};

TEST_F(CredentialTest, TokenIsReadAgainWhenItsFileChanges) {
  options_.bearer_file = path_;
  Write("secret.token-1~+/=\n");
  Connect(server_->url());
  EXPECT_EQ(Sent(), "Bearer secret.token-1~+/=");
  EXPECT_EQ(Sent(), "Bearer secret.token-1~+/=");
  Write("secret.token-2~+/=\n");  // the same size, within the same tick of the clock
  EXPECT_EQ(Sent(), "Bearer secret.token-2~+/=");
  Write("longer.secret.token-3\r\n");
  EXPECT_EQ(Sent(), "Bearer longer.secret.token-3");
  const std::string next = path_ + ".next";
  std::ofstream(next) << "renamed";
  std::filesystem::rename(next, path_);
  EXPECT_EQ(Sent(), "Bearer renamed");
  EXPECT_EQ(server_->connections(), 1);
}

TEST_F(CredentialTest, ThatIsBadOrWasNeverThereFailsTheBatchAndIsTriedAgain) {
  options_.bearer_file = path_;
  Connect(server_->url());
  ExpectFailure("cannot read " + path_ + ": No such file or directory");
  Write("");
  ExpectFailure(path_ + " is empty");
  Write("\n");
  ExpectFailure(path_ + " is empty");
  Write("secret token");
  ExpectFailure(path_ + " must contain one token and nothing else");
  Write("secret\nEvil: header\n");
  ExpectFailure(path_ + " must contain one token and nothing else");
  Write(std::string(70000, 's'));
  ExpectFailure("cannot read " + path_ + ": longer than 65536 bytes");
  std::filesystem::remove(path_);
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  ExpectFailure("cannot read " + path_ + ": not a regular file");
  std::filesystem::remove(path_);
  Write("good");
  EXPECT_EQ(Sent(), "Bearer good");
}

// For example after chroot(), or while the file is being replaced.
TEST_F(CredentialTest, StaysInUseWhileItsFileIsGone) {
  options_.bearer_file = path_;
  Write("first");
  Connect(server_->url());
  EXPECT_EQ(Sent(), "Bearer first");
  std::filesystem::remove(path_);
  EXPECT_EQ(Sent(), "Bearer first");
  Write("second");
  EXPECT_EQ(Sent(), "Bearer second");
}

TEST_F(CredentialTest, MayHaveBeenReadBeforeTheTransportIsMade) {
  options_.bearer_file = path_;
  Write("early");
  ASSERT_EQ(PreloadHttpFiles(options_), "");
  std::filesystem::remove(path_);
  Connect(server_->url());
  EXPECT_EQ(Sent(), "Bearer early");
  EXPECT_EQ(PreloadHttpFiles(options_), "cannot read " + path_ + ": No such file or directory");
}

TEST_F(CredentialTest, UserAndPasswordComeFromAFile) {
  options_.basic_file = path_;
  Connect(server_->url());
  // RFC 7617, sections 2 and 2.1
  for (const auto& [content, sent] :
       {std::pair("Aladdin:open sesame", "QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
        std::pair("test:123\xC2\xA3\n", "dGVzdDoxMjPCow=="), std::pair(":", "Og=="),
        std::pair("u:pa:ss", "dTpwYTpzcw==")}) {
    Write(content);
    EXPECT_EQ(Sent(), "Basic " + std::string(sent));
  }
  Write("secret");
  ExpectFailure(path_ + " must contain one line of the form user:password");
  Write("user:secret\nuser:secret\n");
  ExpectFailure(path_ + " must contain one line of the form user:password");
}

TEST_F(CredentialTest, IsInNoMessage) {
  options_.bearer_file = path_;
  options_.headers = {{"X-Key", "secret"}};
  Write("secret");
  Connect(server_->url());
  const std::uint16_t port = server_->port();
  server_.reset();
  EXPECT_THAT(Send().message, AllOf(HasSubstr("refused"), Not(HasSubstr("secret"))));
  server_.emplace([](Connection& c) { c.Answer("401 Unauthorized", "who are you?"); }, port);
  const SendResult result = Send();
  EXPECT_EQ(result.status, SendStatus::kFailed) << "a new token may be on its way";
  EXPECT_EQ(result.message, "HTTP 401: who are you?");
}

TEST_F(CredentialTest, GoesNowhereElse) {
  options_.bearer_file = path_;
  Write("secret");
  FaultServer elsewhere([](Connection& c) { c.Answer("202 Accepted"); });
  const std::string location = "Location: " + elsewhere.url() + "\r\n";
  EXPECT_EQ(SendTo([&](Connection& c) { c.Answer("307 Temporary Redirect", "", location); }).status,
            SendStatus::kFailed);
  EXPECT_EQ(elsewhere.connections(), 0);
}

}  // namespace
}  // namespace tracekin::exporter
