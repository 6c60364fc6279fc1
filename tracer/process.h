// SPDX-License-Identifier: Apache-2.0
// What happens to tracers when their process forks or exits.
//
// Fork: one set of pthread_atfork handlers serves all tracers. The parent is not touched. In the
// child every tracer forgets what is the parent's (TracerImpl::AfterForkInChild) and the thread's
// state is renewed, so that ids and thread id are the child's own. vfork, posix_spawn and a raw clone
// run no handlers, and need none, for they are followed by exec.
//
// Exit: tracers that the program did not close are closed by an atexit handler, so that a host which
// calls exit() without destroying its tracers loses no spans. One that a signal ends loses those of the
// last flush interval (HAProxy on SIGTERM, which it leaves to the kernel). All tracers are closed at once, so
// that the process exits in the longest close_timeout_ms, whatever their number. Meanwhile other threads may
// fork and make tracers.
//
// Ours must run before the exit handlers of libraries that exporters use (base/library_at_work.h), because
// the last spans may need a handshake. So the handler is registered after they have been initialised, and
// threads of a tracer that uses them are started after that.
//
// Thread-safety: any thread. A fork waits for a tracer that is being registered or destroyed.
#ifndef TRACEKIN_TRACER_PROCESS_H
#define TRACEKIN_TRACER_PROCESS_H

namespace tracekin {

class TracerImpl;

/// From now until UnregisterTracer the tracer is told of forks and closed at exit. Throws
/// std::bad_alloc. REQUIRES: the libraries that the exporter uses have been initialised.
void RegisterTracer(TracerImpl* tracer);

/// Undoes that for some tracer that `condition` holds for, and returns it; nullptr if there is none.
TracerImpl* UnregisterTracer(bool (*condition)(const TracerImpl& tracer)) noexcept;

}  // namespace tracekin

#endif  // TRACEKIN_TRACER_PROCESS_H
