// SPDX-License-Identifier: Apache-2.0
#include "ctf/vocabulary.h"

#include <string_view>

namespace tracekin::ctf {

namespace {

namespace event = analysis;
using analysis::Kind;
using As = Wanted::As;

Wanted Number(const char* path, int slot) {
  return {path, As::kNumber, false, static_cast<std::uint8_t>(slot)};
}
Wanted Text(const char* path, int slot) {
  return {path, As::kText, false, static_cast<std::uint8_t>(slot)};
}
Wanted Scratch(const char* path, ScratchSlot slot) { return {path, As::kNumber, true, slot}; }

// Maps events whose names begin with `begin` and end with `end` to `kind`. The part of the name
// between them is stored in the text slot `word`.
struct Rule {
  std::string_view begin;
  std::string_view end;
  bool any_between;
  Kind kind;
  int numbers;
  int texts;
  std::vector<Wanted> wanted;
  int word = -1;
};

Rule Exact(std::string_view name, Kind kind, int numbers, int texts, std::vector<Wanted> wanted) {
  return {name, "", false, kind, numbers, texts, std::move(wanted)};
}
Rule Between(std::string_view begin, std::string_view end, Kind kind, int numbers, int texts,
             std::vector<Wanted> wanted, int word = -1) {
  return {begin, end, true, kind, numbers, texts, std::move(wanted), word};
}

// Returns the fields of addresses and ports, for each protocol that the network events support.
std::vector<Wanted> PacketFields() {
  using P = event::Packet;
  std::vector<Wanted> wanted;
  for (const std::string version : {"ipv4", "ipv6"}) {
    const std::string ip = "network_header." + version + ".";
    wanted.push_back(
        {ip + (version == "ipv4" ? "protocol" : "nexthdr"), As::kNumber, false, P::kProtocol});
    for (const auto& [field, high, low] : {std::tuple("saddr", P::kSourceHigh, P::kSourceLow),
                                           std::tuple("daddr", P::kTargetHigh, P::kTargetLow)}) {
      wanted.push_back({ip + field, As::kHighBytes, false, static_cast<std::uint8_t>(high)});
      wanted.push_back({ip + field, As::kLowBytes, false, static_cast<std::uint8_t>(low)});
    }
    const std::string tcp = ip + "transport_header.tcp.";
    const std::string udp = ip + "transport_header.udp.";
    for (const auto& [path, slot] : {std::pair(tcp + "source_port", P::kSourcePort),
                                     {tcp + "dest_port", P::kTargetPort},
                                     {tcp + "seq", P::kSequence},
                                     {tcp + "ack_seq", P::kAcknowledged},
                                     {tcp + "flags", P::kFlags},
                                     {udp + "source_port", P::kSourcePort},
                                     {udp + "dest_port", P::kTargetPort},
                                     {udp + "len", P::kLength}}) {
      wanted.push_back({path, As::kNumber, false, static_cast<std::uint8_t>(slot)});
    }
  }
  return wanted;
}

std::vector<Rule> SchedulerRules() {
  using S = event::Switch;
  using W = event::Wake;
  using M = event::Migrate;
  using F = event::Fork;
  using T = event::Task;
  const std::vector<Wanted> wake = {Number("tid", W::kTid), Number("prio", W::kPrio),
                                    Number("target_cpu", W::kTargetCpu), Text("comm", W::kComm)};
  const std::vector<Wanted> task = {Number("tid", T::kTid), Text("comm", T::kComm)};
  return {
      Exact("sched_switch", Kind::kSwitch, 5, 2,
            {Number("prev_tid", S::kPrevTid), Number("prev_prio", S::kPrevPrio),
             Number("prev_state", S::kPrevState), Number("next_tid", S::kNextTid),
             Number("next_prio", S::kNextPrio), Text("prev_comm", S::kPrevComm),
             Text("next_comm", S::kNextComm)}),
      Exact("sched_waking", Kind::kWaking, 3, 1, wake),
      Exact("sched_wakeup", Kind::kWakeup, 3, 1, wake),
      Exact("sched_wakeup_new", Kind::kWakeupNew, 3, 1, wake),
      Exact(
          "sched_migrate_task", Kind::kMigrate, 3, 0,
          {Number("tid", M::kTid), Number("orig_cpu", M::kFromCpu), Number("dest_cpu", M::kToCpu)}),
      Exact("sched_process_fork", Kind::kFork, 6, 1,
            {Number("parent_tid", F::kParentTid),
             Number("parent_pid", F::kParentPid),
             Number("child_tid", F::kChildTid),
             Number("child_pid", F::kChildPid),
             Number("child_ns_inum", F::kChildNamespace),
             {"vtids", As::kLast, false, F::kChildVtid},
             Text("child_comm", F::kChildComm)}),
      Exact("sched_process_exec", Kind::kExec, 1, 1,
            {Number("tid", T::kTid), Text("filename", T::kComm)}),
      Exact("sched_process_exit", Kind::kExit, 1, 1, task),
      Exact("sched_process_free", Kind::kFree, 1, 1, task),
  };
}

std::vector<Rule> InterruptRules() {
  using I = event::Interrupt;
  const std::vector<Wanted> irq = {Number("irq", I::kIrq), Text("name", I::kName)};
  const std::vector<Wanted> softirq = {Number("vec", event::Softirq::kVector)};
  const std::vector<Wanted> hrtimer = {Number("hrtimer", event::Timer::kAddress)};
  const std::vector<Wanted> timer = {Number("timer", event::Timer::kAddress)};
  return {
      Exact("irq_handler_entry", Kind::kIrqEntry, 1, 1, irq),
      Exact("irq_handler_exit", Kind::kIrqExit, 1, 1, irq),
      Between("x86_irq_vectors_", "_entry", Kind::kVectorEntry, 1, 1, {}, I::kName),
      Between("x86_irq_vectors_", "_exit", Kind::kVectorExit, 1, 1, {}, I::kName),
      Exact("irq_softirq_entry", Kind::kSoftirqEntry, 1, 0, softirq),
      Exact("irq_softirq_exit", Kind::kSoftirqExit, 1, 0, softirq),
      Exact("irq_softirq_raise", Kind::kSoftirqRaise, 1, 0, softirq),
      Exact("timer_hrtimer_expire_entry", Kind::kHrtimerEntry, 1, 0, hrtimer),
      Exact("timer_hrtimer_expire_exit", Kind::kHrtimerExit, 1, 0, hrtimer),
      Exact("timer_expire_entry", Kind::kTimerEntry, 1, 0, timer),
      Exact("timer_expire_exit", Kind::kTimerExit, 1, 0, timer),
  };
}

std::vector<Rule> SyscallRules() {
  using S = event::Syscall;
  using G = event::Signal;
  using F = event::PageFault;
  const std::vector<Wanted> entry = {
      Number("fd", S::kFd),           Number("epfd", S::kFd),
      Number("uaddr", S::kAddress),   Number("op", S::kOperation),
      Number("val", S::kValue),       Number("timeout_msecs", S::kTimeout),
      Number("timeout", S::kTimeout), Number("utime", S::kTimeout),
      Number("pid", S::kPid),         Number("upid", S::kPid)};
  const std::vector<Wanted> exit = {Number("ret", S::kResult)};
  const std::vector<Wanted> fault = {Number("address", F::kAddress),
                                     Number("error_code", F::kError)};
  return {
      Between("syscall_entry_", "", Kind::kSyscallEntry, 7, 1, entry, S::kName),
      Between("compat_syscall_entry_", "", Kind::kSyscallEntry, 7, 1, entry, S::kName),
      Between("syscall_exit_", "", Kind::kSyscallExit, 7, 1, exit, S::kName),
      Between("compat_syscall_exit_", "", Kind::kSyscallExit, 7, 1, exit, S::kName),
      Exact("x86_exceptions_page_fault_user", Kind::kPageFault, 2, 0, fault),
      Exact("x86_exceptions_page_fault_kernel", Kind::kPageFault, 2, 0, fault),
      Exact("signal_generate", Kind::kSignalGenerate, 2, 0,
            {Number("sig", G::kSignal), Number("pid", G::kTid), Number("tid", G::kTid)}),
      Exact("signal_deliver", Kind::kSignalDeliver, 2, 0, {Number("sig", G::kSignal)}),
  };
}

std::vector<Rule> DeviceRules() {
  using B = event::Block;
  const std::vector<Wanted> block = {Number("dev", B::kDevice),        Number("sector", B::kSector),
                                     Number("nr_sector", B::kSectors), Number("bytes", B::kBytes),
                                     Number("rwbs", B::kFlags),        Text("comm", B::kComm)};
  std::vector<Rule> rules = {
      Exact("block_rq_insert", Kind::kBlockInsert, 5, 1, block),
      Exact("block_rq_issue", Kind::kBlockIssue, 5, 1, block),
      Exact("block_rq_complete", Kind::kBlockComplete, 5, 1, block),
      Exact("net_dev_queue", Kind::kPacketQueue, 11, 0, PacketFields()),
      Exact("net_if_receive_skb", Kind::kPacketReceive, 11, 0, PacketFields()),
  };
  for (const std::string_view begin :
       {"net_if_receive_skb", "net_if_rx", "net_napi_gro_receive", "net_napi_gro_frags"}) {
    rules.push_back(Between(begin, "_entry", Kind::kReceptionEntry, 0, 0, {}));
    rules.push_back(Between(begin, "_exit", Kind::kReceptionExit, 0, 0, {}));
  }
  return rules;
}

std::vector<Rule> StatedumpRules() {
  using S = event::ProcessState;
  using N = event::PidNamespace;
  using D = event::DiskName;
  using F = event::FileName;
  return {
      Exact("lttng_statedump_process_state", Kind::kProcessState, 6, 1,
            {Number("tid", S::kTid), Number("pid", S::kPid), Number("ppid", S::kParentPid),
             Number("status", S::kStatus), Number("cpu", S::kCpu), Number("type", S::kType),
             Text("name", S::kName)}),
      Exact("lttng_statedump_process_pid_ns", Kind::kPidNamespace, 5, 0,
            {Number("tid", N::kTid), Number("vtid", N::kVtid), Number("vpid", N::kVpid),
             Number("ns_level", N::kLevel), Number("ns_inum", N::kNamespace)}),
      Exact("lttng_statedump_block_device", Kind::kDiskName, 1, 1,
            {Number("dev", D::kDevice), Text("diskname", D::kName)}),
      Exact("lttng_statedump_file_descriptor", Kind::kFileName, 2, 1,
            {Number("pid", F::kPid), Number("fd", F::kFd), Text("filename", F::kName)}),
  };
}

std::vector<Wanted> SpanFields() {
  using S = event::Span;
  return {Number("trace_id_high", S::kTraceHigh),
          Number("trace_id_low", S::kTraceLow),
          Number("span_id", S::kSpan),
          Number("parent_span_id", S::kParent),
          Number("start_time", S::kStartTime),
          Number("duration", S::kDuration),
          Number("error", S::kError),
          Text("op_name", S::kOperation),
          Text("service", S::kService),
          Text("kind", S::kSpanKind),
          Text("tags", S::kTags),
          Text("message", S::kMessage),
          Scratch("tid", kTidSlot)};
}

std::vector<Wanted> BlkinFields() {
  using B = event::Blkin;
  return {Number("trace_id", B::kTraceLow),     Number("span_id", B::kSpan),
          Number("parent_span_id", B::kParent), Text("trace_name", B::kOperation),
          Text("service_name", B::kService),    Text("key", B::kKey)};
}

std::vector<Rule> ProgramRules() {
  std::vector<Rule> rules;
  const std::pair<const char*, Kind> spans[] = {
      {"tracekin:span_start", Kind::kSpanStart},     {"tracekin:span_finish", Kind::kSpanFinish},
      {"tracekin:span_log", Kind::kSpanLog},         {"tracekin:span_log_info", Kind::kSpanLog},
      {"tracekin:span_log_warning", Kind::kSpanLog}, {"tracekin:span_log_error", Kind::kSpanLog},
      {"tracekin:scope_enter", Kind::kScopeEnter},   {"tracekin:scope_exit", Kind::kScopeExit},
      {"jaeger_ust:start_span", Kind::kSpanStart},   {"jaeger_ust:end_span", Kind::kSpanFinish}};
  for (const auto& [name, kind] : spans) rules.push_back(Exact(name, kind, 8, 5, SpanFields()));
  for (const char* name : {"timestamp", "keyval", "keyval_string", "keyval_integer"}) {
    rules.push_back(Exact(name, Kind::kBlkin, 4, 4, BlkinFields()));
  }
  return rules;
}

std::vector<Rule> KernelRules() {
  std::vector<Rule> rules;
  for (const auto& some :
       {SchedulerRules(), InterruptRules(), SyscallRules(), DeviceRules(), StatedumpRules()}) {
    rules.insert(rules.end(), some.begin(), some.end());
  }
  return rules;
}

bool Applies(const Rule& rule, std::string_view name) {
  if (!rule.any_between) return name == rule.begin;
  return name.size() >= rule.begin.size() + rule.end.size() &&
         name.substr(0, rule.begin.size()) == rule.begin &&
         name.substr(name.size() - rule.end.size()) == rule.end;
}

Meaning Apply(const Rule& rule, const std::string& name) {
  Meaning meaning;
  meaning.kind = rule.kind;
  meaning.wanted = rule.wanted;
  meaning.numbers = rule.numbers;
  meaning.texts = rule.texts;
  if (rule.word >= 0) {
    meaning.words.emplace_back(
        rule.word,
        name.substr(rule.begin.size(), name.size() - rule.begin.size() - rule.end.size()));
  }
  return meaning;
}

Meaning Find(const std::vector<Rule>& rules, std::string_view of, const std::string& name) {
  for (const Rule& rule : rules) {
    if (Applies(rule, of)) return Apply(rule, name);
  }
  return {};
}

void SetSeverity(const std::string& name, Meaning* meaning) {
  std::int64_t severity = event::kDebug;
  if (name == "tracekin:span_log_info") severity = event::kInfo;
  if (name == "tracekin:span_log_warning") severity = event::kWarning;
  if (name == "tracekin:span_log_error") severity = event::kSevere;
  meaning->constants.emplace_back(event::Span::kSeverity, severity);
}

// Sets the fields that BlkKin's events share: the upper half of the trace id, which they do not
// have, and the value, whose location depends on the event.
void SetBlkinValue(std::string_view which, Meaning* meaning) {
  meaning->constants.emplace_back(event::Blkin::kTraceHigh, 0);
  meaning->value_is_number = which == "keyval_integer";
  if (meaning->value_is_number) {
    meaning->wanted.push_back(Scratch("val", kValueSlot));
  } else {
    meaning->wanted.push_back(Text(which == "timestamp" ? "event" : "val", event::Blkin::kValue));
  }
}

}  // namespace

Meaning MeaningOf(const std::string& name, bool kernel) {
  static const auto* const kKernel = new std::vector<Rule>(KernelRules());
  static const auto* const kPrograms = new std::vector<Rule>(ProgramRules());
  if (kernel) return Find(*kKernel, name, name);
  constexpr std::string_view kBlkin = "zipkin:";
  const bool blkin = name.compare(0, kBlkin.size(), kBlkin) == 0;
  const std::string_view of = std::string_view(name).substr(blkin ? kBlkin.size() : 0);
  Meaning meaning = Find(*kPrograms, of, name);
  if ((meaning.kind == Kind::kBlkin) != blkin) return {};
  if (meaning.kind == Kind::kSpanLog) SetSeverity(name, &meaning);
  if (blkin) SetBlkinValue(of, &meaning);
  return meaning;
}

std::vector<Wanted> ProcessContext() {
  return {Scratch("vtid", kTidSlot), Scratch("vpid", kPidSlot),
          Scratch("pid_ns", kPidNamespaceSlot), Text("procname", 0)};
}

}  // namespace tracekin::ctf
