// SPDX-License-Identifier: Apache-2.0
// A libcurl handle at work for a transport: with a deadline, and on descriptors that are checked to
// be ours.
//
// A host may close all descriptors that it does not know, and open the same numbers anew. libcurl
// would then write to the host's sockets, and close them. So each use of libcurl that could touch a
// descriptor first asks whether all of them are ours; if one is not, the handles are leaked, without
// a word to the peer. The descriptors that libcurl makes for itself, a pair that Interrupt() could
// wake it by, are not known by number. They lie between two sockets of ours, and count as lost as
// soon as one of these is. They are never used: who waits looks up every 20 ms.
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

namespace tracekin {

/// How soon Transport::Interrupt() is noticed.
constexpr std::chrono::milliseconds kLongestWait{20};

/// What a batch fails with when the host has closed our descriptors.
constexpr const char* kLostWords = "the host has closed the connection's descriptors";

class CurlTransfer {
 public:
  using Clock = Transport::Clock;

  /// Borrows `sockets`, which hold nothing else. Throws std::runtime_error if there is no handle or
  /// no descriptor to be had.
  explicit CurlTransfer(Sockets* sockets);

  /// Ends the connection, as the protocol has it; one that is not ours any more is left alone.
  ~CurlTransfer();

  CURL* easy() const { return easy_.get(); }

  /// As curl_easy_setopt(). Throws std::runtime_error.
  template <class Value>
  void Set(CURLoption option, Value value) {
    CheckCurl(curl_easy_setopt(easy(), option, value));
  }

  /// Has the next connection use the addresses that `resolver` knows, if there is one; a connection
  /// that is there is used whatever they are. Returns "", or why there are none.
  std::string Resolve(Resolver* resolver, const EarliestDeadline& interrupt,
                      Clock::time_point deadline);

  /// Whether all descriptors still are ours. If not the object is of no use but to be destroyed.
  bool IsOurs() const noexcept {
    return sockets_->IsOurs(guards_[0]) && sockets_->IsOurs(guards_[1]) && sockets_->AllOurs();
  }

  /// Whether there is a connection, used or kept.
  bool HasConnection() const noexcept {
    return sockets_->count() > static_cast<int>(guards_.size());
  }

  /// Does what the options say. Returns libcurl's code, or nothing if the deadline was first, or an
  /// earlier one in `interrupt`. Then End() must be called before anything else.
  std::optional<CURLcode> Run(const EarliestDeadline& interrupt,
                              Clock::time_point deadline) noexcept;

  /// Lets go of what Run() has done. A connection is kept if the options, and the peer, allow it.
  void End() noexcept;

  /// What went wrong, in one line. libcurl's texts name the host, never the user or password.
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
  bool added_ = false;                          // easy_ to multi_
};

}  // namespace tracekin

#endif  // TRACEKIN_EXPORTER_TRANSPORT_CURL_TRANSFER_H
