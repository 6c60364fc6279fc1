# SPDX-License-Identifier: Apache-2.0
"""What is said of measurements that were made in pairs, so that both of a pair met the machine in the same mood."""
import statistics


def median_interval(values):
    """The median, and the ends of its 95 % interval by the sign test; of few values, the smallest and the largest."""
    ordered = sorted(values)
    rank = max(int(len(ordered) / 2 - 0.98 * len(ordered) ** 0.5), 0)
    return statistics.median(ordered), ordered[rank], ordered[-1 - rank]


def interval_text(values, form="+.1f"):
    """The same as text."""
    return "{:{f}} ({:{f}} to {:{f}})".format(*median_interval(values), f=form)
