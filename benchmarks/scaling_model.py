# SPDX-License-Identifier: Apache-2.0
"""A model of N producers, the exporter's two threads and M processors: how many spans per second
arrive.

It models the life of a span as docs/design.md describes it, with measured costs. Producers make
spans and put them into the queue, or drop them if it is full. The exporter thread polls every 20
ms, or when a batch is settled, and copies spans into at most two waiting batches. The sender
encodes and sends one batch at a time while a collector on the same machine reads. Threads that are
ready to run share the processors evenly, with at most one processor per thread. Time advances in
steps of 50 µs.
"""
import dataclasses

STEP = 50e-6
POLL = 20e-3
BATCHES_WAITING = 2


@dataclasses.dataclass
class Costs:
    """CPU time per span, in seconds."""
    producer: float
    exporter: float
    sender: float
    collector: float = 0.0  # 0 if the collector runs on other processors


@dataclasses.dataclass
class Limits:
    """The configuration's limits in spans, and `answer`, the collector's time to answer a batch in
    seconds."""
    queue: int = 65536
    batch: int = 1000
    answer: float = 0.0


class Model:
    def __init__(self, costs, limits, producers, processors, rate=None):
        """`rate` is the number of spans per second that each producer makes; None makes as many as
        possible."""
        self.costs, self.limits, self.processors = costs, limits, processors
        self.rate, self.backlog = rate, [0.0] * producers  # CPU time that their spans need
        self.queue = self.waiting = 0.0       # spans
        self.sending = self.receiving = 0.0   # CPU time still needed for the batch being sent
        self.next_poll, self.awake, self.answer_at = 0.0, False, None
        self.under_way = self.made = self.dropped = self.exported = self.now = 0.0

    def wants_spans(self):
        return self.awake and self.queue > 0 and self.waiting < BATCHES_WAITING * self.limits.batch

    def produce(self, time):
        spans = time / self.costs.producer
        kept = min(spans, max(self.limits.queue - self.queue, 0))
        self.made += spans
        self.queue += kept
        self.dropped += spans - kept

    def collect(self, time):
        spans = min(time / self.costs.exporter, self.queue,
                    BATCHES_WAITING * self.limits.batch - self.waiting)
        self.queue -= spans
        self.waiting += spans
        self.awake = self.queue > 0 and spans > 0

    def settle(self, now):
        if self.under_way > 0 and self.sending == self.receiving == 0:
            if self.answer_at is None:
                self.answer_at = now + self.limits.answer
            if now >= self.answer_at:
                self.exported += self.under_way
                self.under_way, self.answer_at, self.awake = 0.0, None, True
        if self.under_way == 0 and self.waiting > 0:
            self.under_way = min(self.waiting, self.limits.batch)
            self.waiting -= self.under_way
            self.sending = self.under_way * self.costs.sender
            self.receiving = self.under_way * self.costs.collector

    def step(self):
        now = self.now = self.now + STEP
        if now >= self.next_poll:
            self.awake, self.next_poll = True, now + POLL
        self.settle(now)
        if self.rate is not None:
            self.backlog = [wanted + STEP * self.rate * self.costs.producer
                            for wanted in self.backlog]
        producing = [i for i, wanted in enumerate(self.backlog) if self.rate is None or wanted > 0]
        running = len(producing) + self.wants_spans() + (self.sending > 0) + (self.receiving > 0)
        share = STEP * min(1, self.processors / running) if running else 0
        for i in producing:
            time = share if self.rate is None else min(share, self.backlog[i])
            self.backlog[i] -= time
            self.produce(time)
        if self.wants_spans():
            self.collect(share)
        self.sending = max(self.sending - share, 0)
        self.receiving = max(self.receiving - share, 0)

    def run(self, seconds):
        for _ in range(int(seconds / STEP)):
            self.step()
        return self


def overload(costs, limits, producers, processors, seconds=1.0):
    """Returns the spans per second that producers without other work make, and those exported."""
    model = Model(costs, limits, producers, processors).run(seconds)
    return model.made / seconds, model.exported / seconds


def lossless(costs, limits, producers, processors, seconds=1.0):
    """Returns the highest total rate of spans per second that producers can sustain without a drop:
    the queue must not be fuller at the end than in the middle."""
    low, high = 0.0, min(producers / costs.producer, 1.1 / costs.sender)
    for _ in range(10):
        rate = (low + high) / 2
        model = Model(costs, limits, producers, processors, rate / producers).run(seconds / 2)
        before, made = model.queue + model.waiting, model.made
        model.run(seconds / 2)
        growth = model.queue + model.waiting - before - limits.batch
        if model.dropped == 0 and growth <= 0.02 * (model.made - made):
            low = rate
        else:
            high = rate
    return low
