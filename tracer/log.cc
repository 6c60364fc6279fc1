// SPDX-License-Identifier: Apache-2.0
#include "tracer/log.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "base/file_descriptor.h"
#include "base/one_line.h"
#include "base/standard_descriptors.h"
#include "base/standard_error.h"
#include "base/without_signals.h"
#include "configuration/environment.h"

namespace tracekin {

namespace {

int SyslogPriority(LogLevel level) {
  constexpr int kDaemon = 3 << 3;  // RFC 3164, section 4.1.1
  constexpr int kErrorSeverity = 3, kWarningSeverity = 4, kInfoSeverity = 6;
  if (level == LogLevel::kError) return kDaemon | kErrorSeverity;
  return kDaemon | (level == LogLevel::kWarning ? kWarningSeverity : kInfoSeverity);
}

// Opens the file for each line, because logrotate may have renamed it.
bool AppendToFile(const std::string& path, const std::string& line) {
  FileDescriptor file;
  file.Set(AboveStandardDescriptors(
      open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0640)));
  struct stat status;
  if (file.get() < 0 || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  const WithoutSignals no_signals;
  return write(file.get(), line.data(), line.size()) == static_cast<ssize_t>(line.size());
}

}  // namespace

bool SendToSyslog(LogLevel level, const std::string& service, const std::string& message,
                  const char* socket_path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, socket_path, sizeof address.sun_path - 1);
  FileDescriptor socket;
  socket.Set(
      AboveStandardDescriptors(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)));
  if (socket.get() < 0) return false;
  // The daemon adds the time.
  const std::string text = '<' + std::to_string(SyslogPriority(level)) + ">tracekin[" +
                           std::to_string(getpid()) + "]: " + service + ": " + message;
  return sendto(socket.get(), text.data(), text.size(), MSG_NOSIGNAL,
                reinterpret_cast<const sockaddr*>(&address), sizeof address) >= 0;
}

void LogUnknownVariables(const Options& options) {
  for (const std::string& warning : configuration::UnknownVariables()) {
    LoggerOf(options)(LogLevel::kWarning, warning);
  }
}

Logger LoggerOf(const Options& options) {
  if (options.logger) return options.logger;
  return [target = options.log.target, service = OneLine(options.service_name)](
             LogLevel level, const std::string& message) {
    const bool to_file = !target.empty() && target[0] == '/';
    const bool to_syslog = target == "syslog" || (target.empty() && StandardErrorIsNull());
    if (to_file && AppendToFile(target, LogLine(service, message) + '\n')) return;
    if (to_syslog && SendToSyslog(level, service, message)) return;
    SayOnStandardError(message, service);
  };
}

}  // namespace tracekin
