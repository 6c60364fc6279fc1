// SPDX-License-Identifier: Apache-2.0
#include "tools/record/plan.h"

#include <cstdio>
#include <string_view>
#include <utility>

#include "analysis/event.h"
#include "base/strings.h"

namespace tracekin::record {

namespace {

constexpr lttng_event_type kTracepoint = LTTNG_EVENT_TRACEPOINT;

// Returns the events from which the analysis determines the causes of waits.
std::vector<Event> LightEvents() {
  std::vector<Event> events = {
      // These show which thread runs, and which thread woke it.
      {"sched_switch"},
      {"sched_waking"},
      {"sched_wakeup_new"},
      {"sched_migrate_task"},
      {"sched_process_fork"},
      {"sched_process_exec"},
      {"sched_process_exit"},
      {"sched_process_free"},
      // These show the context in which a thread was woken: interrupts, timers.
      {"irq_handler_*"},
      {"irq_softirq_entry"},
      {"irq_softirq_exit"},
      {"timer_hrtimer_expire_*"},
      // These show waits for disks and for the network.
      {"block_rq_insert"},
      {"block_rq_issue"},
      {"block_rq_complete"},
      {"net_dev_queue"},
      {"net_if_receive_skb"},
      // These show which threads and disks existed at the start.
      {"lttng_statedump_process_state"},
      {"lttng_statedump_process_pid_ns"},
      {"lttng_statedump_block_device"},
  };
  for (const std::string_view call : analysis::kCallsOfWaits) {
    events.push_back({std::string(call), LTTNG_EVENT_SYSCALL, true});
  }
  return events;
}

// Returns the events from which Trace Compass builds its critical path and its views of threads,
// interrupts, disks and the network ("OS Execution Graph" and kernel analysis), and all system
// calls.
std::vector<Event> FullEvents() {
  return {
      {"sched_switch"},
      {"sched_waking"},
      {"sched_wakeup"},
      {"sched_wakeup_new"},
      {"sched_pi_setprio", kTracepoint, true},
      {"sched_migrate_task"},
      {"sched_process_fork"},
      {"sched_process_exec"},
      {"sched_process_exit"},
      {"sched_process_free"},
      {"irq_handler_*"},
      {"irq_softirq_*"},
      {"timer_hrtimer_expire_*"},
      {"block_rq_*"},
      {"net_dev_queue"},
      {"net_if_*"},
      {"net_napi_gro_receive_*", kTracepoint, true},
      {"power_cpu_frequency", kTracepoint, true},
      {"lttng_statedump_*"},
      {"*", LTTNG_EVENT_SYSCALL},
  };
}

// Returns the size of a sub-buffer, rounded up to a power of two because LTTng requires that.
std::uint64_t SubbufBytes(std::uint64_t buffer_bytes) {
  std::uint64_t bytes = 4096;
  while (bytes * kSubbufs < buffer_bytes) bytes *= 2;
  return bytes;
}

// Quotes `text` for a shell if necessary.
std::string Quoted(const std::string& text) {
  constexpr char kPlain[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,=+@";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += R"('\'')";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

const char* DomainOption(lttng_domain_type domain) {
  return domain == LTTNG_DOMAIN_KERNEL ? "--kernel" : "--userspace";
}

// Appends the commands that enable the events of a channel. lttng(1) accepts several tracepoints in
// one command, but the command fails if one of them does. Each optional event therefore has its own
// command.
void AppendEnableEvent(const Channel& channel, const std::string& where,
                       std::vector<std::string>* commands) {
  std::vector<std::string> names;
  const std::string enable = "lttng enable-event" + where;
  for (const Event& event : channel.events) {
    const bool call = event.type == LTTNG_EVENT_SYSCALL;
    if (call && event.name == "*") {
      commands->push_back(enable + " --syscall --all");
    } else if (call) {
      commands->push_back(enable + " --syscall " + event.name + " || true");
    } else if (event.optional) {
      commands->push_back(enable + ' ' + Quoted(event.name) + " || true");
    } else {
      names.push_back(event.name);
    }
  }
  commands->push_back(enable + ' ' + Quoted(Joined(names, ",")));
}

}  // namespace

Plan MakePlan(const Options& options, const std::string& session) {
  Plan plan;
  plan.session = session;
  plan.output = options.output;
  plan.snapshot = options.snapshot;
  plan.subbuf_bytes = SubbufBytes(options.buffer_bytes);
  plan.pids = options.pids;
  if (options.kernel) {
    const bool full = options.profile == Profile::kFull;
    plan.channels.push_back(
        {LTTNG_DOMAIN_KERNEL, "kernel", full ? FullEvents() : LightEvents(), {}});
  }
  // These are the providers of tracekin, of programs that were written for BlkKin, and of Jaeger
  // clients.
  //
  // Trace Compass finds the thread of an event in vtid. pid_ns is the namespace to which that
  // number belongs.
  plan.channels.push_back({LTTNG_DOMAIN_UST,
                           "tracekin",
                           {{"tracekin:*"}, {"zipkin:*"}, {"jaeger_ust:*"}},
                           {{"vpid", LTTNG_EVENT_CONTEXT_VPID},
                            {"vtid", LTTNG_EVENT_CONTEXT_VTID},
                            {"procname", LTTNG_EVENT_CONTEXT_PROCNAME},
                            {"pid_ns", LTTNG_EVENT_CONTEXT_PID_NS}}});
  return plan;
}

std::vector<std::string> LttngCommands(const Plan& plan) {
  const std::string session = Quoted(plan.session);
  std::vector<std::string> commands = {"lttng create " + session + " --output=" +
                                       Quoted(plan.output) + (plan.snapshot ? " --snapshot" : "")};
  for (const Channel& channel : plan.channels) {
    const std::string in_session =
        std::string(" ") + DomainOption(channel.domain) + " --session=" + session;
    commands.push_back("lttng enable-channel" + in_session +
                       " --subbuf-size=" + std::to_string(plan.subbuf_bytes) +
                       " --num-subbuf=" + std::to_string(kSubbufs) +
                       (plan.snapshot ? " --overwrite " : " ") + channel.name);
    const std::string in_channel = in_session + " --channel=" + channel.name;
    AppendEnableEvent(channel, in_channel, &commands);
    for (const Context& context : channel.contexts) {
      commands.push_back("lttng add-context" + in_channel + " --type=" + context.name);
    }
  }
  for (const pid_t pid : plan.pids) {
    commands.push_back("lttng track --userspace --session=" + session +
                       " --vpid=" + std::to_string(pid));
  }
  commands.push_back("lttng start " + session);
  return commands;
}

std::vector<std::string> ShellCommands(const Options& options, const Plan& plan) {
  std::vector<std::string> commands = {"lttng list >/dev/null 2>&1 || lttng-sessiond --daemonize"};
  for (std::string& command : LttngCommands(plan)) commands.push_back(std::move(command));
  if (!options.command.empty()) {
    std::vector<std::string> words;
    for (const std::string& word : options.command) words.push_back(Quoted(word));
    const std::string as_user =
        options.user.empty() ? "" : "runuser --user=" + Quoted(options.user) + " -- ";
    commands.push_back(as_user + "env TRACEKIN_UST_ENABLED=\"${TRACEKIN_UST_ENABLED:-true}\" " +
                       Joined(words, " "));
  } else if (options.duration_s > 0) {
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%g", options.duration_s);
    commands.push_back(std::string("sleep ") + seconds);
  } else {
    return commands;
  }
  const std::string session = Quoted(plan.session);
  commands.push_back("lttng stop " + session);
  if (plan.snapshot) commands.push_back("lttng snapshot record --session=" + session);
  commands.push_back("lttng destroy " + session);
  return commands;
}

}  // namespace tracekin::record
