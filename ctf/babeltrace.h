// SPDX-License-Identifier: Apache-2.0
// Owners for the reference-counted objects of libbabeltrace2, and functions that turn its errors
// into exceptions.
//
// An object of libbabeltrace2 belongs to one thread, and an error to the thread in which it
// occurred. The functions that find plugins, create components and release graphs access lists that
// all threads share without a lock. Hold BabeltraceMutex() while calling these functions.
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

/// Returns the only mutex of this kind in the process.
std::mutex& BabeltraceMutex();

/// Clears this thread's error, so that libbabeltrace2 can be called again. Returns its messages,
/// from the cause to the effect, or "no reason is given" if there are none.
std::string TakeBabeltraceError();

}  // namespace tracekin::ctf

#endif  // TRACEKIN_CTF_BABELTRACE_H
