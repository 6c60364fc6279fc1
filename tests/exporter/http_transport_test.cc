#include "exporter/http_transport.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "fault_server.h"

namespace tracekin {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Connection = FaultServer::Connection;

// How far from a deadline a transport may return.
constexpr milliseconds kSlack{200};

Transport::Clock::time_point In(milliseconds time) { return Transport::Clock::now() + time; }

std::string Body(const std::string& request) {
  return request.substr(request.find("\r\n\r\n") + 4);
}

// Descriptors of this process that are connected to `port`.
std::vector<int> ConnectionsTo(std::uint16_t port) {
  std::vector<int> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    const int descriptor = std::stoi(entry.path().filename());
    struct sockaddr_in peer = {};
    socklen_t size = sizeof peer;
    if (getpeername(descriptor, reinterpret_cast<struct sockaddr*>(&peer), &size) == 0 &&
        peer.sin_family == AF_INET && ntohs(peer.sin_port) == port) {
      found.push_back(descriptor);
    }
  }
  return found;
}

class HttpTransportTest : public ::testing::Test {
 protected:
  HttpTransportTest() {
    unsetenv("http_proxy");
    // As Transport::Send requires of its caller:
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  }

  FaultServer& Serve(FaultServer::Handler handler) { return server_.emplace(std::move(handler)); }

  HttpTransport& Connect(const std::string& url) {
    options_.endpoint = url;
    return transport_.emplace(options_, "application/json");
  }

  SendResult Send(const std::string& body = "[]", milliseconds time = milliseconds(10000)) {
    const auto start = Transport::Clock::now();
    const SendResult result = transport_->Send(body, 1, start + time);
    elapsed_ = Transport::Clock::now() - start;
    return result;
  }

  // One batch to a server that answers with `handler`.
  SendResult SendTo(FaultServer::Handler handler, milliseconds time = milliseconds(10000)) {
    Connect(Serve(std::move(handler)).url());
    return Send("[]", time);
  }

  ExporterOptions options_;
  Transport::Clock::duration elapsed_{};
  std::optional<FaultServer> server_;
  std::optional<HttpTransport> transport_;  // ends first
};

TEST_F(HttpTransportTest, PostsTheBodyWithItsHeaders) {
  const std::string body =
      '[' + std::string(2 << 20, ' ') + ']';  // libcurl likes to Expect above 1 MiB
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
  EXPECT_THAT(result.message, StartsWith("no answer within 3"));
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
  EXPECT_THAT(result.message, StartsWith("no answer within 3"));
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
  // A listener whose backlog is full: the kernel answers nothing any more.
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<struct sockaddr*>(&address);
  ASSERT_EQ(bind(listener, generic, size), 0);
  ASSERT_EQ(listen(listener, 0), 0);
  ASSERT_EQ(getsockname(listener, generic, &size), 0);
  std::vector<int> fillers;
  for (int i = 0; i < 3; ++i) {
    fillers.push_back(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0));
    connect(fillers.back(), generic, size);
  }

  options_.connect_timeout_ms = 200;
  Connect("http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + '/');
  const SendResult result = Send();
  EXPECT_EQ(result.status, SendStatus::kFailed);
  EXPECT_THAT(result.message, HasSubstr("imeout"));
  EXPECT_GE(elapsed_, milliseconds(190));
  EXPECT_LE(elapsed_, milliseconds(200) + kSlack);
  for (const int filler : fillers) close(filler);
  close(listener);
}

TEST_F(HttpTransportTest, InterruptMovesTheDeadlineOfASendUnderWay) {
  auto interrupt = [this](Connection& c) {  // on the server's thread
    c.WaitForPeer(300);  // by then Send() waits, and libcurl has no timer that would wake it
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
    HttpTransport own(options_, "application/json");
    const bool sent = own.Send("child", 1, In(milliseconds(5000))).status == SendStatus::kAccepted;
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

}  // namespace
}  // namespace tracekin
