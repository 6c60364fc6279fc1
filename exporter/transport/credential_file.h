// SPDX-License-Identifier: Apache-2.0
// A file with a credential for a collector, which may be replaced while the process runs.
//
// Not synchronised. What the file holds is in no message.
#ifndef TRACEKIN_EXPORTER_TRANSPORT_CREDENTIAL_FILE_H
#define TRACEKIN_EXPORTER_TRANSPORT_CREDENTIAL_FILE_H

#include <sys/stat.h>
#include <time.h>

#include <string>
#include <string_view>

namespace tracekin {

class CredentialFile {
 public:
  enum class Scheme {
    kBearer,  // the file is one token (RFC 6750, section 2.1)
    kBasic,   // the file is user:password (RFC 7617, section 2)
  };

  CredentialFile(Scheme scheme, std::string path);

  /// Reads the file, if it is not as it was at the last call. A line's end after the credential
  /// belongs to it no more. Returns what is wrong, naming the file, or an empty text. Throws
  /// std::bad_alloc.
  std::string Refresh();

  /// "Bearer TOKEN" or "Basic BASE64", as the last Refresh() left it; empty if that failed.
  const std::string& authorization() const { return authorization_; }

 private:
  bool IsAsItWas(const struct stat& file) const;
  std::string Take(std::string_view credential);

  const Scheme scheme_;
  const std::string path_;
  std::string authorization_;
  struct stat file_ = {};      // when it was read
  struct timespec read_ = {};  // when that was
};

}  // namespace tracekin

#endif  // TRACEKIN_EXPORTER_TRANSPORT_CREDENTIAL_FILE_H
