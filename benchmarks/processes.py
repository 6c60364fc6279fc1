# SPDX-License-Identifier: Apache-2.0
"""What processes of benchmarks use."""
import pathlib


def cpu_seconds(pid):
    """The CPU time of the threads that a process has, by the scheduler's own account, in which a nanosecond counts."""
    threads = pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(thread.read_text().split()[0]) for thread in threads) / 1e9
