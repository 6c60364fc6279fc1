// SPDX-License-Identifier: Apache-2.0
#include "tools/record/summary.h"

#include <babeltrace2/babeltrace.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/terminal.h"
#include "tools/record/session.h"

namespace tracekin::record {

namespace {

// Collects the content of one trace, which belongs to one domain.
struct Reading {
  bool kernel = false;
  Summary* summary;
  std::unordered_map<const bt_event_class*, std::uint64_t> counts;

  void Count(const bt_event* event) {
    const bt_event_class* of = bt_event_borrow_class_const(event);
    ++counts[of];
    // LTTng's process name is the thread's name, and the exporter's thread does not have the
    // program's name.
    if (kernel || bt_event_class_get_name(of) == std::string_view("tracekin:exporter_stats"))
      return;
    CountProcess(bt_event_borrow_common_context_field_const(event));
  }

  void CountProcess(const bt_field* context) const {
    if (context == nullptr) return;
    const bt_field* pid = bt_field_structure_borrow_member_field_by_name_const(context, "vpid");
    const bt_field* name =
        bt_field_structure_borrow_member_field_by_name_const(context, "procname");
    if (pid == nullptr || name == nullptr) return;
    summary->processes.emplace(bt_field_integer_signed_get_value(pid),
                               bt_field_string_get_value(name));
  }

  void AddDiscarded(const bt_message* message) const {
    std::uint64_t count = 0;
    if (bt_message_discarded_events_get_count(message, &count) !=
        BT_PROPERTY_AVAILABILITY_AVAILABLE) {
      count = 1;
    }
    (kernel ? summary->discarded_kernel : summary->discarded_ust) += count;
  }

  void AddStream(const bt_stream* stream) {
    const bt_value* domain = bt_trace_borrow_environment_entry_value_by_name_const(
        bt_stream_borrow_trace_const(stream), "domain");
    const std::string name = domain == nullptr ? "" : bt_value_string_get(domain);
    kernel = name == "kernel";
    const bt_clock_class* clock =
        bt_stream_class_borrow_default_clock_class_const(bt_stream_borrow_class_const(stream));
    if (clock == nullptr) return;
    std::int64_t seconds = 0;
    std::uint64_t cycles = 0;
    bt_clock_class_get_offset(clock, &seconds, &cycles);
    const double ns_per_cycle = 1e9 / static_cast<double>(bt_clock_class_get_frequency(clock));
    summary->clock_offsets_ns[name] =
        seconds * 1'000'000'000 +
        static_cast<std::int64_t>(static_cast<double>(cycles) * ns_per_cycle);
  }

  void Take(const bt_message* message) {
    switch (bt_message_get_type(message)) {
      case BT_MESSAGE_TYPE_EVENT:
        return Count(bt_message_event_borrow_event_const(message));
      case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
        return AddDiscarded(message);
      case BT_MESSAGE_TYPE_STREAM_BEGINNING:
        return AddStream(bt_message_stream_beginning_borrow_stream_const(message));
      default:
        return;
    }
  }
};

bt_graph_simple_sink_component_consume_func_status Consume(bt_message_iterator* iterator,
                                                           void* data) {
  bt_message_array_const messages = nullptr;
  std::uint64_t count = 0;
  const auto status = bt_message_iterator_next(iterator, &messages, &count);
  if (status != BT_MESSAGE_ITERATOR_NEXT_STATUS_OK) {
    return static_cast<bt_graph_simple_sink_component_consume_func_status>(status);
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    static_cast<Reading*>(data)->Take(messages[i]);
    bt_message_put_ref(messages[i]);
  }
  return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_OK;
}

using Graph = std::unique_ptr<bt_graph, decltype(&bt_graph_put_ref)>;

const bt_component_source* AddSource(bt_graph* graph, const std::string& folder) {
  const bt_plugin* plugin = nullptr;
  if (bt_plugin_find("ctf", BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE, &plugin) !=
      BT_PLUGIN_FIND_STATUS_OK) {
    return nullptr;
  }
  const std::unique_ptr<const bt_plugin, decltype(&bt_plugin_put_ref)> owner(plugin,
                                                                             bt_plugin_put_ref);
  const std::unique_ptr<bt_value, decltype(&bt_value_put_ref)> parameters(bt_value_map_create(),
                                                                          bt_value_put_ref);
  bt_value* inputs = nullptr;
  bt_value_map_insert_empty_array_entry(parameters.get(), "inputs", &inputs);
  bt_value_array_append_string_element(inputs, folder.c_str());
  const bt_component_source* source = nullptr;
  bt_graph_add_source_component(graph,
                                bt_plugin_borrow_source_component_class_by_name_const(plugin, "fs"),
                                "trace", parameters.get(), BT_LOGGING_LEVEL_NONE, &source);
  return source;
}

// Adds one sink per stream, because their order relative to each other does not matter.
bool AddSinks(bt_graph* graph, const bt_component_source* source, Reading* reading) {
  const std::uint64_t count = bt_component_source_get_output_port_count(source);
  for (std::uint64_t i = 0; i < count; ++i) {
    const bt_component_sink* sink = nullptr;
    const std::string name = "sink" + std::to_string(i);
    if (bt_graph_add_simple_sink_component(graph, name.c_str(), nullptr, Consume, nullptr, reading,
                                           &sink) != BT_GRAPH_ADD_COMPONENT_STATUS_OK ||
        bt_graph_connect_ports(graph,
                               bt_component_source_borrow_output_port_by_index_const(source, i),
                               bt_component_sink_borrow_input_port_by_index_const(sink, 0),
                               nullptr) != BT_GRAPH_CONNECT_PORTS_STATUS_OK) {
      return false;
    }
  }
  return true;
}

void ReadTrace(const std::string& folder, Summary* summary) {
  const Graph graph(bt_graph_create(0), bt_graph_put_ref);
  Reading reading;
  reading.summary = summary;
  const bt_component_source* source = AddSource(graph.get(), folder);
  const bool read = source != nullptr && AddSinks(graph.get(), source, &reading) &&
                    bt_graph_run(graph.get()) == BT_GRAPH_RUN_STATUS_OK;
  if (!read) {
    bt_current_thread_clear_error();
    throw RecordError("the trace in " + ForTerminal(folder) +
                      " cannot be read; run babeltrace2 to see why.");
  }
  for (const auto& [event, count] : reading.counts) {
    summary
        ->events[(reading.kernel ? "kernel:" : "") + std::string(bt_event_class_get_name(event))] +=
        count;
  }
}

std::string Number(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, " ");
  return digits;
}

std::string Padded(const std::string& text, std::size_t width) {
  return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
}

// Limits the output, because a process may change its name with each event.
void DescribeProcesses(const Summary& summary, std::string* text) {
  constexpr std::size_t kMostShown = 100;
  std::size_t shown = 0;
  for (const auto& [pid, name] : summary.processes) {
    if (shown++ == kMostShown) break;
    *text += "process " + std::to_string(pid) + "  " + ForTerminal(name) + '\n';
  }
  if (summary.processes.size() > kMostShown) {
    *text += "and " + Number(summary.processes.size() - kMostShown) + " more process names\n";
  }
}

void DescribeDiscarded(const char* whose, std::uint64_t count, std::uint64_t buffer_bytes,
                       std::string* text) {
  if (count == 0) return;
  *text += Number(count) + " events of " + whose +
           " were discarded because the buffers were full; try --buffer-size=" +
           std::to_string(buffer_bytes * 4 >> 20) + "M\n";
}

}  // namespace

Summary Summarize(const std::string& folder) {
  Summary summary;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().filename() == "metadata") ReadTrace(entry.path().parent_path(), &summary);
  }
  return summary;
}

std::string Describe(const Summary& summary, std::uint64_t buffer_bytes) {
  std::string text;
  std::uint64_t kernel = 0;
  for (const auto& [name, count] : summary.events) {
    if (name.rfind("kernel:", 0) == 0) {
      kernel += count;
    } else {
      text += Padded(Number(count), 14) + "  " + ForTerminal(name) + '\n';
    }
  }
  if (kernel != 0) text += Padded(Number(kernel), 14) + "  kernel events\n";
  if (text.empty()) text = "No events were recorded.\n";
  DescribeProcesses(summary, &text);
  const auto kernel_clock = summary.clock_offsets_ns.find("kernel");
  const auto ust_clock = summary.clock_offsets_ns.find("ust");
  if (kernel_clock != summary.clock_offsets_ns.end() &&
      ust_clock != summary.clock_offsets_ns.end()) {
    const std::int64_t late = ust_clock->second - kernel_clock->second;
    text += "clocks: tracekin's events appear " + std::to_string(std::abs(late)) + " ns too " +
            (late < 0 ? "early" : "late") + " relative to the kernel's; compare raw clock values\n";
  }
  DescribeDiscarded("the kernel", summary.discarded_kernel, buffer_bytes, &text);
  DescribeDiscarded("tracekin", summary.discarded_ust, buffer_bytes, &text);
  return text;
}

}  // namespace tracekin::record
