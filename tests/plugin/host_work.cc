// SPDX-License-Identifier: Apache-2.0
#include "tests/plugin/host_work.h"

#include <curl/curl.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <thrift/protocol/TCompactProtocol.h>
#include <thrift/transport/TBufferTransports.h>

#include <chrono>
#include <cstddef>
#include <future>
#include <utility>

#include "tests/support/wait.h"

namespace tracekin::testing {
namespace {

constexpr char kPage[] = "a page of the host's";

std::size_t Append(char* data, std::size_t size, std::size_t count, void* text) {
  static_cast<std::string*>(text)->append(data, size * count);
  return size * count;
}

void ExpectPage(const std::string& url, const Identity& identity) {
  const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> easy(curl_easy_init(),
                                                                 &curl_easy_cleanup);
  ASSERT_NE(easy, nullptr);
  std::string text;
  curl_blob authority = {const_cast<char*>(identity.certificate.data()),
                         identity.certificate.size(), CURL_BLOB_NOCOPY};
  curl_easy_setopt(easy.get(), CURLOPT_URL, url.c_str());
  curl_easy_setopt(easy.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy.get(), CURLOPT_NOPROXY, "*");
  curl_easy_setopt(easy.get(), CURLOPT_TIMEOUT, 20L);
  curl_easy_setopt(easy.get(), CURLOPT_CAINFO_BLOB, &authority);
  curl_easy_setopt(easy.get(), CURLOPT_WRITEFUNCTION, &Append);
  curl_easy_setopt(easy.get(), CURLOPT_WRITEDATA, &text);
  const CURLcode code = curl_easy_perform(easy.get());
  EXPECT_EQ(code, CURLE_OK) << curl_easy_strerror(code);
  EXPECT_EQ(text, kPage);
}

std::string Sha256(const std::string& text) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        &EVP_MD_CTX_free);
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr);
  EVP_DigestUpdate(context.get(), text.data(), text.size());
  EVP_DigestFinal_ex(context.get(), digest, &size);
  std::string hex;
  for (unsigned i = 0; i < size; ++i) {
    hex += "0123456789abcdef"[digest[i] >> 4];
    hex += "0123456789abcdef"[digest[i] & 15];
  }
  return hex;
}

std::string Text(const grpc::ByteBuffer& buffer) {
  grpc::Slice slice;
  EXPECT_TRUE(buffer.DumpToSingleSlice(&slice).ok());
  return {reinterpret_cast<const char*>(slice.begin()), slice.size()};
}

/// Answers every call with its request.
class Echo final : public grpc::CallbackGenericService {
  class Reactor final : public grpc::ServerGenericBidiReactor {
   public:
    Reactor() { StartRead(&message_); }
    void OnReadDone(bool ok) override {
      if (!ok) return Finish(grpc::Status::CANCELLED);
      StartWriteAndFinish(&message_, {}, grpc::Status::OK);
    }
    void OnDone() override { delete this; }

   private:
    grpc::ByteBuffer message_;
  };

  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext*) override {
    return new Reactor;
  }
};

}  // namespace

CurlWork::CurlWork(const Identity& identity)
    : identity_(identity),
      pages_([](FaultServer::Connection& c) { c.Answer("200 OK", kPage); }),
      front_(identity, pages_.port()) {}

void CurlWork::operator()() const {
  ExpectPage(pages_.url(), identity_);
  ExpectPage("https://localhost:" + std::to_string(front_.port()), identity_);
}

void OpensslWork::operator()() const {
  EXPECT_EQ(Sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(SendThroughTls(identity_, "a secret"), "a secret");
}

void ThriftWork::operator()() const {
  using namespace apache::thrift::protocol;
  const auto buffer = std::make_shared<apache::thrift::transport::TMemoryBuffer>();
  TCompactProtocol protocol(buffer);
  protocol.writeStructBegin("Host");
  protocol.writeFieldBegin("numbers", T_LIST, 7);
  protocol.writeListBegin(T_I64, 1000);
  for (std::int64_t i = 0; i < 1000; ++i) protocol.writeI64(i << 40);
  protocol.writeListEnd();
  protocol.writeFieldEnd();
  protocol.writeFieldStop();
  protocol.writeStructEnd();

  std::string name;
  TType type;
  std::int16_t field;
  std::uint32_t size;
  protocol.readStructBegin(name);
  protocol.readFieldBegin(name, type, field);
  EXPECT_EQ(type, T_LIST);
  EXPECT_EQ(field, 7);
  protocol.readListBegin(type, size);
  ASSERT_EQ(size, 1000U);
  std::int64_t wrong = 0;
  for (std::int64_t i = 0, number; i < 1000; ++i) {
    protocol.readI64(number);
    wrong += number != i << 40;
  }
  EXPECT_EQ(wrong, 0);
  protocol.readListEnd();
  protocol.readFieldEnd();
  protocol.readFieldBegin(name, type, field);
  EXPECT_EQ(type, T_STOP);
}

GrpcWork::GrpcWork(const Identity& identity)
    : identity_(identity), service_(std::make_unique<Echo>()) {
  grpc::SslServerCredentialsOptions options;
  options.pem_key_cert_pairs.push_back({identity.key, identity.certificate});
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::SslServerCredentials(options), &port_);
  builder.RegisterCallbackGenericService(service_.get());
  server_ = builder.BuildAndStart();
}

GrpcWork::~GrpcWork() { server_->Shutdown(); }

void GrpcWork::operator()() const {
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = identity_.certificate;
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);  // otherwise channels share a connection
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  grpc::GenericStub stub(grpc::CreateCustomChannel("localhost:" + std::to_string(port_),
                                                   grpc::SslCredentials(options), arguments));
  grpc::ClientContext context;
  context.set_wait_for_ready(true);
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
  const std::string text = "a call";
  const grpc::Slice slice(text);
  const grpc::ByteBuffer request(&slice, 1);
  grpc::ByteBuffer reply;
  std::promise<grpc::Status> done;
  stub.UnaryCall(&context, "/host/Echo", {}, &request, &reply,
                 [&done](grpc::Status status) { done.set_value(std::move(status)); });
  const grpc::Status status = done.get_future().get();
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(Text(reply), text);
}

Host::Host(const Identity& identity)
    : curl_(identity),
      openssl_(identity),
      grpc_(identity),
      works_({std::cref(curl_), std::cref(openssl_), std::cref(thrift_), std::cref(grpc_)}) {}

void Host::Work() const {
  for (const auto& work : works_) work();
}

void Host::WorkDuring(const std::function<void()>& body) const {
  std::atomic<std::size_t> working{0};
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (const auto& work : works_) {
    threads.emplace_back([&] {
      work();
      ++working;
      do work();
      while (!stop);
    });
  }
  EXPECT_TRUE(Eventually([&] { return working == works_.size(); }));
  body();
  stop = true;
  for (std::thread& thread : threads) thread.join();
}

}  // namespace tracekin::testing
