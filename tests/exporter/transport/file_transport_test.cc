// SPDX-License-Identifier: Apache-2.0
#include "exporter/transport/file_transport.h"

#include <dirent.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/temp_folder.h"

namespace tracekin::exporter {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;

// Returns the descriptor of this process that is open on `path`, or -1.
int DescriptorOf(const std::string& path) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    if (std::filesystem::read_symlink(entry, error) == path) {
      return std::stoi(entry.path().filename());
    }
  }
  return -1;
}

class FileTransportTest : public ::testing::Test {
 protected:
  FileTransportTest() {
    // Required by Transport::Send.
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    sigaddset(&signals, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  }

  static Transport::Clock::time_point In(int ms) {
    return Transport::Clock::now() + milliseconds(ms);
  }

  static SendResult Send(Transport* transport, const std::string& body) {
    return transport->Send(body, In(5000));
  }

  static void ExpectAccepted(Transport* transport, const std::string& body) {
    const SendResult result = Send(transport, body);
    EXPECT_EQ(result.status, SendStatus::kAccepted) << result.message;
    EXPECT_EQ(result.message, "");
  }

  static void ExpectFailed(Transport* transport, const std::string& message) {
    const SendResult result = Send(transport, "line\n");
    EXPECT_EQ(result.status, SendStatus::kFailed);
    EXPECT_EQ(result.message, message);
  }

  static std::string Content(const std::string& path) {
    std::ifstream file(path);
    std::ostringstream content;
    content << file.rdbuf();
    return content.str();
  }

  const testing::TempFolder temp_;
  const std::string folder_ = std::filesystem::canonical(temp_.path());
  const std::string path_ = folder_ + "/spans.json";
};

TEST_F(FileTransportTest, IsOpenedByTheFirstBatch) {
  FileTransport transport(path_);
  EXPECT_FALSE(std::filesystem::exists(path_));
  ExpectAccepted(&transport, "one\n");
  ExpectAccepted(&transport, "two\nthree\n");
  EXPECT_EQ(Content(path_), "one\ntwo\nthree\n");
}

TEST_F(FileTransportTest, AppendsToWhatIsThere) {
  std::ofstream(path_) << "before\n";
  FileTransport transport(path_);
  ExpectAccepted(&transport, "after\n");
  EXPECT_EQ(Content(path_), "before\nafter\n");
}

TEST_F(FileTransportTest, OnlyItsOwnerMayReadIt) {
  const mode_t before = umask(0);
  FileTransport transport(path_);
  ExpectAccepted(&transport, "line\n");
  umask(before);
  struct stat file;
  ASSERT_EQ(stat(path_.c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 07777, 0600u);
}

TEST_F(FileTransportTest, ProgramsThatTheHostRunsDoNotGetIt) {
  FileTransport transport(path_);
  ExpectAccepted(&transport, "line\n");
  EXPECT_EQ(fcntl(DescriptorOf(path_), F_GETFD), FD_CLOEXEC);
}

TEST_F(FileTransportTest, IsClosedAtTheEnd) {
  {
    FileTransport transport(path_);
    ExpectAccepted(&transport, "line\n");
    EXPECT_NE(DescriptorOf(path_), -1);
  }
  EXPECT_EQ(DescriptorOf(path_), -1);
}

TEST_F(FileTransportTest, TwoWritersDoNotMixTheirLines) {
  constexpr int kBatches = 300;
  auto write = [this](char c) {
    FileTransport transport(path_);
    std::string body;
    for (int line = 0; line < 50; ++line) body += std::string(997, c) + '\n';
    for (int i = 0; i < kBatches; ++i) ExpectAccepted(&transport, body);
  };
  std::thread other(write, 'a');
  write('b');
  other.join();

  std::ifstream file(path_);
  int lines = 0;
  for (std::string line; std::getline(file, line); ++lines) {
    ASSERT_EQ(line, std::string(997, line[0]));
  }
  EXPECT_EQ(lines, 2 * 50 * kBatches);
}

TEST_F(FileTransportTest, BeginsANewFileWhenTheOldOneWasRenamed) {
  FileTransport transport(path_);
  ExpectAccepted(&transport, "one\n");
  std::filesystem::rename(path_, path_ + ".1");
  ExpectAccepted(&transport, "two\n");
  EXPECT_EQ(Content(path_ + ".1"), "one\n");
  EXPECT_EQ(Content(path_), "two\n");
  EXPECT_EQ(DescriptorOf(path_ + ".1"), -1);
}

TEST_F(FileTransportTest, BeginsANewFileWhenTheOldOneWasReplaced) {
  FileTransport transport(path_);
  ExpectAccepted(&transport, "one\n");
  std::filesystem::rename(path_, path_ + ".1");
  std::ofstream(path_) << "made by logrotate\n";
  ExpectAccepted(&transport, "two\n");
  EXPECT_EQ(Content(path_), "made by logrotate\ntwo\n");
}

TEST_F(FileTransportTest, BeginsANewFileWhenTheOldOneWasRemoved) {
  FileTransport transport(path_);
  ExpectAccepted(&transport, "one\n");
  std::filesystem::remove(path_);
  ExpectAccepted(&transport, "two\n");
  EXPECT_EQ(Content(path_), "two\n");
}

TEST_F(FileTransportTest, GoesOnAfterCopyAndTruncate) {
  FileTransport transport(path_);
  ExpectAccepted(&transport, "one\n");
  std::filesystem::resize_file(path_, 0);
  ExpectAccepted(&transport, "two\n");
  EXPECT_EQ(Content(path_), "two\n");
}

TEST_F(FileTransportTest, OpensAgainWhatTheHostHasClosed) {
  FileTransport transport(path_);
  ExpectAccepted(&transport, "one\n");
  close(DescriptorOf(path_));
  ExpectAccepted(&transport, "two\n");
  EXPECT_EQ(Content(path_), "one\ntwo\n");
}

TEST_F(FileTransportTest, LeavesAloneWhatTheHostHasPutInItsDescriptorsPlace) {
  const std::string hosts_path = folder_ + "/hosts-own";
  int hosts;
  {
    FileTransport transport(path_);
    ExpectAccepted(&transport, "one\n");
    const int descriptor = DescriptorOf(path_);
    close(descriptor);
    hosts = open(hosts_path.c_str(), O_RDWR | O_CREAT, 0600);
    ASSERT_EQ(hosts, descriptor);
    ExpectAccepted(&transport, "two\n");
    EXPECT_EQ(Content(hosts_path), "");
    EXPECT_EQ(Content(path_), "one\ntwo\n");

    close(DescriptorOf(path_));
    ASSERT_EQ(dup2(hosts, descriptor + 1), descriptor + 1);
  }
  EXPECT_EQ(write(hosts, "mine\n", 5), 5) << "the transport has closed a descriptor of the host";
  EXPECT_EQ(Content(hosts_path), "mine\n");
  close(hosts);
  EXPECT_EQ(close(hosts + 1), 0);
}

TEST_F(FileTransportTest, SaysWhyItCannotOpen) {
  FileTransport missing(folder_ + "/missing/spans.json");
  ExpectFailed(&missing,
               "cannot open " + folder_ + "/missing/spans.json: No such file or directory");
  FileTransport folder(folder_);
  ExpectFailed(&folder, "cannot open " + folder_ + ": Is a directory");
}

TEST_F(FileTransportTest, TriesAgainToOpenWithEachBatch) {
  FileTransport transport(folder_ + "/later/spans.json");
  EXPECT_EQ(Send(&transport, "lost\n").status, SendStatus::kFailed);
  std::filesystem::create_directory(folder_ + "/later");
  ExpectAccepted(&transport, "line\n");
}

TEST_F(FileTransportTest, SaysWhyItCannotWrite) {
  FileTransport transport("/dev/full");
  ExpectFailed(&transport, "cannot write to /dev/full: No space left on device");
}

TEST_F(FileTransportTest, RefusesWhatCannotBeAppendedTo) {
  const std::string path = folder_ + "/socket";
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  struct sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(bind(listener, reinterpret_cast<struct sockaddr*>(&address), sizeof address), 0);
  FileTransport transport(path);
  ExpectFailed(&transport, "cannot open " + path + ": No such device or address");
  close(listener);
}

// Simulates a full disk. A limit on the file size is easier to set up in a test.
TEST_F(FileTransportTest, BeginsAFreshLineAfterAPartialWrite) {
  FileTransport transport(path_);
  ExpectAccepted(&transport, "0123456\n");

  struct rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const struct rlimit small = {20, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const SendResult cut = Send(&transport, "abcdefg\nABCDEFG\n");
  const SendResult full = Send(&transport, "nothing of this\n");
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);

  EXPECT_EQ(cut.status, SendStatus::kFailed);
  EXPECT_THAT(cut.message, EndsWith("File too large"));
  EXPECT_EQ(full.status, SendStatus::kFailed);
  ExpectAccepted(&transport, "good\n");
  ExpectAccepted(&transport, "better\n");
  EXPECT_EQ(Content(path_), "0123456\nabcdefg\nABCD\ngood\nbetter\n");
}

// The exporter sends failed batches again.
TEST_F(FileTransportTest, ABatchThatIsSentAgainGoesOnWhereItWasCut) {
  FileTransport transport(path_);
  const std::string batch = "abcdefg\nABCDEFG\nhijklmn\n";
  struct rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const struct rlimit small = {12, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Send(&transport, batch).status, SendStatus::kFailed);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  ExpectAccepted(&transport, batch);
  EXPECT_EQ(Content(path_), "abcdefg\nABCD\nABCDEFG\nhijklmn\n");
  ExpectAccepted(&transport, batch);
  EXPECT_EQ(Content(path_), "abcdefg\nABCD\nABCDEFG\nhijklmn\n" + batch);
}

class FifoTest : public FileTransportTest {
 protected:
  FifoTest() { EXPECT_EQ(mkfifo(path_.c_str(), 0600), 0); }
  int OpenReader() { return open(path_.c_str(), O_RDONLY | O_NONBLOCK); }
};

TEST_F(FifoTest, WithoutAReaderIsNotWaitedFor) {
  FileTransport transport(path_);
  ExpectFailed(&transport, "cannot open " + path_ + ": No such device or address");
}

TEST_F(FifoTest, TakesBatchesLargerThanItself) {
  const int reader = OpenReader();
  const std::string body = std::string(1 << 20, 'x') + '\n';
  std::string received;
  std::thread read_all([&] {
    char buffer[8192];
    while (received.size() < body.size()) {
      const ssize_t size = read(reader, buffer, sizeof buffer);
      if (size > 0) received.append(buffer, static_cast<std::size_t>(size));
    }
  });
  FileTransport transport(path_);
  ExpectAccepted(&transport, body);
  read_all.join();
  EXPECT_EQ(received, body);
  close(reader);
}

TEST_F(FifoTest, ThatNobodyReadsIsWaitedForUntilTheDeadline) {
  const int reader = OpenReader();
  FileTransport transport(path_);
  const auto start = Transport::Clock::now();
  const SendResult result = transport.Send(std::string(1 << 20, 'x') + '\n', In(200));
  const auto elapsed = Transport::Clock::now() - start;
  EXPECT_EQ(result.status, SendStatus::kFailed);
  EXPECT_EQ(result.message, "cannot write to " + path_ + ": Connection timed out");
  EXPECT_GE(elapsed, milliseconds(200));
  EXPECT_LE(elapsed, milliseconds(400));
  close(reader);
}

TEST_F(FifoTest, WaitingEndsWhenInterrupted) {
  const int reader = OpenReader();
  FileTransport transport(path_);
  std::thread interrupter([&] { transport.Interrupt(In(100)); });
  const auto start = Transport::Clock::now();
  EXPECT_EQ(transport.Send(std::string(1 << 20, 'x'), In(60000)).status, SendStatus::kFailed);
  EXPECT_LE(Transport::Clock::now() - start, milliseconds(2000));
  interrupter.join();
  close(reader);
}

TEST_F(FifoTest, WhoseReaderHasGoneRaisesNoSignal) {
  const int reader = OpenReader();
  FileTransport transport(path_);
  ExpectAccepted(&transport, "line\n");
  close(reader);
  ExpectFailed(&transport, "cannot write to " + path_ + ": Broken pipe");
}

TEST_F(FileTransportTest, ChildOfAForkClosesItsCopyAndParentGoesOn) {
  FileTransport transport(path_);
  ExpectAccepted(&transport, "parent\n");
  const pid_t child = fork();
  if (child == 0) {
    transport.AbandonAfterFork();
    const bool closed = DescriptorOf(path_) == -1;
    FileTransport own(path_);
    const bool sent = Send(&own, "child\n").status == SendStatus::kAccepted;
    _exit(closed && sent ? 0 : 1);
  }
  int status;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  ExpectAccepted(&transport, "parent again\n");
  EXPECT_EQ(Content(path_), "parent\nchild\nparent again\n");
}

class RotationTest : public FileTransportTest {
 protected:
  // Returns all lines of the file and its old versions, oldest first.
  std::vector<std::string> Lines(int old_files) const {
    std::vector<std::string> lines;
    for (int number = old_files; number >= 0; --number) {
      std::ifstream file(number == 0 ? path_ : path_ + '.' + std::to_string(number));
      for (std::string line; std::getline(file, line);) lines.push_back(line);
    }
    return lines;
  }
};

TEST_F(RotationTest, NeverHappensByDefault) {
  FileTransport transport(path_);
  for (int i = 0; i < 100; ++i) ExpectAccepted(&transport, std::string(100'000, 'x') + '\n');
  EXPECT_FALSE(std::filesystem::exists(path_ + ".1"));
}

TEST_F(RotationTest, KeepsFilesWithinTheLimitAndSoManyOfThem) {
  FileTransport transport(path_, 8, 2);
  ExpectAccepted(&transport, "one\n");
  ExpectAccepted(&transport, "two\n");
  EXPECT_EQ(Content(path_), "one\ntwo\n") << "it may be reached";
  ExpectAccepted(&transport, "3\n");
  EXPECT_EQ(Content(path_), "3\n");
  EXPECT_EQ(Content(path_ + ".1"), "one\ntwo\n");
  ExpectAccepted(&transport, "four, long\n");
  EXPECT_EQ(Content(path_), "four, long\n") << "a batch is not divided";
  ExpectAccepted(&transport, "5\n");
  EXPECT_EQ(Content(path_), "5\n");
  EXPECT_EQ(Content(path_ + ".1"), "four, long\n");
  EXPECT_EQ(Content(path_ + ".2"), "3\n");
  EXPECT_FALSE(std::filesystem::exists(path_ + ".3"));
}

TEST_F(RotationTest, GoesOnFromWhatIsThere) {
  std::ofstream(path_) << "before\n";
  std::ofstream(path_ + ".1") << "older\n";
  FileTransport transport(path_, 8, 3);
  ExpectAccepted(&transport, "now\n");
  EXPECT_EQ(Lines(2), (std::vector<std::string>{"older", "before", "now"}));
  EXPECT_EQ(DescriptorOf(path_ + ".1"), -1);
}

TEST_F(RotationTest, LosesNoFileWhereANumberIsFree) {
  std::ofstream(path_) << "before\n";
  std::ofstream(path_ + ".2") << "older\n";
  FileTransport transport(path_, 8, 2);
  ExpectAccepted(&transport, "now\n");
  EXPECT_EQ(Lines(2), (std::vector<std::string>{"older", "before", "now"}));
}

TEST_F(RotationTest, IsNotWaitedForLongWhereAnotherProcessHangsInIt) {
  FileTransport transport(path_, 8, 2);
  ExpectAccepted(&transport, "one\n");
  const int other = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(flock(other, LOCK_EX), 0);
  ExpectAccepted(&transport, "two, long\n");
  EXPECT_EQ(Content(path_), "one\ntwo, long\n");
  close(other);
  ExpectAccepted(&transport, "three\n");
  EXPECT_EQ(Content(path_), "three\n");
}

TEST_F(RotationTest, ThatFailsLosesNoSpan) {
  FileTransport transport(path_, 8, 1);
  ExpectAccepted(&transport, "one\n");
  std::filesystem::create_directories(path_ + ".1/in the way");
  ExpectAccepted(&transport, "two, long\n");
  EXPECT_EQ(Content(path_), "one\ntwo, long\n");
}

TEST_F(RotationTest, LeavesPipesAlone) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  const int reader = open(path_.c_str(), O_RDONLY | O_NONBLOCK);
  FileTransport transport(path_, 1, 1);
  ExpectAccepted(&transport, "one\n");
  ExpectAccepted(&transport, "two\n");
  EXPECT_FALSE(std::filesystem::exists(path_ + ".1"));
  close(reader);
}

// Every line of every process arrives once and complete, in the order of its process.
TEST_F(RotationTest, ProcessesShareAFile) {
  constexpr int kProcesses = 4, kBatches = 400, kLines = 5, kOldFiles = 1000;
  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; ++process) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    FileTransport transport(path_, 20'000, kOldFiles);
    bool good = true;
    for (int batch = 0, number = 0; batch < kBatches; ++batch) {
      std::string body;
      for (int line = 0; line < kLines; ++line, ++number) {
        body += std::to_string(process) + ' ' + std::to_string(number) + ' ' +
                std::string(static_cast<std::size_t>(100 + number % 100), 'x') + "\n";
      }
      good = good && Send(&transport, body).status == SendStatus::kAccepted;
    }
    _exit(good ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }

  std::vector<std::set<int>> seen(kProcesses);
  for (const std::string& line : Lines(kOldFiles)) {
    std::istringstream words(line);
    int process = -1, number = -1;
    std::string rest;
    ASSERT_TRUE(words >> process >> number >> rest) << line;
    ASSERT_EQ(rest, std::string(static_cast<std::size_t>(100 + number % 100), 'x')) << line;
    ASSERT_TRUE(seen.at(static_cast<std::size_t>(process)).insert(number).second) << line;
  }
  for (const std::set<int>& numbers : seen) {
    EXPECT_EQ(numbers.size(), std::size_t{kBatches * kLines});
  }
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    EXPECT_LE(entry.file_size(), 30'000u) << entry.path();
    ++files;
  }
  EXPECT_GE(files, 50);
  EXPECT_LE(files, 150) << "two processes have rotated for the same reason";
}

}  // namespace
}  // namespace tracekin::exporter
