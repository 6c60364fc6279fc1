// SPDX-License-Identifier: Apache-2.0
// Owners for what libbabeltrace2 counts references to, and its errors as exceptions.
//
// libbabeltrace2's objects belong to one thread, and its error to the thread that had it. Finding
// plugins, creating components and releasing graphs touch lists that it shares between threads
// without a lock: hold BabeltraceMutex() meanwhile.
#ifndef TRACEKIN_CTF_BABELTRACE_H
#define TRACEKIN_CTF_BABELTRACE_H

#include <babeltrace2/babeltrace.h>

#include <memory>
#include <mutex>
#include <string>

namespace tracekin::ctf {

template <class Object, void (*kRelease)(const Object*)>
struct BabeltraceRelease {
  void operator()(const Object* object) const { kRelease(object); }
};
template <class Object, void (*kRelease)(const Object*)>
using BabeltraceOwner = std::unique_ptr<const Object, BabeltraceRelease<Object, kRelease>>;

using PluginOwner = BabeltraceOwner<bt_plugin, bt_plugin_put_ref>;
using SinkClassOwner = BabeltraceOwner<bt_component_class_sink, bt_component_class_sink_put_ref>;
using ConstValueOwner = BabeltraceOwner<bt_value, bt_value_put_ref>;
using MessageOwner = BabeltraceOwner<bt_message, bt_message_put_ref>;
using IteratorOwner = BabeltraceOwner<bt_message_iterator, bt_message_iterator_put_ref>;

/// One for the process.
std::mutex& BabeltraceMutex();

/// Takes this thread's error away, so that libbabeltrace2 can be called again. Returns what it
/// says, from the cause to the effect; "no reason is given" if there is none.
std::string TakeBabeltraceError();

}  // namespace tracekin::ctf

#endif  // TRACEKIN_CTF_BABELTRACE_H
