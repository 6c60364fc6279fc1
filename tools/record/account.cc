// SPDX-License-Identifier: Apache-2.0
#include "tools/record/account.h"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <cstdlib>

#include "base/terminal.h"
#include "tools/record/session.h"

namespace tracekin::record {

namespace {

// Returns the entry of the user database for a name, or for a number in decimal.
const passwd* Find(const std::string& name) {
  const passwd* const named = getpwnam(name.c_str());
  const bool number = !name.empty() && name.size() < 10 &&
                      name.find_first_not_of("0123456789") == std::string::npos;
  if (named != nullptr || !number) return named;
  return getpwuid(static_cast<uid_t>(std::atol(name.c_str())));
}

Account ToAccount(const passwd& entry) {
  return {entry.pw_uid, entry.pw_gid, entry.pw_name, entry.pw_dir};
}

}  // namespace

std::optional<Account> SudoCaller() {
  const char* const caller = geteuid() == 0 ? std::getenv("SUDO_UID") : nullptr;
  const passwd* const entry = caller == nullptr ? nullptr : Find(caller);
  if (entry == nullptr || entry->pw_uid == 0) return std::nullopt;
  return ToAccount(*entry);
}

Account AccountOf(const std::string& name) {
  const passwd* const entry = Find(name);
  if (entry == nullptr) throw RecordError("there is no user " + ForTerminal(name) + ".");
  if (geteuid() != 0 && entry->pw_uid != geteuid()) {
    throw RecordError("only root can run a command as another user.");
  }
  return ToAccount(*entry);
}

bool Become(const Account& account) {
  const bool root = geteuid() == 0;
  if (root && initgroups(account.name.c_str(), account.group) != 0) return false;
  if (root && (setgid(account.group) != 0 || setuid(account.user) != 0)) return false;
  setenv("HOME", account.home.c_str(), 1);
  setenv("USER", account.name.c_str(), 1);
  setenv("LOGNAME", account.name.c_str(), 1);
  return true;
}

}  // namespace tracekin::record
