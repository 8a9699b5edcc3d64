"""Jobs that are sent to the queue of the side in use, and received from both.

Jobs are not moved at the change-over: workers go on to take those of the old queue, also delayed ones and those whose
worker died, until the migration is finished. So no job is lost, whoever is killed. A receipt names the queue.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from sparks.jobs.port import DeadJob, Delivery, Job, Jobs, QueueCounts
from sparks.migrate.engines.switch import EngineSwitch

DIVIDER: Final = " "


class SwitchedJobs:
    def __init__(self, switch: EngineSwitch) -> None:
        self._switch = switch
        self._queues: list[Jobs] = []

    def send(self, job: Job, *, delay: float = 0, deduplication: str | None = None, group: str | None = None) -> None:
        self._current.send(job, delay=delay, deduplication=deduplication, group=group)

    def receive(self, *, most: int = 10, wait: float = 20, lease: float = 60) -> list[Delivery]:
        """The other queue is asked first, without waiting, so that its jobs are not left behind."""
        current, *others = self._all()
        taken: list[Delivery] = []
        for queue in others:
            taken += self._tagged(queue, queue.receive(most=most, wait=0, lease=lease))
        if not taken:
            taken = self._tagged(current, current.receive(most=most, wait=wait, lease=lease))
        return taken

    def done(self, delivery: Delivery) -> None:
        queue, own = self._untagged(delivery)
        queue.done(own)

    def retry_later(self, delivery: Delivery, *, delay: float, reason: str | None = None) -> None:
        queue, own = self._untagged(delivery)
        queue.retry_later(own, delay=delay, reason=reason)

    def extend(self, delivery: Delivery, *, lease: float) -> bool:
        queue, own = self._untagged(delivery)
        return queue.extend(own, lease=lease)

    def dead(self, *, most: int = 100) -> Sequence[DeadJob]:
        found = [dead for queue in self._all() for dead in queue.dead(most=most)]
        return found[:most]

    def retry_dead(self, job_ids: Sequence[str]) -> int:
        return self._sum(lambda queue: queue.retry_dead(job_ids))

    def drop_dead(self, job_ids: Sequence[str]) -> int:
        return self._sum(lambda queue: queue.drop_dead(job_ids))

    def drop_about(self, text: str) -> int:
        return self._sum(lambda queue: queue.drop_about(text))

    def counts(self) -> QueueCounts:
        found = [queue.counts() for queue in self._all()]
        return QueueCounts(
            waiting=sum(count.waiting for count in found),
            delayed=sum(count.delayed for count in found),
            leased=sum(count.leased for count in found),
            dead=sum(count.dead for count in found),
        )

    def check(self) -> None:
        self._current.check()

    def close(self) -> None:
        for queue in self._all():
            queue.close()

    @property
    def _current(self) -> Jobs:
        return self._switch.view().stores.jobs

    def _all(self) -> Iterator[Jobs]:
        """The queue in use first."""
        view = self._switch.view()
        yield view.stores.jobs
        if view.passive is not None and view.moves_jobs:
            yield view.passive.jobs

    def _sum(self, ask: Callable[[Jobs], int]) -> int:
        return sum(map(ask, self._all()))

    def _tagged(self, queue: Jobs, deliveries: Sequence[Delivery]) -> list[Delivery]:
        if queue not in self._queues:
            self._queues.append(queue)
        number = self._queues.index(queue)
        return [replace(each, receipt=f"{number}{DIVIDER}{each.receipt}") for each in deliveries]

    def _untagged(self, delivery: Delivery) -> tuple[Jobs, Delivery]:
        number, _, receipt = delivery.receipt.partition(DIVIDER)
        return self._queues[int(number)], replace(delivery, receipt=receipt)
