// SPDX-License-Identifier: Apache-2.0
// A collector with TLS by another implementation (tls_server.py), and certificates made by the
// openssl program.
//
// Thread-safety: one thread at a time.
#ifndef TRACEKIN_TESTS_SUPPORT_TLS_SERVER_H
#define TRACEKIN_TESTS_SUPPORT_TLS_SERVER_H

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/temp_folder.h"

namespace tracekin::testing {

/// A folder of authorities, certificates and keys, as PEM files: NAME.pem and NAME.key.
class Certificates {
 public:
  std::string Path(const std::string& name) const { return folder_.path() + '/' + name; }

  /// Runs `command` in the folder.
  void Run(const std::string& command) const {
    ASSERT_EQ(std::system(("cd " + folder_.path() + " && { " + command + "; } >>log 2>&1").c_str()),
              0)
        << command << "; see " << Path("log");
  }

  void MakeAuthority(const std::string& name) const {
    Run("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=" +
        name + " -keyout " + name + ".key -out " + name + ".pem");
  }

  /// Makes a certificate issued by the authority "ca".
  void MakeCertificate(const std::string& name, const std::string& subject,
                       const std::string& extension, int days) const {
    Run("echo " + extension + " >" + name + ".ext");
    Run("openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj " + subject +
        " -keyout " + name + ".key -out " + name + ".csr");
    Run("openssl x509 -req -in " + name + ".csr -CA ca.pem -CAkey ca.key -CAcreateserial -days " +
        std::to_string(days) + " -extfile " + name + ".ext -out " + name + ".pem");
  }

  /// Makes the authority "ca" and the certificate "good" of a collector on this machine.
  void MakeForLocalCollector() const {
    MakeAuthority("ca");
    MakeCertificate("good", "/CN=collector", "subjectAltName=DNS:localhost,IP:127.0.0.1", 2);
  }

 private:
  const TempFolder folder_;
};

/// Runs tls_server.py with `arguments` while this object lives. REQUIRES: the macro
/// TRACEKIN_TLS_SERVER.
class TlsServer {
 public:
  explicit TlsServer(std::vector<std::string> arguments) {
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
    std::vector<char*> argv = {const_cast<char*>(TRACEKIN_TLS_SERVER)};
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    child_ = fork();
    if (child_ == 0) {
      dup2(to[0], STDIN_FILENO);
      dup2(from[1], STDOUT_FILENO);
      execv(argv[0], argv.data());
      _exit(127);
    }
    close(to[0]);
    close(from[1]);
    input_ = to[1];
    output_ = fdopen(from[0], "r");
    port_ = Line();
    if (port_.empty()) throw std::runtime_error("no TLS server");
  }

  ~TlsServer() {
    close(input_);
    fclose(output_);
    waitpid(child_, nullptr, 0);
  }

  TlsServer(const TlsServer&) = delete;
  TlsServer& operator=(const TlsServer&) = delete;

  const std::string& port() const { return port_; }

  std::string Url(const std::string& host) const {
    return "https://" + host + ':' + port_ + "/api/v2/spans";
  }

  /// Returns the next line that it prints.
  std::string Line() {
    char line[200] = "";
    if (fgets(line, sizeof line, output_) == nullptr) return {};
    std::string text = line;
    if (!text.empty()) text.pop_back();
    return text;
  }

 private:
  pid_t child_ = -1;
  int input_ = -1;
  FILE* output_ = nullptr;
  std::string port_;
};

}  // namespace tracekin::testing

#endif  // TRACEKIN_TESTS_SUPPORT_TLS_SERVER_H
