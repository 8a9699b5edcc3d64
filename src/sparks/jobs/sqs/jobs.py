"""The adapter: jobs with a group or a deduplication key go through the ordered queue, all others through the plain one.

[Note: two queues] SQS waits on one queue at a time, and a message that comes when its receiver has gone loses a try.
So `receive` waits on the two queues in turn, a second each: a job may lie for a second while the other is watched.

[Note: one at a time] Asked for several messages, SQS hands out several of one group; so it is asked for one.
"""

import math
import sys
import time
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import chain, cycle
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from botocore.exceptions import ClientError

from sparks.jobs.checks import (
    check_lease,
    check_listing,
    check_receiving,
    check_retry,
    check_sending,
    clean_reason,
    encode_body,
    fingerprint,
    mentions,
    new_id,
)
from sparks.jobs.port import MOST_LEASE, MOST_TRIES, Counts, DeadJob, Delivery, Job
from sparks.jobs.sqs.client import TURN
from sparks.jobs.sqs.failures import is_not_ours, translated
from sparks.jobs.sqs.letters import list_letters, take_letters
from sparks.jobs.sqs.messages import Receipt, read_delivery, write_message
from sparks.jobs.sqs.queues import Lane, find_lanes, post

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

BURIAL: Final = 60
VISIBLE: Final = "ApproximateNumberOfMessages"
DELAYED: Final = "ApproximateNumberOfMessagesDelayed"
LEASED: Final = "ApproximateNumberOfMessagesNotVisible"


class SqsJobs:
    """`dead_wait`: seconds that SQS gets to ask all of its servers for dead letters; 0 where there is one server."""

    def __init__(self, client: "SQSClient", prefix: str, *, dead_wait: int = 1) -> None:
        self._client = client
        self._prefix = prefix
        self._dead_wait = dead_wait
        self._directions = cycle((1, -1))
        self._closed = False

    def send(self, job: Job, *, delay: float = 0, deduplication: str | None = None, group: str | None = None) -> None:
        encode_body(job)
        check_sending(delay=delay, deduplication=deduplication, group=group)
        plain, ordered = self._lanes
        job_id = new_id()
        text = write_message(job, job_id=job_id, sent=time.time())
        with translated(self._prefix):
            if deduplication is None and group is None:
                post(self._client, plain.url, text, delay=delay)
            else:
                team = job_id if group is None else fingerprint(group)
                key = job_id if deduplication is None else fingerprint(deduplication)
                post(self._client, ordered.url, text, group=team, key=key)

    def receive(self, *, most: int = 10, wait: float = 20, lease: float = 60) -> list[Delivery]:
        check_receiving(most=most, wait=wait, lease=lease)
        deadline = time.monotonic() + wait
        lanes = self._lanes[:: next(self._directions)]
        taken = self._look(lanes, most, lease)
        turns = cycle(lanes)
        while not taken and not self._closed and (left := deadline - time.monotonic()) > 0:
            if left >= TURN:
                taken = self._poll(next(turns), most, lease, wait=TURN)
            else:
                time.sleep(left)
                taken = self._look(lanes, most, lease)
        return taken

    def done(self, delivery: Delivery) -> None:
        self._delete(Receipt.parse(delivery.receipt))

    def retry_later(self, delivery: Delivery, *, delay: float, reason: str | None = None) -> None:
        check_retry(delay)
        receipt = Receipt.parse(delivery.receipt)
        if delivery.tries < MOST_TRIES:
            self._hide(receipt, delay)
        elif self._hide(receipt, BURIAL):
            self._bury(delivery, receipt, clean_reason(reason))
            self._delete(receipt)

    def extend(self, delivery: Delivery, *, lease: float) -> bool:
        check_lease(lease)
        return self._hide(Receipt.parse(delivery.receipt), lease)

    def dead(self, *, most: int = 100) -> Sequence[DeadJob]:
        """Of one group no more than ten: SQS shows no more."""
        check_listing(most)
        with translated(self._prefix):
            lists = [list_letters(self._client, lane, most=most, wait=self._dead_wait) for lane in self._lanes]
        return sorted(chain(*lists), key=attrgetter("sent"))[:most]

    def retry_dead(self, job_ids: Sequence[str]) -> int:
        return self._take_dead(set(job_ids), again=True)

    def drop_dead(self, job_ids: Sequence[str]) -> int:
        return self._take_dead(set(job_ids), again=False)

    def drop_about(self, text: str) -> int:
        """Asked again and again, because of one group SQS shows no more than ten letters at a time."""
        found = 0
        while (about := self._dead_about(text)) and (dropped := self.drop_dead(about)):
            found += dropped
        return found

    def counts(self) -> Counts:
        living = [self._count(lane.url) for lane in self._lanes]
        dead = [self._count(lane.dead_url) for lane in self._lanes]
        return Counts(
            waiting=sum(count[VISIBLE] for count in living),
            delayed=sum(count[DELAYED] for count in living),
            leased=sum(count[LEASED] for count in living),
            dead=sum(sum(count.values()) for count in dead),
        )

    def check(self) -> None:
        for lane in self._lanes:
            self._count(lane.url)

    def close(self) -> None:
        self._closed = True
        self._client.close()

    @cached_property
    def _lanes(self) -> tuple[Lane, Lane]:
        """Looked up when first needed, so that Sparks starts where the queues are out of reach or not made yet."""
        with translated(self._prefix):
            return find_lanes(self._client, self._prefix)

    def _look(self, lanes: tuple[Lane, ...], most: int, lease: float) -> list[Delivery]:
        taken: list[Delivery] = []
        for lane in lanes:
            if len(taken) < most:
                taken += self._poll(lane, most - len(taken), lease, wait=0)
        return taken

    def _poll(self, lane: Lane, most: int, lease: float, *, wait: int) -> list[Delivery]:
        if not lane.ordered:
            return self._fetch(lane, most, lease, wait)
        taken = self._fetch(lane, 1, lease, wait)
        while taken and len(taken) < most and (more := self._fetch(lane, 1, lease, wait=0)):
            taken += more
        return taken

    def _fetch(self, lane: Lane, most: int, lease: float, wait: int) -> list[Delivery]:
        # An ordered queue answers a repeat after a broken connection alike, instead of keeping its groups locked.
        attempt: Any = {"ReceiveRequestAttemptId": new_id()} if lane.ordered else {}
        with translated(self._prefix):
            answer = self._client.receive_message(
                QueueUrl=lane.url,
                MaxNumberOfMessages=most,
                WaitTimeSeconds=wait,
                VisibilityTimeout=math.ceil(lease),
                MessageSystemAttributeNames=["ApproximateReceiveCount", "SentTimestamp", "MessageGroupId"],
                **attempt,
            )
        return [read_delivery(message, ordered=lane.ordered) for message in answer.get("Messages", [])]

    def _hide(self, receipt: Receipt, seconds: float) -> bool:
        """Whether the job is ours, and stays away from others for so long; SQS keeps none away longer than 12 hours."""
        left = MOST_LEASE - math.ceil(time.time() - receipt.received)
        return left > 0 and self._if_ours(
            self._client.change_message_visibility,
            QueueUrl=self._lanes[receipt.ordered].url,
            ReceiptHandle=receipt.handle,
            VisibilityTimeout=min(left, math.ceil(seconds)),
        )

    def _delete(self, receipt: Receipt) -> None:
        url = self._lanes[receipt.ordered].url
        self._if_ours(self._client.delete_message, QueueUrl=url, ReceiptHandle=receipt.handle)

    def _if_ours(self, call: Callable[..., object], **arguments: Any) -> bool:
        with translated(self._prefix):
            try:
                call(**arguments)
            except ClientError as error:
                if is_not_ours(error):
                    return False
                raise
        return True

    def _bury(self, delivery: Delivery, receipt: Receipt, reason: str | None) -> None:
        text = write_message(delivery.job, job_id=delivery.job_id, sent=delivery.sent.timestamp(), reason=reason)
        url = self._lanes[receipt.ordered].dead_url
        with translated(self._prefix):
            post(self._client, url, text, group=receipt.group, key=receipt.message_id)

    def _take_dead(self, job_ids: set[str], *, again: bool) -> int:
        found: set[str] = set()
        with translated(self._prefix):
            for lane in self._lanes:
                while wanted := job_ids - found:
                    more = take_letters(self._client, lane, wanted, again=again, wait=self._dead_wait)
                    found |= more
                    if not more or not lane.ordered:
                        break
        return len(found)

    def _dead_about(self, text: str) -> list[str]:
        """[Note: no letters] Most often there are none, and asking how many takes no waiting for them."""
        if not any(sum(self._count(lane.dead_url).values()) for lane in self._lanes):
            return []
        return [dead.job_id for dead in self.dead(most=sys.maxsize) if mentions(dead.job.body, text)]

    def _count(self, url: str) -> dict[str, int]:
        with translated(self._prefix):
            attributes = self._client.get_queue_attributes(QueueUrl=url, AttributeNames=[VISIBLE, DELAYED, LEASED])
        return {name: int(value) for name, value in attributes["Attributes"].items()}
