"""Jobs in memory: the reference adapter, also used by tests."""

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
    from_epoch,
    mentions,
    new_id,
)
from sparks.jobs.port import DEDUPLICATION_SECONDS, MAX_TRIES, DeadJob, Delivery, Job, QueueCounts

POLL_INTERVAL: Final = 1.0


@dataclass(slots=True)
class _StoredJob:
    """`due` is the time from which it may be received: when sent, after its delay, or when its lease ends."""

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
        return self.tries >= MAX_TRIES and self.due <= now


class MemoryJobs:
    def __init__(self, *, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._changed = threading.Condition()
        self._jobs: dict[str, _StoredJob] = {}  # in the order they were sent
        self._deduplication_keys: dict[str, float] = {}
        self._closed = False

    def send(self, job: Job, *, delay: float = 0, deduplication: str | None = None, group: str | None = None) -> None:
        body = encode_body(job)
        check_sending(delay=delay, deduplication=deduplication, group=group)
        with self._changed:
            now = self._clock()
            if deduplication is None or self._is_new(deduplication, now):
                self._store(_StoredJob(new_id(), job.kind, body, group, sent=now, due=now + delay))

    def receive(self, *, most: int = 10, wait: float = 20, lease: float = 60) -> list[Delivery]:
        check_receiving(most=most, wait=wait, lease=lease)
        deadline = time.monotonic() + wait
        with self._changed:
            while True:
                taken = [self._lease(stored, lease) for stored in self._due()[:most]]
                left = deadline - time.monotonic()
                if taken or left <= 0 or self._closed:
                    return taken
                self._changed.wait(min(left, self._until_due()))

    def done(self, delivery: Delivery) -> None:
        with self._changed:
            if self._leased(delivery):
                del self._jobs[delivery.job_id]
                self._changed.notify_all()

    def retry_later(self, delivery: Delivery, *, delay: float, reason: str | None = None) -> None:
        check_retry(delay)
        with self._changed:
            now, stored = self._clock(), self._leased(delivery)
            if stored is None or stored.due <= now:
                return
            last = stored.tries >= MAX_TRIES
            stored.due = now if last else now + delay
            stored.reason = clean_reason(reason) if last else None
            stored.receipt = None
            self._changed.notify_all()

    def extend(self, delivery: Delivery, *, lease: float) -> bool:
        check_lease(lease)
        with self._changed:
            now, stored = self._clock(), self._leased(delivery)
            if stored is None or stored.due <= now:
                return False
            stored.due = now + lease
            return True

    def dead(self, *, most: int = 100) -> Sequence[DeadJob]:
        check_listing(most)
        with self._changed:
            now = self._clock()
            dead = sorted((stored for stored in self._jobs.values() if stored.is_dead(now)), key=attrgetter("due"))
            return [_dead_job(stored) for stored in dead[:most]]

    def retry_dead(self, job_ids: Sequence[str]) -> int:
        with self._changed:
            dead = self._pop_dead(job_ids)
            for stored in dead:
                self._store(replace(stored, due=self._clock(), tries=0, receipt=None, reason=None))
            return len(dead)

    def drop_dead(self, job_ids: Sequence[str]) -> int:
        with self._changed:
            return len(self._pop_dead(job_ids))

    def drop_about(self, text: str) -> int:
        with self._changed:
            about = [stored.job_id for stored in self._jobs.values() if mentions(json.loads(stored.body), text)]
            for job_id in about:
                del self._jobs[job_id]
            self._changed.notify_all()
            return len(about)

    def counts(self) -> QueueCounts:
        with self._changed:
            now = self._clock()
            stored = self._jobs.values()
            dead = sum(job.is_dead(now) for job in stored)
            leased = sum(job.due > now and job.receipt is not None for job in stored)
            waiting = len(self._due())
            return QueueCounts(waiting=waiting, delayed=len(stored) - waiting - leased - dead, leased=leased, dead=dead)

    def check(self) -> None:
        """Memory is always reachable."""

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _is_new(self, deduplication: str, now: float) -> bool:
        self._deduplication_keys = {key: until for key, until in self._deduplication_keys.items() if until > now}
        if deduplication in self._deduplication_keys:
            return False
        self._deduplication_keys[deduplication] = now + DEDUPLICATION_SECONDS
        return True

    def _store(self, stored: _StoredJob) -> None:
        self._jobs[stored.job_id] = stored
        self._changed.notify_all()

    def _due(self) -> list[_StoredJob]:
        """The jobs that may be received now, oldest first."""
        now = self._clock()
        return sorted((stored for stored in self._firsts(now) if stored.due <= now), key=attrgetter("due"))

    def _firsts(self, now: float) -> Iterator[_StoredJob]:
        """The living jobs that wait for no other job: those without a group, and the first of each group."""
        groups: set[str] = set()
        for stored in self._jobs.values():
            if stored.group in groups or stored.is_dead(now):
                continue
            if stored.group is not None:
                groups.add(stored.group)
            yield stored

    def _lease(self, stored: _StoredJob, lease: float) -> Delivery:
        stored.tries += 1
        stored.due = self._clock() + lease
        stored.receipt = new_id()
        return Delivery(
            decode_body(stored.kind, stored.body), stored.job_id, stored.receipt, stored.tries, from_epoch(stored.sent)
        )

    def _until_due(self) -> float:
        now = self._clock()
        return min([POLL_INTERVAL, *(stored.due - now for stored in self._jobs.values() if stored.due > now)])

    def _leased(self, delivery: Delivery) -> _StoredJob | None:
        stored = self._jobs.get(delivery.job_id)
        return stored if stored is not None and stored.receipt == delivery.receipt else None

    def _pop_dead(self, job_ids: Sequence[str]) -> list[_StoredJob]:
        now = self._clock()
        dead = [job_id for job_id in dict.fromkeys(job_ids) if job_id in self._jobs and self._jobs[job_id].is_dead(now)]
        return [self._jobs.pop(job_id) for job_id in dead]


def _dead_job(stored: _StoredJob) -> DeadJob:
    return DeadJob(
        decode_body(stored.kind, stored.body), stored.job_id, from_epoch(stored.sent), stored.tries, stored.reason
    )
