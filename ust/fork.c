/* SPDX-License-Identifier: Apache-2.0 */
/* fork() under LTTng-UST: without these hooks a child's events carry the parent's vpid and vtid.
 *
 * LTTng leaves the calls to liblttng-ust-fork.so, a preload that wraps fork() with them; here
 * pthread_atfork makes them, so that no preload is needed. They may be made only once a fork: a
 * second lttng_ust_before_fork() waits for ever for the lock that the first one took, with all
 * signals blocked. That is why they live in the provider, of which a process has one, and why they
 * keep out of the way of the preload. */
#include <dlfcn.h>
#include <lttng/ust-fork.h>
#include <pthread.h>
#include <signal.h>

/* What before_fork saves and after_fork restores. A thread's own, for LTTng writes it before it
 * takes the lock that keeps forks on several threads apart. */
static _Thread_local sigset_t saved_signal_mask;

static void BeforeFork(void) { lttng_ust_before_fork(&saved_signal_mask); }
static void AfterForkParent(void) { lttng_ust_after_fork_parent(&saved_signal_mask); }
static void AfterForkChild(void) { lttng_ust_after_fork_child(&saved_signal_mask); }

__attribute__((constructor)) static void RegisterForkHooks(void) {
  /* Wherever in the process it is: other interposers of fork() (sanitizers) may hide it from dlsym.
   */
  void* preload = dlopen("liblttng-ust-fork.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (preload != NULL) {
    dlclose(preload);
    return;
  }
  pthread_atfork(BeforeFork, AfterForkParent, AfterForkChild);
}
