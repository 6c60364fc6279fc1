// SPDX-License-Identifier: Apache-2.0
#include "exporter/transport/credential_file.h"

#include <algorithm>
#include <utility>

#include "base/base64.h"

namespace tracekin::exporter {

namespace {

bool IsPrintable(char c) { return c > ' ' && c < '\x7f'; }
bool IsControl(char c) { return (c >= 0 && c < ' ') || c == '\x7f'; }

}  // namespace

CredentialFile::CredentialFile(Scheme scheme, std::string path)
    : scheme_(scheme), file_(std::move(path), kMaxBytes) {}

std::string CredentialFile::Refresh() {
  if (!file_.Refresh() && !authorization_.empty()) return {};
  authorization_.clear();
  if (!file_.content()) return "cannot read " + path() + ": " + file_.error();
  return Take(*file_.content());
}

std::string CredentialFile::Take(std::string credential) {
  if (!credential.empty() && credential.back() == '\n') credential.pop_back();
  if (!credential.empty() && credential.back() == '\r') credential.pop_back();
  if (credential.empty()) return path() + " is empty";
  if (scheme_ == Scheme::kBearer) {
    if (!std::all_of(credential.begin(), credential.end(), IsPrintable)) {
      return path() + " must contain one token and nothing else";
    }
    authorization_ = "Bearer " + credential;
  } else {
    if (credential.find(':') == std::string::npos ||
        std::any_of(credential.begin(), credential.end(), IsControl)) {
      return path() + " must contain one line of the form user:password";
    }
    authorization_ = "Basic ";
    AppendBase64(credential, &authorization_);
  }
  return {};
}

}  // namespace tracekin::exporter
