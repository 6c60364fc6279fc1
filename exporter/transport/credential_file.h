// SPDX-License-Identifier: Apache-2.0
// Reads a collector's credential from a file that may be replaced while the process runs.
//
// Thread-safety: none. Error messages never quote the content of the file.
#ifndef TRACEKIN_EXPORTER_TRANSPORT_CREDENTIAL_FILE_H
#define TRACEKIN_EXPORTER_TRANSPORT_CREDENTIAL_FILE_H

#include <cstddef>
#include <string>

#include "exporter/transport/kept_file.h"

namespace tracekin::exporter {

class CredentialFile {
 public:
  enum class Scheme {
    kBearer,  // the file contains one token (RFC 6750, section 2.1)
    kBasic,   // the file contains user:password (RFC 7617, section 2)
  };

  static constexpr std::size_t kMaxBytes = 65536;

  CredentialFile(Scheme scheme, std::string path);

  /// Reads the file again if it has changed, and uses its last content while it cannot be opened.
  /// One line break after the credential is ignored. Returns an error message that names the file,
  /// or an empty string. Throws std::bad_alloc.
  std::string Refresh();

  /// Returns "Bearer TOKEN" or "Basic BASE64" as of the last Refresh(), or an empty string if that
  /// failed.
  const std::string& authorization() const { return authorization_; }

  const std::string& path() const { return file_.path(); }

 private:
  std::string Take(std::string credential);

  Scheme scheme_;
  KeptFile file_;
  std::string authorization_;
};

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_TRANSPORT_CREDENTIAL_FILE_H
