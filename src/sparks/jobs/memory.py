"""Jobs in memory: the model that the other adapters are compared with, and what tests run on."""

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Final

from sparks.jobs.checks import (
    check_lease,
    check_listing,
    check_receiving,
    check_retry,
    check_sending,
    clean_reason,
    decode_body,
    encode_body,
    mentions,
    moment,
    new_id,
)
from sparks.jobs.port import DEDUPLICATION_SECONDS, MOST_TRIES, Counts, DeadJob, Delivery, Job

LOOK_EVERY: Final = 1.0


@dataclass(slots=True)
class _Kept:
    """`due` is when it may be received: once sent, once its delay is over, once its lease has ended."""

    job_id: str
    kind: str
    body: str
    group: str | None
    sent: float
    due: float
    tries: int = 0
    receipt: str | None = None
    reason: str | None = None

    def is_dead(self, now: float) -> bool:
        return self.tries >= MOST_TRIES and self.due <= now


class MemoryJobs:
    def __init__(self, *, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._changed = threading.Condition()
        self._kept: dict[str, _Kept] = {}  # in the order they were sent
        self._seen: dict[str, float] = {}
        self._closed = False

    def send(self, job: Job, *, delay: float = 0, deduplication: str | None = None, group: str | None = None) -> None:
        body = encode_body(job)
        check_sending(delay=delay, deduplication=deduplication, group=group)
        with self._changed:
            now = self._clock()
            if deduplication is None or self._is_new(deduplication, now):
                self._keep(_Kept(new_id(), job.kind, body, group, sent=now, due=now + delay))

    def receive(self, *, most: int = 10, wait: float = 20, lease: float = 60) -> list[Delivery]:
        check_receiving(most=most, wait=wait, lease=lease)
        deadline = time.monotonic() + wait
        with self._changed:
            while True:
                taken = [self._lease(kept, lease) for kept in self._due()[:most]]
                left = deadline - time.monotonic()
                if taken or left <= 0 or self._closed:
                    return taken
                self._changed.wait(min(left, self._until_due()))

    def done(self, delivery: Delivery) -> None:
        with self._changed:
            if self._held(delivery):
                del self._kept[delivery.job_id]
                self._changed.notify_all()

    def retry_later(self, delivery: Delivery, *, delay: float, reason: str | None = None) -> None:
        check_retry(delay)
        with self._changed:
            now, kept = self._clock(), self._held(delivery)
            if kept is None or kept.due <= now:
                return
            last = kept.tries >= MOST_TRIES
            kept.due = now if last else now + delay
            kept.reason = clean_reason(reason) if last else None
            kept.receipt = None
            self._changed.notify_all()

    def extend(self, delivery: Delivery, *, lease: float) -> bool:
        check_lease(lease)
        with self._changed:
            now, kept = self._clock(), self._held(delivery)
            if kept is None or kept.due <= now:
                return False
            kept.due = now + lease
            return True

    def dead(self, *, most: int = 100) -> Sequence[DeadJob]:
        check_listing(most)
        with self._changed:
            now = self._clock()
            dead = sorted((kept for kept in self._kept.values() if kept.is_dead(now)), key=attrgetter("due"))
            return [_dead_job(kept) for kept in dead[:most]]

    def retry_dead(self, job_ids: Sequence[str]) -> int:
        with self._changed:
            dead = self._pop_dead(job_ids)
            for kept in dead:
                self._keep(replace(kept, due=self._clock(), tries=0, receipt=None, reason=None))
            return len(dead)

    def drop_dead(self, job_ids: Sequence[str]) -> int:
        with self._changed:
            return len(self._pop_dead(job_ids))

    def drop_about(self, text: str) -> int:
        with self._changed:
            about = [kept.job_id for kept in self._kept.values() if mentions(json.loads(kept.body), text)]
            for job_id in about:
                del self._kept[job_id]
            self._changed.notify_all()
            return len(about)

    def counts(self) -> Counts:
        with self._changed:
            now = self._clock()
            kept = self._kept.values()
            dead = sum(job.is_dead(now) for job in kept)
            leased = sum(job.due > now and job.receipt is not None for job in kept)
            waiting = len(self._due())
            return Counts(waiting=waiting, delayed=len(kept) - waiting - leased - dead, leased=leased, dead=dead)

    def check(self) -> None:
        """Memory is always there."""

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _is_new(self, deduplication: str, now: float) -> bool:
        self._seen = {key: until for key, until in self._seen.items() if until > now}
        if deduplication in self._seen:
            return False
        self._seen[deduplication] = now + DEDUPLICATION_SECONDS
        return True

    def _keep(self, kept: _Kept) -> None:
        self._kept[kept.job_id] = kept
        self._changed.notify_all()

    def _due(self) -> list[_Kept]:
        """What may be received now, oldest first."""
        now = self._clock()
        return sorted((kept for kept in self._firsts(now) if kept.due <= now), key=attrgetter("due"))

    def _firsts(self, now: float) -> Iterator[_Kept]:
        """The living jobs that wait for no other: those without a group, and the first of each group."""
        groups: set[str] = set()
        for kept in self._kept.values():
            if kept.group in groups or kept.is_dead(now):
                continue
            if kept.group is not None:
                groups.add(kept.group)
            yield kept

    def _lease(self, kept: _Kept, lease: float) -> Delivery:
        kept.tries += 1
        kept.due = self._clock() + lease
        kept.receipt = new_id()
        return Delivery(decode_body(kept.kind, kept.body), kept.job_id, kept.receipt, kept.tries, moment(kept.sent))

    def _until_due(self) -> float:
        now = self._clock()
        return min([LOOK_EVERY, *(kept.due - now for kept in self._kept.values() if kept.due > now)])

    def _held(self, delivery: Delivery) -> _Kept | None:
        kept = self._kept.get(delivery.job_id)
        return kept if kept is not None and kept.receipt == delivery.receipt else None

    def _pop_dead(self, job_ids: Sequence[str]) -> list[_Kept]:
        now = self._clock()
        dead = [job_id for job_id in dict.fromkeys(job_ids) if job_id in self._kept and self._kept[job_id].is_dead(now)]
        return [self._kept.pop(job_id) for job_id in dead]


def _dead_job(kept: _Kept) -> DeadJob:
    return DeadJob(decode_body(kept.kind, kept.body), kept.job_id, moment(kept.sent), kept.tries, kept.reason)
