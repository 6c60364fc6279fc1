# SPDX-License-Identifier: Apache-2.0
"""Describes in words how the bounds of docs/performance.md are met."""


def bound_text(limit, unit, figures, digits=0, at_least=False):
    """Compares each of `figures`, usually the minimum and the median, with `limit`."""
    def words(figure):
        kept = figure >= limit if at_least else figure <= limit
        return f"{figure:,.{digits}f}{'' if kept else ' missed'}"
    bound = f"{'≥' if at_least else '≤'} {limit:,} {unit}".rstrip()
    return f"{bound}: " + " / ".join(map(words, figures))
