// SPDX-License-Identifier: Apache-2.0
// Tests log lines with every kind of standard error: a pipe without a reader or with a slow reader,
// a socket, or a stopped terminal. Each test runs in a forked child, which hangs or dies if a log
// line harms its host.

#include "base/standard_error.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include <memory>
#include <regex>
#include <string>

#include "tests/support/fork.h"
#include "tests/support/temp_folder.h"
#include "tracekin/tracer.h"

namespace tracekin::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Returns the bytes that can be read from `descriptor` immediately.
std::string Read(int descriptor) {
  std::string text;
  char bytes[4096];
  for (pollfd input{descriptor, POLLIN, 0}; poll(&input, 1, 0) == 1;) {
    const ssize_t size = read(descriptor, bytes, sizeof bytes);
    if (size <= 0) break;
    text.append(bytes, static_cast<std::size_t>(size));
  }
  static const std::regex prefix(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z tracekin\[\d+\])");
  return std::regex_replace(text, prefix, "tracekin");
}

/// Writes to `descriptor` until nothing more fits.
void Fill(int descriptor) {
  const int flags = fcntl(descriptor, F_GETFL);
  fcntl(descriptor, F_SETFL, flags | O_NONBLOCK);
  const std::string block(4096, '.');
  while (write(descriptor, block.data(), block.size()) > 0) {
  }
  while (write(descriptor, ".", 1) > 0) {
  }
  fcntl(descriptor, F_SETFL, flags);
}

/// Makes standard error a pipe and returns the pipe's other end.
int ReadEndOfPipe() {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  EXPECT_EQ(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
  close(ends[1]);
  return ends[0];
}

/// Makes standard error one of a pair of sockets and returns the other.
int OtherSocket(int type) {
  int ends[2];
  EXPECT_EQ(socketpair(AF_UNIX, type, 0, ends), 0);
  EXPECT_EQ(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
  close(ends[1]);
  return ends[0];
}

/// Makes standard error a terminal and returns its master.
int MasterOfTerminal() {
  const int master = posix_openpt(O_RDWR | O_NOCTTY);
  EXPECT_EQ(grantpt(master), 0);
  EXPECT_EQ(unlockpt(master), 0);
  const int terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
  EXPECT_EQ(dup2(terminal, STDERR_FILENO), STDERR_FILENO);
  close(terminal);
  return master;
}

TEST(StandardError, GetsLines) {
  InFork([] {
    const int end = ReadEndOfPipe();
    SayOnStandardError("one");
    SayOnStandardError(std::string(10'000, 'x'));
    EXPECT_EQ(Read(end), "tracekin: one\ntracekin: " + std::string(10'000, 'x') + "\n");
  });
}

TEST(StandardError, ThatIsAFullPipeHoldsNobodyUpAndTheNextLineSaysWhatIsLost) {
  InFork([] {
    const int end = ReadEndOfPipe();
    Fill(STDERR_FILENO);
    const int flags = fcntl(STDERR_FILENO, F_GETFL);
    SayOnStandardError("lost");
    SayOnStandardError("lost");
    EXPECT_EQ(fcntl(STDERR_FILENO, F_GETFL), flags);
    EXPECT_EQ(Read(end).find("lost"), std::string::npos);
    SayOnStandardError("here");
    const std::string text = Read(end);
    EXPECT_THAT(text, StartsWith("tracekin: 2 earlier lines were lost"));
    EXPECT_THAT(text, HasSubstr("\ntracekin: here\n"));
    SayOnStandardError("again");
    EXPECT_EQ(Read(end), "tracekin: again\n");
  });
}

// A service that drops its privileges keeps the pipe that root gave it, but cannot reopen it.
TEST(StandardError, ThatIsAnotherUsersFullPipeHoldsNobodyUp) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to become another user";
  InFork([] {
    const int end = ReadEndOfPipe();
    ASSERT_EQ(setuid(65534), 0);
    ASSERT_EQ(open("/proc/self/fd/2", O_WRONLY), -1);
    SayOnStandardError("one");
    EXPECT_EQ(Read(end), "tracekin: one\n");
    Fill(STDERR_FILENO);
    SayOnStandardError("lost");
  });
}

TEST(StandardError, WhoseReaderIsGoneDoesNotKillTheHost) {
  InFork([] {
    close(ReadEndOfPipe());
    signal(SIGPIPE, SIG_DFL);
    sigset_t before, after, pending;
    sigemptyset(&before);
    sigaddset(&before, SIGUSR1);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    SayOnStandardError("lost");
    pthread_sigmask(SIG_SETMASK, nullptr, &after);
    EXPECT_EQ(sigismember(&after, SIGPIPE), 0);
    EXPECT_EQ(sigismember(&after, SIGUSR1), 1);
    sigpending(&pending);
    EXPECT_EQ(sigismember(&pending, SIGPIPE), 0);
  });
}

TEST(StandardError, LeavesTheHostsOwnSignalsPending) {
  InFork([] {
    close(ReadEndOfPipe());
    sigset_t signals, pending;
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    raise(SIGPIPE);
    SayOnStandardError("lost");
    sigpending(&pending);
    EXPECT_EQ(sigismember(&pending, SIGPIPE), 1);
  });
}

TEST(StandardError, ThatIsClosedIsNotOpened) {
  InFork([] {
    close(STDERR_FILENO);
    SayOnStandardError("lost");
    EXPECT_EQ(fcntl(STDERR_FILENO, F_GETFD), -1);
  });
}

TEST(StandardError, ThatIsAFullDiskHarmsNothing) {
  InFork([] {
    const int full = open("/dev/full", O_WRONLY);
    ASSERT_EQ(dup2(full, STDERR_FILENO), STDERR_FILENO);
    SayOnStandardError("lost");
  });
}

TEST(StandardError, ThatIsAFileIsAppendedToAndMayHaveALimit) {
  const TempFolder folder;
  InFork([&folder] {
    const int file = open((folder.path() + "/log").c_str(), O_RDWR | O_CREAT | O_APPEND, 0600);
    ASSERT_EQ(dup2(file, STDERR_FILENO), STDERR_FILENO);
    SayOnStandardError("one");
    SayOnStandardError("two");
    const rlimit none{0, 0};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
    SayOnStandardError("lost");  // without protection, this would raise SIGXFSZ
    EXPECT_EQ(lseek(file, 0, SEEK_SET), 0);
    EXPECT_EQ(Read(file), "tracekin: one\ntracekin: two\n");
  });
}

TEST(StandardError, ThatIsAFullSocketHoldsNobodyUp) {
  for (const int type : {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET}) {
    InFork([type] {
      const int end = OtherSocket(type);
      SayOnStandardError("one");
      EXPECT_EQ(Read(end), "tracekin: one\n");
      Fill(STDERR_FILENO);
      SayOnStandardError("lost");
      Read(end);
      SayOnStandardError("here");
      EXPECT_THAT(Read(end), HasSubstr("tracekin: here\n"));
      close(end);
      SayOnStandardError("lost");
    });
  }
}

// Its buffer then has room for part of a line, and poll() reports that it is writable.
TEST(StandardError, ThatIsATerminalWhichNobodyReadsHoldsNobodyUp) {
  InFork([] {
    const int master = MasterOfTerminal();
    for (int i = 0; i < 5000; ++i) SayOnStandardError(std::string(100, 'x'));
    EXPECT_THAT(Read(master), StartsWith("tracekin: xxx"));
    SayOnStandardError("here");
    EXPECT_THAT(Read(master), HasSubstr("earlier lines were lost"));
  });
}

TEST(StandardError, ThatIsAStoppedTerminalHoldsNobodyUp) {
  InFork([] {
    const int master = MasterOfTerminal();
    ASSERT_EQ(tcflow(STDERR_FILENO, TCOOFF), 0);  // the effect of ^S
    SayOnStandardError("lost");
    ASSERT_EQ(tcflow(STDERR_FILENO, TCOON), 0);
    SayOnStandardError("here");
    EXPECT_THAT(Read(master), HasSubstr("tracekin: here\r\n"));
  });
}

// Uses a tracer that logs a lot, with standard error in any state. It logs its configuration and
// the number of dropped spans, and warns that others can read its credentials and that its
// collector is unreachable.
void MakeUseAndCloseATracer() {
  Options options;
  options.service_name = "test";
  options.print_configuration = true;
  options.exporter.endpoint = "http://me:secret@collector.invalid:1/";
  options.exporter.flush_interval_ms = 1;
  options.exporter.connect_timeout_ms = 100;
  options.exporter.close_timeout_ms = 500;
  const auto tracer = MakeTracer(options, nullptr);
  ASSERT_NE(tracer, nullptr);
  for (int i = 0; i < 10; ++i) tracer->StartSpan("a");
  EXPECT_FALSE(tracer->Flush(std::chrono::milliseconds(200)));
  tracer->Close();
}

TEST(StandardError, ThatIsAFullPipeDoesNotKeepATracerFromItsEnd) {
  TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK();
  InFork([] {
    ReadEndOfPipe();
    Fill(STDERR_FILENO);
    MakeUseAndCloseATracer();
  });
}

TEST(StandardError, WhoseReaderIsGoneDoesNotKillTheHostOfATracer) {
  TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK();
  InFork([] {
    close(ReadEndOfPipe());
    MakeUseAndCloseATracer();
  });
}

}  // namespace
}  // namespace tracekin::testing
