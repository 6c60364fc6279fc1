// SPDX-License-Identifier: Apache-2.0
#include "examples/ceph_relay/connection.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <thread>

namespace tracekin::testing {
namespace {

struct Ignorer final : Observer {
  bool Wants(const MessageHeader&) override { return false; }
  void Front(const MessageHeader&, std::string*) override {}
  void Passed(const MessageHeader&) override {}
  void NotUnderstood() override {}
};

// A client and an OSD, as sockets, with a connection between them.
class ConnectionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    int client[2];
    int osd[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, client), 0);
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, osd), 0);
    client_ = client[0];
    osd_ = osd[0];
    running_ = std::thread([this, client, osd] {
      Connection connection(client[1], osd[1], stop_, &requests_, &replies_, true);
      connection.Run();
      from_client_ = connection.from_client();
      from_osd_ = connection.from_osd();
      close(client[1]);
      close(osd[1]);
    });
  }
  void TearDown() override {
    if (running_.joinable()) running_.join();
    Close(&client_);
    Close(&osd_);
    close(stop_);
  }

  static void Close(int* file) {
    if (*file >= 0) close(*file);
    *file = -1;
  }

  static void Send(int file, const std::string& bytes) {
    for (std::size_t sent = 0; sent < bytes.size();) {
      const std::size_t piece = std::min<std::size_t>(bytes.size() - sent, 10000);
      const ssize_t size = send(file, bytes.data() + sent, piece, MSG_NOSIGNAL);
      ASSERT_GT(size, 0);
      sent += static_cast<std::size_t>(size);
    }
  }

  // Reads until the other end has closed.
  static std::string ReadAll(int file) {
    std::string all;
    char bytes[5000];
    for (ssize_t size; (size = read(file, bytes, sizeof bytes)) > 0;) {
      all.append(bytes, static_cast<std::size_t>(size));
    }
    return all;
  }

  int client_ = -1;
  int osd_ = -1;
  const int stop_ = eventfd(0, EFD_CLOEXEC);
  Handshake handshake_;
  Ignorer ignorer_;
  MessengerStream requests_{MessengerStream::kClient, &handshake_, &ignorer_};
  MessengerStream replies_{MessengerStream::kServer, &handshake_, &ignorer_};
  std::thread running_;
  Connection::Digests from_client_, from_osd_;  // valid once the connection has ended
};

std::string Megabytes(std::size_t count) {
  std::string bytes;
  while (bytes.size() < count << 20) bytes += "not of Ceph " + std::to_string(bytes.size()) + "\n";
  return bytes;
}

TEST_F(ConnectionTest, CarriesBothDirectionsAtOnce) {
  const std::string up = Megabytes(5);
  const std::string down = Megabytes(7);
  std::string arrived_up;
  std::string arrived_down;
  std::thread client([&] {
    Send(client_, up);
    shutdown(client_, SHUT_WR);
    arrived_down = ReadAll(client_);
  });
  std::thread sender([&] {
    Send(osd_, down);
    shutdown(osd_, SHUT_WR);
  });
  arrived_up = ReadAll(osd_);
  client.join();
  sender.join();
  EXPECT_TRUE(arrived_up == up);
  EXPECT_TRUE(arrived_down == down);
  running_.join();
  for (const Connection::Digests* digests : {&from_client_, &from_osd_}) {
    EXPECT_EQ(digests->in.bytes, digests->out.bytes);
    EXPECT_EQ(digests->in.hash, digests->out.hash);
  }
  EXPECT_EQ(from_client_.in.bytes, up.size());
  EXPECT_NE(from_client_.in.hash, from_osd_.in.hash);
}

// A request that was sent completely before its client closed must still arrive, although the reply
// cannot be delivered.
TEST_F(ConnectionTest, EndsWhenTheClientIsGone) {
  Send(client_, "the last words");
  Close(&client_);
  EXPECT_EQ(ReadAll(osd_), "the last words");
  Close(&osd_);
}

TEST_F(ConnectionTest, EndsWhenTheOsdIsGone) {
  Close(&osd_);
  EXPECT_EQ(ReadAll(client_), "");
  Close(&client_);
}

TEST_F(ConnectionTest, EndsWhenItIsTold) {
  const std::uint64_t one = 1;
  ASSERT_EQ(write(stop_, &one, sizeof one), static_cast<ssize_t>(sizeof one));
  EXPECT_EQ(ReadAll(client_), "");
  EXPECT_EQ(ReadAll(osd_), "");
}

// A receiver that does not read must stop the sender, and the relay must not hold more than its
// limit.
TEST_F(ConnectionTest, SlowReceiverSlowsItsSenderDown) {
  const std::string bytes = Megabytes(1);
  std::size_t taken = 0;
  for (int idle = 0; idle < 20;) {
    const ssize_t size = send(client_, bytes.data(), 10000, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (size > 0) {
      taken += static_cast<std::size_t>(size);
      idle = 0;
    } else {
      usleep(5000);
      ++idle;
    }
    ASSERT_LT(taken, 8U << 20) << "nobody slows the sender down";
  }
  std::thread reader([this] { ReadAll(osd_); });
  Close(&client_);
  reader.join();
  EXPECT_GT(taken, 0U);
  Close(&osd_);
}

}  // namespace
}  // namespace tracekin::testing
