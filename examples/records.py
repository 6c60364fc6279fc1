# SPDX-License-Identifier: Apache-2.0
"""Reads the two records of a run into one form: what LTTng recorded and what was exported."""

import collections
import dataclasses
import json
import pathlib
import urllib.request

import bt2

ENDPOINT_TAGS = {"peer.service": "serviceName", "peer.ipv4": "ipv4", "peer.ipv6": "ipv6"}


@dataclasses.dataclass
class Span:
    """A span in Zipkin's model. Ids are hex text, times are microseconds."""

    trace_id: str
    span_id: str
    parent_id: str
    service: str
    name: str
    kind: str
    start: int
    duration: int
    tags: dict
    remote: dict
    annotations: list


@dataclasses.dataclass
class Event:
    """A moment of a span in the LTTng trace; its time is in nanoseconds."""

    time: int
    what: str  # the event's name without the provider's name
    span_id: str
    process: int
    thread: int
    thread_name: str
    message: str  # a log's text


class LttngRecord:
    """The LTTng trace of a run: `spans` by id in the form in which they must be exported, their
    `events` ordered by time, and the `problems` found."""

    def __init__(self, folder):
        self.spans, self.events, self.problems = {}, [], []
        self.unsampled = set()
        self.logs = collections.defaultdict(list)
        starts = {}
        for message in bt2.TraceCollectionMessageIterator(str(folder)):
            if "DiscardedEvents" in type(message).__name__:
                self.problems.append("LTTng has discarded events: larger buffers are needed")
            if type(message) is not bt2._EventMessageConst:
                continue
            if message.event.name != "tracekin:exporter_stats":
                self.take(message, starts)
        self.finish(starts)

    def take(self, message, starts):
        event = message.event
        what = event.name.removeprefix("tracekin:")
        if what.startswith("span_log"):
            what = "span_log"  # for a log of any severity
        span_id = f"{int(event['span_id']):016x}"
        thread = int(event["tid"])
        if thread != event["vtid"]:
            self.problems.append(f"{what} of {span_id} names thread {thread}, but LTTng "
                                 f"{event['vtid']}")
        log = text(event["message"]) if what == "span_log" else ""
        self.events.append(
            Event(message.default_clock_snapshot.ns_from_origin, what, span_id, int(event["vpid"]),
                  thread, text(event["procname"]), log))
        if what == "span_start":
            if starts.setdefault(span_id, identity(event)) is not starts[span_id]:
                self.problems.append(f"{span_id} starts twice")
        elif what == "span_finish":
            if span_id in self.spans:
                self.problems.append(f"{span_id} finishes twice")
            if starts.get(span_id) != identity(event):
                self.problems.append(f"{span_id}: start and finish differ")
            self.spans[span_id] = self.exported(event, span_id)
            if not event["sampled"]:
                self.unsampled.add(span_id)
        elif what == "span_log":
            self.logs[span_id].append(log)

    def exported(self, event, span_id):
        """Maps a finish event to Zipkin's model; see docs/ust-events.md."""
        tags = json.loads(text(event["tags"]))
        if tags.get("error") == "false":
            del tags["error"]
        remote = {there: tags.pop(here) for here, there in ENDPOINT_TAGS.items() if here in tags}
        if tags.get("peer.port", "").isdigit():
            remote["port"] = int(tags.pop("peer.port"))
        high, low = int(event["trace_id_high"]), int(event["trace_id_low"])
        kind = text(event["kind"])
        return Span(
            trace_id=f"{high:016x}{low:016x}" if high else f"{low:016x}",
            span_id=span_id,
            parent_id=f"{int(event['parent_span_id']):016x}" if event["parent_span_id"] else "",
            service=text(event["service"]),
            name=text(event["op_name"]),
            kind="" if kind == "local" else kind.upper(),
            start=int(event["start_time"]) // 1000,
            duration=max(1, int(event["duration"]) // 1000),
            tags=tags,
            remote=remote,
            annotations=self.logs[span_id])

    def finish(self, starts):
        for span_id in starts.keys() - self.spans.keys():
            self.problems.append(f"{span_id} has no finish")
        open_scopes = collections.Counter()
        for event in self.events:
            if event.span_id not in self.spans:
                self.problems.append(f"{event.what} of {event.span_id}, a span that does not exist")
            if event.what.startswith("scope_"):
                open_scopes[event.thread, event.span_id] += 1 if event.what == "scope_enter" else -1
        for (thread, span_id), count in open_scopes.items():
            if count != 0:
                self.problems.append(f"thread {thread} enters and exits {span_id} a different "
                                     f"number of times")
        for span in self.spans.values():
            if span.parent_id and span.parent_id not in self.spans:
                self.problems.append(f"{span.span_id} has a parent that does not exist")


def identity(event):
    """Returns the fields that start and finish of a span must agree in. Name and kind may change in
    between."""
    names = ("trace_id_high", "trace_id_low", "parent_span_id", "start_time")
    return [int(event[name]) for name in names] + [text(event["service"])]


def text(field):
    """Returns a string field. babeltrace2 2.0 returns the text of another event for an empty
    string."""
    return str(field)[: len(field)]


def zipkin_spans(url):
    """Returns all spans that the Zipkin server at `url` has, by id."""

    def get(path):
        with urllib.request.urlopen(f"{url}/api/v2/{path}", timeout=10) as answer:
            return json.load(answer)

    return by_id(span for service in get("services")
                 for trace in get(f"traces?serviceName={service}&limit=100000&lookback=86400000")
                 for span in trace)


def file_spans(folder):
    """Returns all spans, by id, from the files that the exporters of a run have written."""
    return by_id(json.loads(line) for file in sorted(pathlib.Path(folder).glob("*.json"))
                 for line in file.read_text().splitlines())


def by_id(spans):
    return {span["id"]: from_json(span) for span in spans}


def from_json(span):
    annotations = sorted(span.get("annotations", []), key=lambda each: each["timestamp"])
    return Span(
        trace_id=span["traceId"],
        span_id=span["id"],
        parent_id=span.get("parentId", ""),
        service=span["localEndpoint"]["serviceName"],
        name=span.get("name", ""),
        kind=span.get("kind", ""),
        start=span["timestamp"],
        duration=span["duration"],
        tags=span.get("tags", {}),
        remote=span.get("remoteEndpoint", {}),
        annotations=[annotation["value"] for annotation in annotations])


def as_zipkin_tells(span):
    """Returns the span as Zipkin returns it: with the names of spans and services in lower case."""
    remote = {key: value.lower() if key == "serviceName" else value
              for key, value in span.remote.items()}
    return dataclasses.replace(span, service=span.service.lower(), name=span.name.lower(),
                               remote=remote)


def differences(lttng, exported, lower_case):
    """Returns a line of text for each difference between the two records of a run."""
    found = list(lttng.problems)
    expected = {key: span for key, span in lttng.spans.items() if key not in lttng.unsampled}
    for span_id in sorted(expected.keys() - exported.keys()):
        span = expected[span_id]
        found.append(f"{span_id} ({span.service}, {span.name}) was not exported")
    for span_id in sorted(exported.keys() - expected.keys()):
        span = exported[span_id]
        found.append(f"{span_id} ({span.service}, {span.name}) is not in the LTTng trace")
    for span_id in sorted(expected.keys() & exported.keys()):
        ours = as_zipkin_tells(expected[span_id]) if lower_case else expected[span_id]
        ours, theirs = dataclasses.asdict(ours), dataclasses.asdict(exported[span_id])
        found += [f"{span_id} has {field} {ours[field]!r} in LTTng, exported as {theirs[field]!r}"
                  for field in ours if ours[field] != theirs[field]]
    return found
