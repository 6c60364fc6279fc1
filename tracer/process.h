// SPDX-License-Identifier: Apache-2.0
// Handles forks and exits of the process on behalf of all tracers.
//
// Fork: one set of pthread_atfork handlers serves all tracers. They do not change the parent. In
// the child, every tracer discards the parent's state (TracerImpl::AfterForkInChild), and the
// thread's state is renewed so that the child has its own ids and thread id. vfork, posix_spawn and
// a raw clone run no handlers. They do not need handlers, because exec follows.
//
// Exit: an atexit handler closes the tracers that the program did not close, so that a host that
// calls exit() without destroying its tracers loses no spans. A process that is killed by a signal
// loses the spans of its last flush interval (HAProxy on SIGTERM, which it leaves to the kernel).
// All tracers are closed at the same time, so that the exit takes no longer than the longest
// close_timeout_ms. Other threads may fork and make tracers during that time.
//
// Ours must run before the exit handlers of libraries that exporters use (base/library_at_work.h),
// because the last spans may need a handshake. The handler is therefore registered after these
// libraries are initialised, and before a tracer that uses them starts its threads.
//
// Thread-safety: any function may be called from any thread. A fork waits while a tracer is being
// registered or destroyed.
#ifndef TRACEKIN_TRACER_PROCESS_H
#define TRACEKIN_TRACER_PROCESS_H

namespace tracekin {

class TracerImpl;

/// From now until UnregisterTracer, the tracer is notified of forks and is closed at exit. Throws
/// std::bad_alloc. REQUIRES: the libraries that the exporter uses are initialised.
void RegisterTracer(TracerImpl* tracer);

/// Unregisters one tracer for which `condition` holds and returns it, or nullptr.
TracerImpl* UnregisterTracer(bool (*condition)(const TracerImpl& tracer)) noexcept;

}  // namespace tracekin

#endif  // TRACEKIN_TRACER_PROCESS_H
