// SPDX-License-Identifier: Apache-2.0
// The user as whom the recorded command runs.
//
// Thread-safety: one thread, because the user database is read with functions that are not safe.
#ifndef TRACEKIN_TOOLS_RECORD_ACCOUNT_H
#define TRACEKIN_TOOLS_RECORD_ACCOUNT_H

#include <sys/types.h>

#include <optional>
#include <string>

namespace tracekin::record {

struct Account {
  uid_t user = 0;
  gid_t group = 0;
  std::string name;
  std::string home;
};

/// Returns the user who called sudo, or nothing if this process is not root or was not started by
/// sudo.
std::optional<Account> SudoCaller();

/// Returns the user with that name or number. Throws RecordError if there is none, or if this
/// process is not root and may not become that user.
Account AccountOf(const std::string& name);

/// Changes the user of this process, and its groups, HOME, USER and LOGNAME. Returns false and sets
/// errno if that fails. In this case the process must not continue.
bool Become(const Account& account);

}  // namespace tracekin::record

#endif  // TRACEKIN_TOOLS_RECORD_ACCOUNT_H
