# SPDX-License-Identifier: Apache-2.0
"""Draws a request: its spans as a tree and, under each, the threads that worked for it, with times.
"""

import collections

LABEL, BAR = 44, 44
LEGEND = "█ span   ━ a thread works for it   ▸ ◂ a thread only starts or finishes it   ◆ log"


def draw(lttng, trace_id):
    """Returns lines of text: a header, then spans and threads."""
    spans = {key: span for key, span in lttng.spans.items() if span.trace_id == trace_id}
    root = next(span for span in spans.values() if not span.parent_id)
    events = [event for event in lttng.events if event.span_id in spans]
    children = collections.defaultdict(list)
    for span in sorted(spans.values(), key=lambda each: each.start):
        children[span.parent_id].append(span)
    picture = Picture(lttng, root, events, children)
    picture.add(root, "", "")

    threads = {event.thread for event in events}
    processes = {event.process for event in events}
    return [
        f"trace {trace_id}: {len(spans)} spans, {len(threads)} threads, {len(processes)} processes",
        "",
        f"{'span, threads':{LABEL}} {'start':>7} {'length':>7}  {'ms':<{BAR}}",
        *picture.lines,
        "",
        LEGEND,
    ]


class Picture:
    def __init__(self, lttng, root, events, children):
        self.lines = []
        self.root = root
        self.children = children
        # LTTng's clock differs from that of the spans, so each is drawn relative to its own time of
        # the root's start.
        self.origin = next(event.time for event in events if event.span_id == root.span_id)
        self.marks = collections.defaultdict(lambda: collections.defaultdict(list))
        self.logs = collections.defaultdict(list)
        for event in events:
            if event.what == "span_log":
                self.logs[event.span_id].append((self.ms(event.time), event.message))
            if event.what in ("span_start", "span_finish"):
                mark = "▸" if event.what == "span_start" else "◂"
                self.marks[event.span_id][thread_of(event)].append((self.ms(event.time), mark))
        self.work = work_of_threads(lttng.events)

    def ms(self, time):
        return (time - self.origin) / 1e6

    def add(self, span, lead, below):
        start, length = (span.start - self.root.start) / 1e3, span.duration / 1e3
        self.line(f"{lead}{span.service}: {span.name}", start, length, [(start, start + length)],
                  "█")
        children = self.children[span.span_id]
        inner = below + ("│ " if children else "  ")
        for thread, pieces in self.work[span.span_id].items():
            pieces = [(self.ms(begin), self.ms(end)) for begin, end in pieces]
            worked = sum(end - begin for begin, end in pieces)
            self.line(f"{inner}  {thread}", pieces[0][0], worked, pieces, "━")
        for thread, marks in self.marks[span.span_id].items():
            if thread not in self.work[span.span_id]:
                self.line(f"{inner}  {thread}", marks[0][0], None, [(at, at) for at, _ in marks],
                          [mark for _, mark in marks])
        for at, message in self.logs[span.span_id]:
            self.line(f"{inner}  “{message}”", at, None, [(at, at)], "◆")
        for child in children:
            last = child is children[-1]
            self.add(child, below + ("└─" if last else "├─"), below + ("  " if last else "│ "))

    def line(self, label, start, length, pieces, marks):
        bar = [" "] * BAR
        scale = BAR / (self.root.duration / 1e3)
        for index, (begin, end) in enumerate(pieces):
            first = min(max(int(begin * scale), 0), BAR - 1)
            last = min(max(int(end * scale), first), BAR - 1)
            for cell in range(first, last + 1):
                bar[cell] = marks[index] if isinstance(marks, list) else marks
        length = f"{length:7.2f}" if length is not None else " " * 7
        if len(label) > LABEL:
            label = label[: LABEL - 1] + "…"
        self.lines.append(f"{label:{LABEL}} {start:7.2f} {length}  {''.join(bar)}".rstrip())


def thread_of(event):
    return f"{event.thread_name} {event.thread}"


def work_of_threads(events):
    """Returns span id -> thread -> intervals. A thread in several scopes works for the innermost.
    """
    work = collections.defaultdict(lambda: collections.defaultdict(list))
    scopes = collections.defaultdict(list)  # of each thread, outermost first
    since = {}
    for event in events:
        if not event.what.startswith("scope_"):
            continue
        stack = scopes[event.thread]
        if stack:
            work[stack[-1]][thread_of(event)].append((since[event.thread], event.time))
        if event.what == "scope_enter":
            stack.append(event.span_id)
        elif event.span_id in stack:
            del stack[len(stack) - 1 - stack[::-1].index(event.span_id)]
        since[event.thread] = event.time
    return work
