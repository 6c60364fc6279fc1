// SPDX-License-Identifier: Apache-2.0
// Runs a transport's libcurl requests with a deadline, and only on descriptors that are still ours.
//
// A host may close all descriptors that it does not know, and open the same numbers again. libcurl
// would then write to the host's sockets and close them. Each use of libcurl that could touch a
// descriptor is therefore preceded by a check that all of them are still ours. If one is not, the
// handles are leaked, and the peer is not told.
//
// libcurl also makes a pair of descriptors for itself, by which another thread could wake it. Their
// numbers are unknown, but they lie between two sockets of ours ("guards"), and count as lost as
// soon as one of these is lost. The pair is never used: a waiting thread looks for interrupts every
// 20 ms.
//
// Thread-safety: one thread at a time.
#ifndef TRACEKIN_EXPORTER_TRANSPORT_CURL_TRANSFER_H
#define TRACEKIN_EXPORTER_TRANSPORT_CURL_TRANSFER_H

#include <curl/curl.h>

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "exporter/transport/curl.h"
#include "exporter/transport/earliest_deadline.h"
#include "exporter/transport/resolver.h"
#include "exporter/transport/sockets.h"
#include "tracekin/transport.h"

namespace tracekin::exporter {

/// How long a wait may last before Transport::Interrupt() is noticed.
constexpr std::chrono::milliseconds kLongestWait{20};

/// The error message of a batch when the host has closed our descriptors.
constexpr const char* kLostWords = "the host process has closed the connection's file descriptors";

class CurlTransfer {
 public:
  using Clock = Transport::Clock;

  /// Borrows `sockets`, which must be empty and which nobody else may use. Throws
  /// std::runtime_error if no handle or no descriptor is available.
  explicit CurlTransfer(Sockets* sockets);

  /// Ends the connection as its protocol specifies. A connection whose descriptors are no longer
  /// ours is left alone.
  ~CurlTransfer();

  CURL* easy() const { return easy_.get(); }

  /// Same as curl_easy_setopt(). Throws std::runtime_error.
  template <class Value>
  void Set(CURLoption option, Value value) {
    CheckCurl(curl_easy_setopt(easy(), option, value));
  }

  /// Makes the next connection use the addresses from `resolver`, unless that is null. An existing
  /// connection is kept even if its address differs. Returns "", or an error message if no address
  /// is known.
  std::string Resolve(Resolver* resolver, const EarliestDeadline& interrupt,
                      Clock::time_point deadline);

  /// Returns whether all descriptors are still ours. If not, the object can only be destroyed.
  bool IsOurs() const noexcept {
    return sockets_->IsOurs(guards_[0]) && sockets_->IsOurs(guards_[1]) && sockets_->AllOurs();
  }

  /// Returns whether there is a connection, in use or kept alive.
  bool HasConnection() const noexcept {
    return sockets_->count() > static_cast<int>(guards_.size());
  }

  /// Performs the request that the options describe. Returns libcurl's code, or nothing if
  /// `deadline`, or an earlier one in `interrupt`, passed first. End() must be the next call.
  std::optional<CURLcode> Run(const EarliestDeadline& interrupt,
                              Clock::time_point deadline) noexcept;

  /// Ends the request of Run(). The connection is kept if the options and the peer allow it.
  void End() noexcept;

  /// Returns a one-line error message. libcurl's messages name the host, but never the user or
  /// password.
  std::string Words(CURLcode code) const;

 private:
  struct MultiDeleter {
    void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
  };
  struct EasyDeleter {
    void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
  };
  struct ListDeleter {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  };

  struct CloseSockets {
    void operator()(Sockets* sockets) const { sockets->CloseAll(); }
  };

  bool Perform() noexcept;
  int OpenGuard();

  const std::unique_ptr<Sockets, CloseSockets> sockets_;
  std::array<int, 2> guards_{-1, -1};
  std::array<char, CURL_ERROR_SIZE> error_{};
  std::unique_ptr<curl_slist, ListDeleter> addresses_;
  std::unique_ptr<CURLM, MultiDeleter> multi_;  // keeps the connection
  std::unique_ptr<CURL, EasyDeleter> easy_;     // the request
  bool added_ = false;                          // true if easy_ was added to multi_
};

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_TRANSPORT_CURL_TRANSFER_H
