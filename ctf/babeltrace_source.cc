// SPDX-License-Identifier: Apache-2.0
#include "ctf/babeltrace_source.h"

#include <algorithm>
#include <charconv>
#include <exception>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "ctf/babeltrace.h"
#include "ctf/babeltrace_stream.h"
#include "ctf/error.h"
#include "ctf/merge.h"
#include "ctf/metadata_file.h"

namespace tracekin::ctf {

namespace {

constexpr auto kLogLevel = BT_LOGGING_LEVEL_NONE;

[[noreturn]] void Fail(const std::string& what) {
  throw ReadError(what + ": babeltrace2: " + TakeBabeltraceError());
}

PluginOwner FindPlugin() {
  const bt_plugin* plugin = nullptr;
  if (bt_plugin_find("ctf", BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE, &plugin) !=
      BT_PLUGIN_FIND_STATUS_OK) {
    Fail("the plugin ctf is missing");
  }
  return PluginOwner(plugin);
}

// Returns the trace's UUID, or the folder itself if it has none. Folders with the same UUID are
// parts of one trace, such as the chunks of an archive, and must be read by one component. The UUID
// is searched for where LTTng and babeltrace2 write it, because libbabeltrace2's own query leaves
// the metadata file open.
std::string GroupOf(const std::string& folder) {
  try {
    const std::string text = ReadMetadata(folder);
    constexpr std::string_view kUuid = "uuid = \"";
    const std::size_t trace = text.find("trace {");
    const std::size_t uuid = text.find(kUuid, trace);
    if (uuid < text.find('}', trace)) {
      const std::size_t begin = uuid + kUuid.size();
      return text.substr(begin, text.find('"', begin) - begin);
    }
  } catch (const NotUnderstood&) {
  }
  return folder;
}

// Throws ReadError if a clock of the trace has no frequency, because libbabeltrace2 2.0.4 divides
// by it without a check. Looks for clocks as LTTng and babeltrace2 write them.
void CheckClocks(const std::string& folder) try {
  const std::string text = ReadMetadata(folder);
  constexpr std::string_view kClock = "clock {", kFrequency = "freq = ";
  for (std::size_t at = text.find(kClock); at != text.npos; at = text.find(kClock, at + 1)) {
    const std::size_t frequency = text.find(kFrequency, at);
    const std::size_t digit = frequency == text.npos ? text.npos : frequency + kFrequency.size();
    if (frequency < text.find('}', at) && digit < text.size() && text[digit] != '0') continue;
    throw ReadError(folder + ": a clock has no freq");
  }
} catch (const NotUnderstood&) {  // libbabeltrace2 tells what is wrong
}

// Identifies the stream of a port, so that both readers order streams in the same way. A port's
// name is "TRACE | CLASS | STREAM", where STREAM is a number or a path.
struct StreamRank {
  std::size_t trace = 0;
  std::uint64_t stream_class = 0;
  std::uint64_t instance = 0;
  std::string path;

  StreamRank(std::size_t of, const std::string& port) : trace(of) {
    const std::size_t last = port.rfind(" | ");
    if (last == port.npos) return;
    const std::string stream = port.substr(last + 3);
    if (!ToNumber(stream, &instance)) path = stream;
    const std::size_t middle = last == 0 ? port.npos : port.rfind(" | ", last - 1);
    if (middle != port.npos) {
      ToNumber(port.substr(middle + 3, last - middle - 3), &stream_class);
    }
  }

  static bool ToNumber(const std::string& text, std::uint64_t* number) {
    const char* const end = text.data() + text.size();
    const auto [read, error] = std::from_chars(text.data(), end, *number);
    return error == std::errc() && read == end && !text.empty();
  }

  bool operator<(const StreamRank& other) const {
    return std::tie(trace, stream_class, instance, path) <
           std::tie(other.trace, other.stream_class, other.instance, other.path);
  }
};

struct Port {
  StreamRank rank;
  const bt_port_output* output;
};

// The data of our component of the graph. The first call reads the streams' descriptions of their
// traces. The second call reads and merges all events. Both happen in a component because
// libbabeltrace2 passes messages only to components of a graph.
struct Sink {
  std::vector<Port> ports;  // in the order of their ranks
  Found* found = nullptr;
  const Source::Visitor* visit = nullptr;
  std::vector<std::unique_ptr<BabeltraceStream>> streams;
  bool has_begun = false;
  std::exception_ptr error;  // no exception may pass through libbabeltrace2

  void Begin() {
    for (const auto& stream : streams) stream->Begin();
    has_begun = true;
  }

  void Run() {
    std::vector<BabeltraceStream*> all;
    all.reserve(streams.size());
    for (const auto& stream : streams) all.push_back(stream.get());
    Merge(all, *visit);
    for (const auto& stream : streams) stream->Finish();
  }
};

Sink* SinkOf(bt_self_component_sink* self) {
  return static_cast<Sink*>(
      bt_self_component_get_data(bt_self_component_sink_as_self_component(self)));
}

bt_component_class_initialize_method_status Initialize(bt_self_component_sink* self,
                                                       bt_self_component_sink_configuration*,
                                                       const bt_value*, void* data) {
  bt_self_component_set_data(bt_self_component_sink_as_self_component(self), data);
  for (std::size_t i = 0; i < static_cast<Sink*>(data)->ports.size(); ++i) {
    const std::string name = "in" + std::to_string(i);
    if (bt_self_component_sink_add_input_port(self, name.c_str(), nullptr, nullptr) !=
        BT_SELF_COMPONENT_ADD_PORT_STATUS_OK) {
      return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
    }
  }
  return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

bt_component_class_sink_graph_is_configured_method_status IsConfigured(
    bt_self_component_sink* self) {
  Sink* const sink = SinkOf(self);
  for (std::size_t i = 0; i < sink->ports.size(); ++i) {
    bt_message_iterator* messages = nullptr;
    if (bt_message_iterator_create_from_sink_component(
            self, bt_self_component_sink_borrow_input_port_by_index(self, i), &messages) !=
        BT_MESSAGE_ITERATOR_CREATE_FROM_SINK_COMPONENT_STATUS_OK) {
      return BT_COMPONENT_CLASS_SINK_GRAPH_IS_CONFIGURED_METHOD_STATUS_ERROR;
    }
    const std::size_t trace = sink->ports[i].rank.trace;
    const bool is_first = i == 0 || sink->ports[i - 1].rank.trace != trace;
    sink->streams.push_back(
        std::make_unique<BabeltraceStream>(IteratorOwner(messages), trace, is_first, sink->found));
  }
  return BT_COMPONENT_CLASS_SINK_GRAPH_IS_CONFIGURED_METHOD_STATUS_OK;
}

bt_component_class_sink_consume_method_status Consume(bt_self_component_sink* self) {
  Sink* const sink = SinkOf(self);
  try {
    if (!sink->has_begun) {
      sink->Begin();
      return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_OK;
    }
    sink->Run();
  } catch (...) {
    sink->error = std::current_exception();
    return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_ERROR;
  }
  return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_END;
}

// Releases the component's messages and iterators, which must not outlive the graph.
void Finalize(bt_self_component_sink* self) { SinkOf(self)->streams.clear(); }

class BabeltraceSource : public Source {
 public:
  BabeltraceSource(const std::vector<std::string>& folders, const std::string& why) {
    found_.way = Way::kBabeltrace2;
    found_.why = why;
    const std::lock_guard<std::mutex> lock(BabeltraceMutex());
    graph_ = bt_graph_create(0);
    try {
      Build(folders);
    } catch (...) {
      bt_graph_put_ref(graph_);
      throw;
    }
  }
  ~BabeltraceSource() override {
    const std::lock_guard<std::mutex> lock(BabeltraceMutex());
    bt_graph_put_ref(graph_);
  }
  BabeltraceSource(const BabeltraceSource&) = delete;
  BabeltraceSource& operator=(const BabeltraceSource&) = delete;

  void Read(const Visitor& visit) override {
    if (sink_.ports.empty()) return;
    sink_.visit = &visit;
    Check(bt_graph_run(graph_) == BT_GRAPH_RUN_STATUS_OK);
  }

  const Found& found() const override { return found_; }

 private:
  void Check(bool success) {
    if (sink_.error != nullptr) {
      TakeBabeltraceError();
      std::rethrow_exception(std::exchange(sink_.error, nullptr));
    }
    if (!success) Fail("the trace cannot be read");
  }

  void Build(const std::vector<std::string>& folders) {
    const PluginOwner plugin = FindPlugin();
    const bt_component_class_source* const source =
        bt_plugin_borrow_source_component_class_by_name_const(plugin.get(), "fs");
    if (source == nullptr) Fail("the component source.ctf.fs is missing");
    std::map<std::string, std::size_t> groups;
    std::vector<std::vector<std::string>> inputs;
    for (const std::string& folder : folders) {
      CheckClocks(folder);
      const auto [found, is_new] = groups.emplace(GroupOf(folder), inputs.size());
      if (is_new) inputs.emplace_back();
      inputs[found->second].push_back(folder);
    }
    for (const std::vector<std::string>& input : inputs) AddSource(source, input);
    std::sort(sink_.ports.begin(), sink_.ports.end(),
              [](const Port& one, const Port& other) { return one.rank < other.rank; });
    if (sink_.ports.empty()) return;
    AddSink();
    Check(bt_graph_run_once(graph_) == BT_GRAPH_RUN_ONCE_STATUS_OK);
  }

  void AddSource(const bt_component_class_source* source, const std::vector<std::string>& folders) {
    const std::size_t index = found_.traces.size();
    Trace trace;
    trace.folder = folders.front();
    found_.traces.push_back(std::move(trace));
    bt_value* const parameters = bt_value_map_create();
    const ConstValueOwner owner(parameters);
    bt_value* inputs = nullptr;
    bt_value_map_insert_empty_array_entry(parameters, "inputs", &inputs);
    for (const std::string& folder : folders) {
      bt_value_array_append_string_element(inputs, folder.c_str());
    }
    const bt_component_source* component = nullptr;
    const std::string name = "trace" + std::to_string(index);
    if (bt_graph_add_source_component(graph_, source, name.c_str(), parameters, kLogLevel,
                                      &component) != BT_GRAPH_ADD_COMPONENT_STATUS_OK) {
      Fail(folders.front());
    }
    const std::uint64_t count = bt_component_source_get_output_port_count(component);
    for (std::uint64_t i = 0; i < count; ++i) {
      const bt_port_output* const output =
          bt_component_source_borrow_output_port_by_index_const(component, i);
      const char* const port = bt_port_get_name(bt_port_output_as_port_const(output));
      sink_.ports.push_back({StreamRank(index, port), output});
    }
  }

  void AddSink() {
    bt_component_class_sink* const sink_class = bt_component_class_sink_create("merge", Consume);
    const SinkClassOwner owner(sink_class);
    bt_component_class_sink_set_initialize_method(sink_class, Initialize);
    bt_component_class_sink_set_graph_is_configured_method(sink_class, IsConfigured);
    bt_component_class_sink_set_finalize_method(sink_class, Finalize);
    sink_.found = &found_;
    const bt_component_sink* component = nullptr;
    if (bt_graph_add_sink_component_with_initialize_method_data(
            graph_, sink_class, "merge", nullptr, &sink_, kLogLevel, &component) !=
        BT_GRAPH_ADD_COMPONENT_STATUS_OK) {
      Fail("our component");
    }
    for (std::size_t i = 0; i < sink_.ports.size(); ++i) {
      if (bt_graph_connect_ports(graph_, sink_.ports[i].output,
                                 bt_component_sink_borrow_input_port_by_index_const(component, i),
                                 nullptr) != BT_GRAPH_CONNECT_PORTS_STATUS_OK) {
        Fail("our component");
      }
    }
  }

  Found found_;
  Sink sink_;
  bt_graph* graph_ = nullptr;
};

}  // namespace

std::unique_ptr<Source> OpenBabeltrace2(const std::vector<std::string>& folders,
                                        const std::string& why) {
  return std::make_unique<BabeltraceSource>(folders, why);
}

}  // namespace tracekin::ctf
