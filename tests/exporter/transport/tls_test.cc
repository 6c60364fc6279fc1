// SPDX-License-Identifier: Apache-2.0
// Tests HTTPS against another implementation of TLS, with certificates that the openssl program
// makes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "exporter/encoding/zipkin_answer.h"
#include "exporter/transport/http_files.h"
#include "exporter/transport/http_transport.h"
#include "tests/support/tls_server.h"

namespace tracekin::exporter {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class TlsTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    made_.emplace();
    made_->MakeForLocalCollector();
    made_->MakeAuthority("other-ca");
    made_->MakeCertificate("other-name", "/CN=collector", "subjectAltName=DNS:collector.example",
                           2);
    made_->MakeCertificate("client", "/CN=reporter", "extendedKeyUsage=clientAuth", 2);
    // Expired before it was issued: openssl's x509 only accepts days, but they may be negative.
    made_->MakeCertificate("expired", "/CN=collector", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                           -1);
    made_->Run("openssl ec -aes128 -passout pass:secret -in client.key -out client-locked.key");
  }
  static void TearDownTestSuite() { made_.reset(); }

  TlsTest() {
    sigset_t signals;  // required by Transport::Send
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    options_.ca_file = Path("ca.pem");
  }

  static std::string Path(const std::string& name) { return made_->Path(name); }

  void Serve(const std::string& certificate, const std::string& authority = {}) {
    std::vector<std::string> arguments = {Path(certificate + ".pem"), Path(certificate + ".key")};
    if (!authority.empty()) arguments.push_back(Path(authority + ".pem"));
    server_.emplace(std::move(arguments));
  }

  SendResult Send(const std::string& host = "localhost") {
    options_.endpoint = server_->Url(host);
    HttpTransport transport(options_, "application/json", JudgeZipkinAnswer);
    return transport.Send("[ ]", Transport::Clock::now() + std::chrono::seconds(20));
  }

  void ExpectAccepted(const std::string& seen, const std::string& host = "localhost") {
    const SendResult result = Send(host);
    ASSERT_EQ(result.status, SendStatus::kAccepted) << result.message;
    EXPECT_EQ(server_->Line(), seen);
  }

  template <class Matcher>
  void ExpectFailure(const Matcher& message) {
    const SendResult result = Send();
    EXPECT_EQ(result.status, SendStatus::kFailed);
    EXPECT_THAT(result.message, message);
  }

  static std::optional<testing::Certificates> made_;
  ExporterOptions options_;
  std::optional<testing::TlsServer> server_;
};

std::optional<testing::Certificates> TlsTest::made_;

TEST_F(TlsTest, TakesACollectorThatTheAuthorityVouchesFor) {
  Serve("good");
  ExpectAccepted("nobody 3");
  ExpectAccepted("nobody 3", "127.0.0.1");
}

TEST_F(TlsTest, RefusesACollectorOfAnotherAuthority) {
  Serve("good");
  options_.ca_file = Path("other-ca.pem");
  ExpectFailure(HasSubstr("unable to get local issuer certificate"));
  options_.ca_file.clear();  // uses the system's authorities
  ExpectFailure(HasSubstr("unable to get local issuer certificate"));
}

TEST_F(TlsTest, RefusesACollectorOfAnotherName) {
  Serve("other-name");
  ExpectFailure(HasSubstr("no alternative certificate subject name matches target host name"));
}

TEST_F(TlsTest, RefusesACertificateThatHasExpired) {
  Serve("expired");
  ExpectFailure(HasSubstr("certificate has expired"));
}

TEST_F(TlsTest, ShowsItsCertificate) {
  Serve("good", "ca");
  options_.client_certificate = Path("client.pem");
  options_.client_key = Path("client.key");
  ExpectAccepted("reporter 3");
  made_->Run("cat client.pem client.key >client-both.pem");
  options_.client_certificate = Path("client-both.pem");
  options_.client_key.clear();
  ExpectAccepted("reporter 3");
}

// A host may change its root folder or its user after the transport's files were read.
TEST_F(TlsTest, UsesFilesThatAreGone) {
  Serve("good", "ca");
  made_->Run("for f in ca.pem client.pem client.key; do cp $f gone-$f; done");
  options_.ca_file = Path("gone-ca.pem");
  options_.client_certificate = Path("gone-client.pem");
  options_.client_key = Path("gone-client.key");
  ASSERT_EQ(PreloadHttpFiles(options_), "");
  made_->Run("rm gone-*");
  ExpectAccepted("reporter 3");
}

TEST_F(TlsTest, SaysThatTheCollectorWantsACertificate) {
  Serve("good", "ca");
  ExpectFailure(HasSubstr("certificate required"));
}

TEST_F(TlsTest, SaysWhichFileIsMissing) {
  Serve("good");
  options_.ca_file = Path("no-ca.pem");
  ExpectFailure(HasSubstr(options_.ca_file));
  options_.ca_file = Path("ca.pem");
  options_.client_certificate = Path("no-client.pem");
  ExpectFailure(HasSubstr(options_.client_certificate));
  options_.client_certificate = Path("client.pem");
  options_.client_key = Path("no-client.key");
  ExpectFailure(HasSubstr(options_.client_key));
}

TEST_F(TlsTest, DoesNotWaitForTheWriterOfAFifo) {
  Serve("good");
  const std::string fifo = Path("fifo");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const std::string message = "cannot read " + fifo + ": not a regular file";
  options_.ca_file = fifo;
  ExpectFailure(message);
  options_.ca_file = Path("ca.pem");
  options_.client_certificate = fifo;
  ExpectFailure(message);
  options_.client_certificate = Path("client.pem");
  options_.client_key = fifo;
  ExpectFailure(message);
}

// By default OpenSSL asks for the password at the terminal, so this test provides one.
TEST_F(TlsTest, DoesNotAskForTheKeysPassword) {
  Serve("good", "ca");
  options_.client_certificate = Path("client.pem");
  options_.client_key = Path("client-locked.key");
  int terminal;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    const SendResult result = Send();
    printf("status %d: %s\n", static_cast<int>(result.status), result.message.c_str());
    fflush(stdout);
    _exit(0);
  }
  std::string shown;
  struct pollfd readable = {terminal, POLLIN, 0};
  char buffer[1000];
  while (shown.find('\n') == std::string::npos && poll(&readable, 1, 5000) == 1) {
    const ssize_t size = read(terminal, buffer, sizeof buffer);
    if (size <= 0) break;
    shown.append(buffer, static_cast<std::size_t>(size));
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(terminal);
  EXPECT_THAT(shown, StartsWith("status " + std::to_string(static_cast<int>(SendStatus::kFailed))));
  EXPECT_THAT(shown, HasSubstr(options_.client_key));
}

TEST_F(TlsTest, SeesAnAuthorityThatHasChanged) {
  Serve("good");
  options_.ca_file = Path("changing.pem");
  std::filesystem::copy_file(Path("other-ca.pem"), options_.ca_file);
  ExpectFailure(HasSubstr("unable to get local issuer certificate"));
  std::filesystem::copy_file(Path("ca.pem"), options_.ca_file,
                             std::filesystem::copy_options::overwrite_existing);
  ExpectAccepted("nobody 3");
}

}  // namespace
}  // namespace tracekin::exporter
