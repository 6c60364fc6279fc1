// SPDX-License-Identifier: Apache-2.0
// The files that a connection to an HTTP collector needs: its credential, the certificate
// authorities to trust, and the client's certificate and key.
//
// Thread-safety: none.
#ifndef TRACEKIN_EXPORTER_TRANSPORT_HTTP_FILES_H
#define TRACEKIN_EXPORTER_TRANSPORT_HTTP_FILES_H

#include <functional>
#include <optional>
#include <string>

#include "exporter/transport/credential_file.h"
#include "exporter/transport/kept_file.h"
#include "tracekin/options.h"

namespace tracekin::exporter {

struct HttpFiles {
  /// Reads the files that `options` name, and the system's authorities if an https collector needs
  /// them. Throws std::bad_alloc.
  explicit HttpFiles(const ExporterOptions& options);

  std::optional<CredentialFile> credential;
  std::optional<KeptFile> authorities;
  std::optional<KeptFile> certificate;
  std::optional<KeptFile> key;  // set if `certificate` is
};

/// Calls PreloadFile() for the same files. Returns the first error message, or "". A system without
/// authorities is not an error.
std::string PreloadHttpFiles(const ExporterOptions& options);

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_TRANSPORT_HTTP_FILES_H
