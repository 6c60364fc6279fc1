// SPDX-License-Identifier: Apache-2.0
#include "examples/ceph_relay/messenger.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/ceph/stream.h"

namespace tracekin::testing {
namespace {

// Asks for requests to OSDs and records the calls that it gets.
class Recorder final : public Observer {
 public:
  explicit Recorder(std::function<void(std::string*)> change = nullptr)
      : change_(std::move(change)) {}

  bool Wants(const MessageHeader& header) override { return header.type == 42; }
  void Front(const MessageHeader& header, std::string* front) override {
    headers.push_back(header);
    fronts.push_back(front == nullptr ? "(not held)" : *front);
    if (change_ && front != nullptr) change_(front);
  }
  void Passed(const MessageHeader&) override { ++passed; }
  void NotUnderstood() override { ++not_understood; }

  std::vector<MessageHeader> headers;
  std::vector<std::string> fronts;
  int passed = 0;
  int not_understood = 0;

 private:
  const std::function<void(std::string*)> change_;
};

// A client's stream after the server answered its connect with `answer`.
struct Client {
  explicit Client(std::function<void(std::string*)> change = nullptr) : observer(change) {
    handshake.answer = Handshake::kNone;
  }

  // Feeds `bytes` in pieces of `piece` bytes. The server answers after the connect.
  std::string Pass(const std::string& bytes, std::size_t piece = 4096) {
    std::string out;
    for (std::size_t at = 0; at < bytes.size();) {
      std::size_t size = std::min(piece, bytes.size() - at);
      const std::size_t behind_connect = ClientBanner().size() + Connect().size();
      if (at < behind_connect) size = std::min(size, behind_connect - at);
      const HeapBytes exact(std::string_view(bytes).substr(at, size));
      stream.Take(exact, &out);
      at += size;
      if (at >= behind_connect) handshake.answer = answer;
    }
    stream.End(&out);
    return out;
  }

  Handshake handshake;
  Handshake::Answer answer = Handshake::kOpen;
  Recorder observer;
  MessengerStream stream{MessengerStream::kClient, &handshake, &observer};
};

MessageParts Other() { return {41, 3, "front", "", "some data", 9}; }

std::string Session(const std::string& message) {
  return ClientBanner() + Connect() + Ack() + message + Keepalive2() + Message(Other()) + '\x09' +
         Message(Op()) + '\x06';
}

TEST(Messenger, PassesWhatItIsNotToChange) {
  const std::string session = Session(Message(Op()));
  for (const std::size_t piece : {1, 2, 3, 7, 53, 100, 5000}) {
    Client client;
    EXPECT_EQ(client.Pass(session, piece), session);
    EXPECT_EQ(client.observer.fronts, std::vector<std::string>(2, Op().front)) << piece;
    EXPECT_EQ(client.observer.passed, 2);
    EXPECT_EQ(client.observer.not_understood, 0);
    EXPECT_EQ(client.observer.headers[0].tid, 1U);
    EXPECT_EQ(client.observer.headers[0].version, 8U);
    EXPECT_EQ(client.observer.headers[0].data_size, 1000U);
  }
}

TEST(Messenger, MendsTheChecksumsOfAChangedFront) {
  for (const std::string& added : {std::string(), std::string("longer")}) {
    const auto change = [&added](std::string* front) {
      (*front)[63] = 'x';
      front->append(added);
    };
    MessageParts changed = Op();
    change(&changed.front);
    const std::string expected = ClientBanner() + Connect() + Ack() + Message(changed) +
                                 Keepalive2() + Message(Other()) + '\x09' + Message(changed) +
                                 '\x06';
    for (const std::size_t piece : {1, 64, 5000}) {
      Client client(change);
      EXPECT_EQ(client.Pass(Session(Message(Op())), piece), expected);
    }
  }
}

// The OSD must notice that the front was damaged before it reached the relay.
TEST(Messenger, WrongOrMissingChecksumOfAFrontStaysSo) {
  for (const char* crc : {"\0\0\0\0", "abcd"}) {
    std::string message = Message(Op());
    message.replace(message.size() - 21, 4, crc, 4);
    Client client([](std::string* front) { (*front)[63] = 'x'; });
    const std::string out = client.Pass(Session(message));
    EXPECT_NE(out.find(std::string(crc, 4) + LittleEndian(Crc("middle"), 4)), std::string::npos);
    EXPECT_EQ(client.observer.passed, 2);
  }
}

TEST(Messenger, StreamThatEndsAnywhereHasPassedAsFarAsItCame) {
  const std::string session = Session(Message(Op()));
  EachTruncation(session, [](const HeapBytes& bytes) {
    Client client;
    EXPECT_EQ(client.Pass(std::string(bytes.view())), bytes.view());
  });
}

TEST(Messenger, AFlippedBitPassesAsItIs) {
  EachBitFlip(Session(Message(Op())), [](const HeapBytes& bytes, std::size_t) {
    Client client;
    EXPECT_EQ(client.Pass(std::string(bytes.view())), bytes.view());
  });
}

// For every flipped bit, only the changed front may differ from the input.
TEST(Messenger, AFlippedBitAndAChangedFront) {
  const std::string session = Session(Message(Op()));
  EachBitFlip(session, [](const HeapBytes& bytes, std::size_t at) {
    Client client([](std::string* front) { front->back() = '?'; });
    const std::string out = client.Pass(std::string(bytes.view()));
    ASSERT_EQ(out.size(), bytes.size()) << at;
    std::size_t different = 0;
    for (std::size_t i = 0; i < out.size(); ++i) different += out[i] != bytes.view()[i];
    EXPECT_LE(different, 5 * client.observer.fronts.size()) << at;
  });
}

TEST(Messenger, AnyDamagePassesAsItIs) {
  std::mt19937 random(42);
  const std::string session = Session(Message(Op()));
  for (int n = 0; n < 20000; ++n) {
    std::string bytes = session;
    for (unsigned changes = 1 + random() % 4; changes != 0; --changes) {
      const std::size_t at = random() % bytes.size();
      const std::size_t size = std::min<std::size_t>(random() % 60, bytes.size() - at);
      switch (random() % 3) {
        case 0:
          bytes[at] = static_cast<char>(random());
          break;
        case 1:
          bytes.erase(at, size);
          break;
        default:
          bytes.insert(at, session, random() % session.size(), size);
      }
      if (bytes.empty()) bytes = "x";
    }
    Client client;
    ASSERT_EQ(client.Pass(bytes, 1 + random() % 300), bytes);
  }
}

TEST(Messenger, LargeFrontsAndDataAreNeverHeld) {
  MessageParts large = Op();
  large.front.resize(kMaxHeldFront + 1);
  large.data.resize(1 << 20);
  const std::string bytes = ClientBanner() + Connect() + Ack() + Message(large) + Message(Op());
  const std::size_t header_end = ClientBanner().size() + Connect().size() + 9 + 54;
  const std::size_t large_end = bytes.size() - Message(Op()).size() - 21;
  const std::size_t front_size = Op().front.size();
  Client client;
  std::string out;
  client.stream.Take(std::string_view(bytes).substr(0, 178), &out);
  client.handshake.answer = Handshake::kOpen;
  for (std::size_t at = 178; at < bytes.size(); at += 100) {
    client.stream.Take(std::string_view(bytes).substr(at, 100), &out);
    const std::size_t arrived = std::min(at + 100, bytes.size());
    if (arrived >= header_end && arrived < large_end) {
      ASSERT_EQ(out.size(), arrived);
    }
    ASSERT_LE(arrived - out.size(), 54 + front_size);
  }
  EXPECT_EQ(out, bytes);
  EXPECT_EQ(client.observer.fronts, (std::vector<std::string>{"(not held)", Op().front}));
  EXPECT_EQ(client.observer.passed, 2);
}

TEST(Messenger, LargestFrontIsHeld) {
  MessageParts large = Op();
  large.front.resize(kMaxHeldFront);
  Client client;
  const std::string session = Session(Message(large));
  EXPECT_EQ(client.Pass(session), session);
  EXPECT_EQ(client.observer.fronts[0], large.front);
}

TEST(Messenger, WhatIsNotCephPassesAsItIs) {
  for (const std::string& bytes :
       {std::string("GET / HTTP/1.1\r\n\r\n") + std::string(1000, 'x'),
        ClientBanner() + Connect() + '\x63' + Message(Op()),  // an unknown tag
        ClientBanner() + Connect() + std::string("\x07", 1) + std::string(500, 'x')}) {
    Client client;
    EXPECT_EQ(client.Pass(bytes), bytes);
    EXPECT_EQ(client.observer.not_understood, 1);
    EXPECT_TRUE(client.observer.fronts.empty());
  }
}

// The client may be waiting for an answer to these bytes.
TEST(Messenger, NothingIsHeldThatMayNotBeCeph) {
  for (const std::string& bytes : {std::string("hi"), std::string("ceph v2\n\x10")}) {
    for (const MessengerStream::Side side : {MessengerStream::kClient, MessengerStream::kServer}) {
      Handshake handshake;
      Recorder observer;
      MessengerStream stream(side, &handshake, &observer);
      std::string out;
      stream.Take(bytes, &out);
      EXPECT_EQ(out, bytes);
      EXPECT_EQ(observer.not_understood, 1);
    }
  }
}

// Both directions, because each needs the other's state until the connection is open.
struct Pair {
  std::string Client(const std::string& bytes) { return Take(&client, bytes); }
  std::string Server(const std::string& bytes) { return Take(&server, bytes); }
  static std::string Take(MessengerStream* stream, const std::string& bytes) {
    std::string out;
    for (const char c : bytes) stream->Take({&c, 1}, &out);
    return out;
  }

  Handshake handshake;
  Recorder requests, replies;
  MessengerStream client{MessengerStream::kClient, &handshake, &requests};
  MessengerStream server{MessengerStream::kServer, &handshake, &replies};
};

TEST(Messenger, HandshakeMayTakeSeveralTries) {
  Pair pair;
  EXPECT_EQ(pair.Server(ServerBanner()), ServerBanner());
  EXPECT_EQ(pair.Client(ClientBanner()), ClientBanner());
  for (const char tag : {kRetrySession, kChallenge}) {
    const std::string connect = Connect(kCephx, "authorizer");
    EXPECT_EQ(pair.Client(connect), connect);
    EXPECT_EQ(pair.Server(Reply(tag, "challenge")), Reply(tag, "challenge"));
  }
  EXPECT_TRUE(pair.handshake.signs);
  EXPECT_EQ(pair.Client(Connect()), Connect());
  EXPECT_FALSE(pair.handshake.signs);
  EXPECT_EQ(pair.Server(Reply(kReady) + Ack()), Reply(kReady) + Ack());
  EXPECT_EQ(pair.Client(Message(Op())), Message(Op()));
  EXPECT_EQ(pair.requests.fronts.size(), 1U);
  EXPECT_EQ(pair.requests.not_understood + pair.replies.not_understood, 0);
}

// A session that continues on a new connection: both sides send how far they had got.
TEST(Messenger, SequenceNumbersMayFollowTheHandshake) {
  Pair pair;
  const std::string number = LittleEndian(0x0706050403020107, 8);
  pair.Server(ServerBanner());
  pair.Client(ClientBanner() + Connect());
  EXPECT_EQ(pair.Server(Reply(kSequence) + number + Message(Op())),
            Reply(kSequence) + number + Message(Op()));
  EXPECT_EQ(pair.Client(number + Message(Op())), number + Message(Op()));
  EXPECT_EQ(pair.requests.fronts.size(), 1U);
  EXPECT_EQ(pair.replies.fronts.size(), 1U);
}

TEST(Messenger, ClientThatDoesNotAwaitTheAnswerIsNotUnderstood) {
  Pair pair;
  pair.Client(ClientBanner() + Connect());
  EXPECT_EQ(pair.Client(Message(Op())), Message(Op()));
  EXPECT_EQ(pair.requests.not_understood, 1);
}

TEST(Messenger, ServerThatAnswersSomethingElseIsNotUnderstood) {
  Pair pair;
  const std::string answer = ServerBanner() + Reply('\x7f') + Ack();
  EXPECT_EQ(pair.Server(answer), answer);
  EXPECT_EQ(pair.replies.not_understood, 1);
}

// RFC 3720, appendix B.4: 32 zero bytes have the checksum 8a9136aa, with inverted input and output.
TEST(Messenger, CheckSumIsCephs) {
  EXPECT_EQ(CephCrc32c(0xffffffff, std::string(32, '\0')), ~0x8a9136aaU);
  EXPECT_EQ(CephCrc32c(0, "any bytes"), Crc("any bytes"));
}

}  // namespace
}  // namespace tracekin::testing
