// SPDX-License-Identifier: Apache-2.0
// Reads a collector's credential from a file that may be replaced while the process runs.
//
// Thread-safety: none. Error messages never quote the content of the file.
#ifndef TRACEKIN_EXPORTER_TRANSPORT_CREDENTIAL_FILE_H
#define TRACEKIN_EXPORTER_TRANSPORT_CREDENTIAL_FILE_H

#include <sys/stat.h>
#include <time.h>

#include <string>
#include <string_view>

namespace tracekin::exporter {

class CredentialFile {
 public:
  enum class Scheme {
    kBearer,  // the file is one token (RFC 6750, section 2.1)
    kBasic,   // the file is user:password (RFC 7617, section 2)
  };

  CredentialFile(Scheme scheme, std::string path);

  /// Reads the file again if it changed since the last call. One line break after the credential is
  /// ignored. Returns an error message that names the file, or an empty string. Throws
  /// std::bad_alloc.
  std::string Refresh();

  /// Returns "Bearer TOKEN" or "Basic BASE64" as of the last Refresh(), or an empty string if that
  /// failed.
  const std::string& authorization() const { return authorization_; }

 private:
  bool IsAsItWas(const struct stat& file) const;
  std::string Take(std::string_view credential);

  const Scheme scheme_;
  const std::string path_;
  std::string authorization_;
  struct stat file_ = {};      // its metadata at the last read
  struct timespec read_ = {};  // time of the last read
};

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_TRANSPORT_CREDENTIAL_FILE_H
