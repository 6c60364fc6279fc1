// SPDX-License-Identifier: Apache-2.0
#include "tools/record/session.h"

#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/terminal.h"

namespace tracekin::record {

namespace {

using Handle = std::unique_ptr<lttng_handle, decltype(&lttng_destroy_handle)>;

constexpr char kKernelNeedsRoot[] =
    "only root's session daemon can trace the kernel. Record as root, or start that daemon "
    "(sudo lttng-sessiond --daemonize) and join the group `tracing`.";

void Check(int code, const std::string& step) {
  if (code < 0) throw RecordError(Explain(step, code));
}

void Check(lttng_error_code code, const std::string& step) {
  if (code != LTTNG_OK) throw RecordError(Explain(step, -code));
}

std::string NoKernelTracer() {
  utsname system{};
  uname(&system);
  return std::string(
             "the session daemon has no kernel tracer: LTTng's modules are not installed for the "
             "kernel ") +
         system.release +
         ", or cannot be loaded. Install lttng-modules-dkms and this kernel's headers and restart "
         "the daemon, or record without --kernel.";
}

lttng_domain Domain(lttng_domain_type type) {
  lttng_domain domain{};
  domain.type = type;
  domain.buf_type = type == LTTNG_DOMAIN_KERNEL ? LTTNG_BUFFER_GLOBAL : LTTNG_BUFFER_PER_UID;
  return domain;
}

Handle HandleOf(const std::string& session, lttng_domain_type type) {
  lttng_domain domain = Domain(type);
  Handle handle(lttng_create_handle(session.c_str(), &domain), lttng_destroy_handle);
  if (handle == nullptr) throw std::bad_alloc();
  return handle;
}

template <std::size_t size>
void Copy(const std::string& text, char (&to)[size]) {
  to[text.copy(to, size - 1)] = '\0';
}

}  // namespace

std::string Explain(const std::string& step, int code) {
  const std::string prefix = "cannot " + step + ": ";
  switch (-code) {
    case LTTNG_ERR_NO_SESSIOND:
      return prefix +
             "no LTTng session daemon responds. Its log has the reason (lttng-sessiond -vv).";
    case LTTNG_ERR_KERN_NA:
    case LTTNG_ERR_KERN_LIST_FAIL:
      return prefix + NoKernelTracer();
    case LTTNG_ERR_NEED_ROOT_SESSIOND:
      return prefix + kKernelNeedsRoot;
    case LTTNG_ERR_EPERM:
      return prefix +
             "permission denied. The session daemon belongs to another user: join the group "
             "`tracing`, or record as root.";
    case LTTNG_ERR_CREATE_DIR_FAIL:
      return prefix +
             "the folder cannot be created. Is the disk full, or is the parent folder not "
             "writable?";
    default:
      return prefix + lttng_strerror(code) + ".";
  }
}

bool EnsureDaemon() {
  if (lttng_session_daemon_alive() == 1) return false;
  const pid_t child = fork();
  if (child == 0) {
    // Prints its errors to standard error, where the user sees them.
    execlp("lttng-sessiond", "lttng-sessiond", "--daemonize", nullptr);
    _exit(127);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) {
    throw RecordError(std::string("cannot start lttng-sessiond: ") + std::strerror(errno));
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
    throw RecordError("cannot start lttng-sessiond: it is not installed. Install lttng-tools.");
  }
  // The daemon is ready when its parent ends.
  if (status != 0 || lttng_session_daemon_alive() != 1) {
    throw RecordError(
        "lttng-sessiond does not start. Its log has the reason (lttng-sessiond -vv).");
  }
  return true;
}

void RequireKernelTracer() {
  lttng_domain domain = Domain(LTTNG_DOMAIN_KERNEL);
  const Handle handle(lttng_create_handle(nullptr, &domain), lttng_destroy_handle);
  if (handle == nullptr) throw std::bad_alloc();
  lttng_event* events = nullptr;
  const int count = lttng_list_tracepoints(handle.get(), &events);
  std::free(events);
  Check(count, "record the kernel");
}

Session::Session(const Plan& plan) : plan_(plan) {
  if (plan.channels.front().domain == LTTNG_DOMAIN_KERNEL) RequireKernelTracer();
  const auto make = plan.snapshot ? lttng_session_descriptor_snapshot_local_create
                                  : lttng_session_descriptor_local_create;
  const std::unique_ptr<lttng_session_descriptor, decltype(&lttng_session_descriptor_destroy)>
      descriptor(make(plan.session.c_str(), plan.output.c_str()), lttng_session_descriptor_destroy);
  if (descriptor == nullptr)
    throw RecordError("the folder " + ForTerminal(plan.output) + " is not accepted by LTTng.");
  Check(lttng_create_session_ext(descriptor.get()), "create a session");
  created_ = true;
  try {
    for (const Channel& channel : plan.channels) Enable(channel);
    Track();
    Check(lttng_start_tracing(plan.session.c_str()), "start to record");
  } catch (...) {
    lttng_destroy_session(plan.session.c_str());
    throw;
  }
}

void Session::Enable(const Channel& channel) {
  const Handle handle = HandleOf(plan_.session, channel.domain);
  lttng_domain domain = Domain(channel.domain);
  const std::unique_ptr<lttng_channel, decltype(&lttng_channel_destroy)> made(
      lttng_channel_create(&domain), lttng_channel_destroy);
  if (made == nullptr) throw std::bad_alloc();
  Copy(channel.name, made->name);
  made->attr.overwrite = plan_.snapshot ? 1 : 0;
  made->attr.subbuf_size = plan_.subbuf_bytes;
  made->attr.num_subbuf = kSubbufs;
  Check(lttng_enable_channel(handle.get(), made.get()), "create buffers for " + channel.name);

  for (const Event& event : channel.events) {
    const std::unique_ptr<lttng_event, decltype(&lttng_event_destroy)> rule(lttng_event_create(),
                                                                            lttng_event_destroy);
    if (rule == nullptr) throw std::bad_alloc();
    rule->type = event.type;
    Copy(event.name, rule->name);
    rule->loglevel_type = LTTNG_EVENT_LOGLEVEL_ALL;
    rule->loglevel = -1;
    const int code = lttng_enable_event_with_exclusions(handle.get(), rule.get(),
                                                        channel.name.c_str(), nullptr, 0, nullptr);
    if (!event.optional) Check(code, "record the events " + event.name);
  }
  for (const Context& context : channel.contexts) {
    lttng_event_context added{};
    added.ctx = context.type;
    Check(lttng_add_context(handle.get(), &added, nullptr, channel.name.c_str()),
          std::string("add the context ") + context.name);
  }
}

// Limits tracekin's events to the chosen processes. The kernel's events are recorded for all
// threads, because a process may have waited for any other.
void Session::Track() {
  if (plan_.pids.empty()) return;
  const lttng_domain domain = Domain(LTTNG_DOMAIN_UST);
  lttng_process_attr_tracker_handle* tracker = nullptr;
  Check(lttng_session_get_tracker_handle(plan_.session.c_str(), domain.type,
                                         LTTNG_PROCESS_ATTR_VIRTUAL_PROCESS_ID, &tracker),
        "choose processes");
  const std::unique_ptr<lttng_process_attr_tracker_handle,
                        decltype(&lttng_process_attr_tracker_handle_destroy)>
      owner(tracker, lttng_process_attr_tracker_handle_destroy);
  bool chosen = lttng_process_attr_tracker_handle_set_tracking_policy(
                    tracker, LTTNG_TRACKING_POLICY_INCLUDE_SET) ==
                LTTNG_PROCESS_ATTR_TRACKER_HANDLE_STATUS_OK;
  for (const pid_t pid : plan_.pids) {
    chosen = chosen && lttng_process_attr_virtual_process_id_tracker_handle_add_pid(tracker, pid) ==
                           LTTNG_PROCESS_ATTR_TRACKER_HANDLE_STATUS_OK;
  }
  if (!chosen) throw RecordError("LTTng does not accept the list of processes.");
}

std::uint64_t Session::Discarded() const {
  std::uint64_t discarded = 0;
  for (const Channel& planned : plan_.channels) {
    const Handle handle = HandleOf(plan_.session, planned.domain);
    lttng_channel* listed = nullptr;
    const int count = lttng_list_channels(handle.get(), &listed);
    const std::unique_ptr<lttng_channel, decltype(&std::free)> owner(listed, std::free);
    for (int i = 0; i < count; ++i) {
      std::uint64_t events = 0;
      if (lttng_channel_get_discarded_event_count(&listed[i], &events) == 0) discarded += events;
    }
  }
  return discarded;
}

void Session::Finish() {
  if (!created_) return;
  created_ = false;
  const char* name = plan_.session.c_str();
  const int stopped = lttng_stop_tracing(name);
  const int snapshot = plan_.snapshot ? lttng_snapshot_record(name, nullptr, 1) : 0;
  const int destroyed = lttng_destroy_session(name);
  Check(stopped, "stop the recording");
  Check(snapshot, "write the snapshot");
  Check(destroyed, "end the session");
}

Session::~Session() {
  if (created_) lttng_destroy_session(plan_.session.c_str());
}

}  // namespace tracekin::record
