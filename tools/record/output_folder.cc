// SPDX-License-Identifier: Apache-2.0
#include "tools/record/output_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/file_descriptor.h"
#include "base/terminal.h"
#include "tools/record/session.h"

namespace tracekin::record {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void Refuse(const fs::path& folder, const std::string& why) {
  throw RecordError(ForTerminal(folder.string()) + why + ": name another folder with -o.");
}

[[noreturn]] void CannotMake(const fs::path& folder, const std::string& why) {
  throw RecordError("cannot create the folder " + ForTerminal(folder.string()) + ": " + why + ".");
}

struct stat StatusOf(const fs::path& folder) {
  struct stat status {};
  if (lstat(folder.c_str(), &status) != 0) CannotMake(folder, std::strerror(errno));
  return status;
}

bool IsOwn(const struct stat& status) { return status.st_uid == geteuid(); }

// Returns whether the owner is trusted. Under sudo, that includes the caller, who works in their
// own folders.
bool IsTrusted(const struct stat& status) {
  const char* const caller = geteuid() == 0 ? std::getenv("SUDO_UID") : nullptr;
  return IsOwn(status) || status.st_uid == 0 ||
         (caller != nullptr && std::to_string(status.st_uid) == caller);
}

// Checks the folders from `folder` up to the root. REQUIRES: `folder` exists, and its path has no
// links.
void CheckAbove(const fs::path& folder) {
  bool trusted = true;  // true if the owner of the folder below is trusted
  for (fs::path above = folder, below;; below = above, above = above.parent_path()) {
    const struct stat status = StatusOf(above);
    const bool anybodys = (status.st_mode & S_IWOTH) != 0;
    if (anybodys && (status.st_mode & S_ISVTX) == 0) {
      Refuse(above, " is writable by all users, and one of them could put a link there");
    }
    if (anybodys && !trusted) Refuse(below, " belongs to another user, who could put a link there");
    if (above == above.parent_path()) return;
    trusted = IsTrusted(status);
  }
}

// Checks an existing output folder. The user's own group does not count as other users.
void CheckFound(const fs::path& folder) {
  const struct stat status = StatusOf(folder);
  if (S_ISLNK(status.st_mode)) Refuse(folder, " is a link");
  if (!S_ISDIR(status.st_mode)) Refuse(folder, " is not a folder");
  if (!IsOwn(status)) Refuse(folder, " belongs to another user");
  const bool others = (status.st_mode & S_IWOTH) != 0 ||
                      ((status.st_mode & S_IWGRP) != 0 && status.st_gid != getegid());
  if (others) Refuse(folder, " is writable by other users");
  std::error_code error;
  if (!fs::is_empty(folder, error)) Refuse(folder, " exists and is not empty");
}

}  // namespace

std::string PrepareOutputFolder(const std::string& folder) {
  fs::path asked = fs::path(folder).lexically_normal();
  if (!asked.has_filename()) asked = asked.parent_path();  // the path ended with a slash
  std::error_code error;
  const fs::path above = fs::weakly_canonical(asked.parent_path(), error);
  if (error) CannotMake(asked, error.message());
  fs::path there = above;
  while (!fs::exists(there)) there = there.parent_path();
  CheckAbove(there);
  fs::create_directories(above, error);
  if (error) CannotMake(asked, error.message());
  const fs::path made = above / asked.filename();
  if (mkdir(made.c_str(), 0700) != 0) {
    if (errno != EEXIST) CannotMake(asked, std::strerror(errno));
    CheckFound(made);
  }
  return made.string();
}

// Changes the owner of the folder last, so that nobody else can put links into it before that.
void GiveOutputFolder(const std::string& folder, const Account& account) {
  FileDescriptor opened;
  opened.Set(open(folder.c_str(), O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  if (opened.get() < 0 || fstat(opened.get(), &status) != 0 || !IsOwn(status)) return;
  std::error_code error;
  const std::string inside = "/proc/self/fd/" + std::to_string(opened.get()) + "/";
  for (auto entry = fs::recursive_directory_iterator(inside, error);
       !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (lchown(entry->path().c_str(), account.user, account.group) != 0) return;
  }
  if (fchown(opened.get(), account.user, account.group) != 0) return;
}

}  // namespace tracekin::record
