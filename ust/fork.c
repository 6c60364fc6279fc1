/* SPDX-License-Identifier: Apache-2.0 */
/* Hooks fork() for LTTng-UST. Without these hooks a child's events carry the parent's vpid and
 * vtid.
 *
 * LTTng expects these calls from liblttng-ust-fork.so, a preload that wraps fork(). Here
 * pthread_atfork makes them, so that no preload is needed. They must be made only once per fork:
 * a second lttng_ust_before_fork() blocks forever, with all signals blocked, on the lock that
 * the first one acquired. Therefore the hooks are in the provider, which exists once per
 * process, and are not registered if the preload is loaded. */
#include <dlfcn.h>
#include <lttng/ust-fork.h>
#include <pthread.h>
#include <signal.h>

/* The mask that before_fork saves and after_fork restores. It is thread-local because LTTng
 * writes it before it acquires the lock that serializes forks on several threads. */
static _Thread_local sigset_t saved_signal_mask;

static void BeforeFork(void) { lttng_ust_before_fork(&saved_signal_mask); }
static void AfterForkParent(void) { lttng_ust_after_fork_parent(&saved_signal_mask); }
static void AfterForkChild(void) { lttng_ust_after_fork_child(&saved_signal_mask); }

__attribute__((constructor)) static void RegisterForkHooks(void) {
  /* Finds the preload by its name, because other interposers of fork() (sanitizers) may hide it
   * from dlsym. */
  void* preload = dlopen("liblttng-ust-fork.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (preload != NULL) {
    dlclose(preload);
    return;
  }
  pthread_atfork(BeforeFork, AfterForkParent, AfterForkChild);
}
