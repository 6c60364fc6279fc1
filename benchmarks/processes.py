# SPDX-License-Identifier: Apache-2.0
"""Helpers for benchmarks that run processes."""
import pathlib


def cpu_seconds(pid):
    """Returns the CPU time of a process's present threads, from the scheduler's accounting in
    nanoseconds."""
    threads = pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(thread.read_text().split()[0]) for thread in threads) / 1e9
