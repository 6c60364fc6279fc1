# SPDX-License-Identifier: Apache-2.0
"""How the bounds of docs/performance.md are kept, in words."""


def bound_text(limit, unit, figures, digits=0, at_least=False):
    """Each of `figures`, as a rule the minimum and the median, held against `limit`."""
    def words(figure):
        kept = figure >= limit if at_least else figure <= limit
        return f"{figure:,.{digits}f}{'' if kept else ' missed'}"
    bound = f"{'≥' if at_least else '≤'} {limit:,} {unit}".rstrip()
    return f"{bound}: " + " / ".join(map(words, figures))
