# SPDX-License-Identifier: Apache-2.0
"""Statistics of measurements that were made in pairs, so that a change in the machine's speed
affects both of a pair."""
import statistics


def median_interval(values):
    """Returns the median and the ends of its 95 % interval by the sign test. With few values the
    ends are the smallest and the largest."""
    ordered = sorted(values)
    rank = max(int(len(ordered) / 2 - 0.98 * len(ordered) ** 0.5), 0)
    return statistics.median(ordered), ordered[rank], ordered[-1 - rank]


def interval_text(values, form="+.1f"):
    """Returns the same as text."""
    return "{:{f}} ({:{f}} to {:{f}})".format(*median_interval(values), f=form)
