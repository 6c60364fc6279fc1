// SPDX-License-Identifier: Apache-2.0
#include "tests/plugin/host_tls.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>

namespace tracekin::testing {
namespace {

struct Deleter {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509* certificate) const { X509_free(certificate); }
};
template <class T>
using Owned = std::unique_ptr<T, Deleter>;

void Require(bool condition, const char* what) {
  if (!condition) throw std::runtime_error(std::string("OpenSSL: ") + what);
}

std::string Text(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

Owned<BIO> Reader(const std::string& text) {
  return Owned<BIO>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

Owned<X509> CertificateOf(const Identity& identity) {
  return Owned<X509>(
      PEM_read_bio_X509(Reader(identity.certificate).get(), nullptr, nullptr, nullptr));
}

void AddExtension(X509* certificate, int kind, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value);
  Require(extension != nullptr && X509_add_ext(certificate, extension, -1) == 1, "extension");
  X509_EXTENSION_free(extension);
}

// Relays until either side ends. A TLS record has at most 16384 bytes, so no data stays behind in
// `ssl`.
void Relay(SSL* ssl, int backend) {
  char buffer[16384];
  pollfd ends[] = {{SSL_get_fd(ssl), POLLIN, 0}, {backend, POLLIN, 0}};
  for (;;) {
    poll(ends, 2, -1);
    if (ends[0].revents != 0) {
      const int size = SSL_read(ssl, buffer, sizeof buffer);
      if (size <= 0 || send(backend, buffer, static_cast<std::size_t>(size), MSG_NOSIGNAL) != size)
        return;
    }
    if (ends[1].revents != 0) {
      const ssize_t size = recv(backend, buffer, sizeof buffer, 0);
      if (size <= 0 || SSL_write(ssl, buffer, static_cast<int>(size)) <= 0) return;
    }
  }
}

}  // namespace

Identity MakeIdentity() {
  const Owned<EVP_PKEY> key(EVP_EC_gen("P-256"));
  const Owned<X509> certificate(X509_new());
  Require(key && certificate, "no key");
  X509_set_version(certificate.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
  X509_set_pubkey(certificate.get(), key.get());
  X509_NAME* const name = X509_get_subject_name(certificate.get());
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>("host"), -1, -1, 0);
  X509_set_issuer_name(certificate.get(), name);
  AddExtension(certificate.get(), NID_basic_constraints, "critical,CA:TRUE");
  AddExtension(certificate.get(), NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1");
  Require(X509_sign(certificate.get(), key.get(), EVP_sha256()) > 0, "no signature");

  const Owned<BIO> certificate_text(BIO_new(BIO_s_mem())), key_text(BIO_new(BIO_s_mem()));
  Require(PEM_write_bio_X509(certificate_text.get(), certificate.get()) == 1, "no PEM");
  Require(PEM_write_bio_PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr,
                                   nullptr) == 1,
          "no PEM");
  return {Text(certificate_text.get()), Text(key_text.get())};
}

SslContext MakeServerContext(const Identity& identity) {
  SslContext context(SSL_CTX_new(TLS_server_method()));
  const Owned<EVP_PKEY> key(
      PEM_read_bio_PrivateKey(Reader(identity.key).get(), nullptr, nullptr, nullptr));
  Require(context && SSL_CTX_use_certificate(context.get(), CertificateOf(identity).get()) == 1 &&
              SSL_CTX_use_PrivateKey(context.get(), key.get()) == 1,
          "no server");
  return context;
}

std::string SendThroughTls(const Identity& identity, const std::string& text) {
  const SslContext server_context = MakeServerContext(identity);
  const SslContext client_context(SSL_CTX_new(TLS_client_method()));
  SSL_CTX_set_verify(client_context.get(), SSL_VERIFY_PEER, nullptr);
  X509_STORE_add_cert(SSL_CTX_get_cert_store(client_context.get()), CertificateOf(identity).get());

  const Ssl server(SSL_new(server_context.get())), client(SSL_new(client_context.get()));
  SSL_set1_host(client.get(), "localhost");
  BIO* of_server = nullptr;
  BIO* of_client = nullptr;
  Require(BIO_new_bio_pair(&of_server, 0, &of_client, 0) == 1, "no BIOs");
  SSL_set_bio(server.get(), of_server, of_server);
  SSL_set_bio(client.get(), of_client, of_client);
  SSL_set_accept_state(server.get());
  SSL_set_connect_state(client.get());
  for (int turns = 0; SSL_do_handshake(client.get()) + SSL_do_handshake(server.get()) != 2;) {
    Require(++turns < 20, "no handshake");
  }
  std::string read(text.size(), '\0');
  const int size = static_cast<int>(text.size());
  Require(SSL_write(client.get(), text.data(), size) == size, "nothing written");
  Require(SSL_read(server.get(), read.data(), size) == size, "nothing read");
  return read;
}

TlsFront::TlsFront(const Identity& identity, std::uint16_t backend)
    : context_(MakeServerContext(identity)), backend_(backend), thread_([this] { Accept(); }) {}

// The connections end when their clients close them.
TlsFront::~TlsFront() {
  shutdown(listener_.socket(), SHUT_RDWR);
  thread_.join();
  for (std::thread& connection : connections_) connection.join();
}

void TlsFront::Accept() {
  sigset_t signals;  // because OpenSSL writes to sockets without MSG_NOSIGNAL
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  for (;;) {
    const int client = accept4(listener_.socket(), nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) return;
    connections_.emplace_back([this, client] { Serve(client); });
  }
}

void TlsFront::Serve(int client) const {
  const int backend = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(backend_);
  const Ssl ssl(SSL_new(context_.get()));
  SSL_set_fd(ssl.get(), client);
  if (SSL_accept(ssl.get()) == 1 &&
      connect(backend, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    Relay(ssl.get(), backend);
    SSL_shutdown(ssl.get());
  }
  close(backend);
  shutdown(client, SHUT_RDWR);  // a forked child may hold it as well
  close(client);
}

}  // namespace tracekin::testing
