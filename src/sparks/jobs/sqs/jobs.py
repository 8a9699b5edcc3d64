"""SQS adapter of the jobs, with one plain and one ordered queue.

SQS waits on one queue at a time, and a message that is delivered to a receiver that has gone loses a try. So `receive`
polls the two queues in turn, for a second each; a job may wait for a second while the other queue is polled.

A request for several messages may return several of one group, so the ordered queue is asked for one at a time.
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
from sparks.jobs.port import MAX_LEASE, MAX_TRIES, DeadJob, Delivery, Job, QueueCounts
from sparks.jobs.sqs.dead_letters import list_dead_letters, take_dead_letters
from sparks.jobs.sqs.error_mapping import is_lease_lost, translated
from sparks.jobs.sqs.messages import Receipt, read_delivery, write_message
from sparks.jobs.sqs.queues import POLL_SECONDS, QueuePair, find_queues, send_message

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

BURY_SECONDS: Final = 60
VISIBLE: Final = "ApproximateNumberOfMessages"
DELAYED: Final = "ApproximateNumberOfMessagesDelayed"
LEASED: Final = "ApproximateNumberOfMessagesNotVisible"


class SqsJobs:
    """`dead_wait`: seconds in which SQS asks all of its servers for dead letters; 0 for a single server."""

    def __init__(self, client: "SQSClient", prefix: str, *, dead_wait: int = 1) -> None:
        self._client = client
        self._prefix = prefix
        self._dead_wait = dead_wait
        self._directions = cycle((1, -1))
        self._closed = False

    def send(self, job: Job, *, delay: float = 0, deduplication: str | None = None, group: str | None = None) -> None:
        encode_body(job)
        check_sending(delay=delay, deduplication=deduplication, group=group)
        plain, ordered = self._queue_pairs
        job_id = new_id()
        text = write_message(job, job_id=job_id, sent=time.time())
        with translated(self._prefix):
            if deduplication is None and group is None:
                send_message(self._client, plain.url, text, delay=delay)
            else:
                team = job_id if group is None else fingerprint(group)
                key = job_id if deduplication is None else fingerprint(deduplication)
                send_message(self._client, ordered.url, text, group=team, key=key)

    def receive(self, *, most: int = 10, wait: float = 20, lease: float = 60) -> list[Delivery]:
        check_receiving(most=most, wait=wait, lease=lease)
        deadline = time.monotonic() + wait
        queue_pairs = self._queue_pairs[:: next(self._directions)]
        taken = self._poll_all(queue_pairs, most, lease)
        rotation = cycle(queue_pairs)
        while not taken and not self._closed and (left := deadline - time.monotonic()) > 0:
            if left >= POLL_SECONDS:
                taken = self._poll(next(rotation), most, lease, wait=POLL_SECONDS)
            else:
                time.sleep(left)
                taken = self._poll_all(queue_pairs, most, lease)
        return taken

    def done(self, delivery: Delivery) -> None:
        self._delete(Receipt.parse(delivery.receipt))

    def retry_later(self, delivery: Delivery, *, delay: float, reason: str | None = None) -> None:
        check_retry(delay)
        receipt = Receipt.parse(delivery.receipt)
        if delivery.tries < MAX_TRIES:
            self._set_visibility(receipt, delay)
        elif self._set_visibility(receipt, BURY_SECONDS):
            self._send_to_dead_letters(delivery, receipt, clean_reason(reason))
            self._delete(receipt)

    def extend(self, delivery: Delivery, *, lease: float) -> bool:
        check_lease(lease)
        return self._set_visibility(Receipt.parse(delivery.receipt), lease)

    def dead(self, *, most: int = 100) -> Sequence[DeadJob]:
        """At most ten of one group, which is all that SQS shows."""
        check_listing(most)
        with translated(self._prefix):
            lists = [
                list_dead_letters(self._client, pair, most=most, wait=self._dead_wait) for pair in self._queue_pairs
            ]
        return sorted(chain(*lists), key=attrgetter("sent"))[:most]

    def retry_dead(self, job_ids: Sequence[str]) -> int:
        return self._take_dead(set(job_ids), again=True)

    def drop_dead(self, job_ids: Sequence[str]) -> int:
        return self._take_dead(set(job_ids), again=False)

    def drop_about(self, text: str) -> int:
        """Repeats until nothing is found, because SQS shows at most ten dead letters of one group at a time."""
        found = 0
        while (about := self._dead_about(text)) and (dropped := self.drop_dead(about)):
            found += dropped
        return found

    def counts(self) -> QueueCounts:
        living = [self._count(pair.url) for pair in self._queue_pairs]
        dead = [self._count(pair.dead_url) for pair in self._queue_pairs]
        return QueueCounts(
            waiting=sum(count[VISIBLE] for count in living),
            delayed=sum(count[DELAYED] for count in living),
            leased=sum(count[LEASED] for count in living),
            dead=sum(sum(count.values()) for count in dead),
        )

    def check(self) -> None:
        for pair in self._queue_pairs:
            self._count(pair.url)

    def close(self) -> None:
        self._closed = True
        self._client.close()

    @cached_property
    def _queue_pairs(self) -> tuple[QueuePair, QueuePair]:
        """Looked up at the first use, so that Sparks starts where the queues are unreachable or not yet created."""
        with translated(self._prefix):
            return find_queues(self._client, self._prefix)

    def _poll_all(self, queue_pairs: tuple[QueuePair, ...], most: int, lease: float) -> list[Delivery]:
        taken: list[Delivery] = []
        for pair in queue_pairs:
            if len(taken) < most:
                taken += self._poll(pair, most - len(taken), lease, wait=0)
        return taken

    def _poll(self, queues: QueuePair, most: int, lease: float, *, wait: int) -> list[Delivery]:
        if not queues.ordered:
            return self._fetch(queues, most, lease, wait)
        taken = self._fetch(queues, 1, lease, wait)
        while taken and len(taken) < most and (more := self._fetch(queues, 1, lease, wait=0)):
            taken += more
        return taken

    def _fetch(self, queues: QueuePair, most: int, lease: float, wait: int) -> list[Delivery]:
        # With this id, an ordered queue repeats its response after a broken connection and does not lock the groups.
        attempt: Any = {"ReceiveRequestAttemptId": new_id()} if queues.ordered else {}
        with translated(self._prefix):
            answer = self._client.receive_message(
                QueueUrl=queues.url,
                MaxNumberOfMessages=most,
                WaitTimeSeconds=wait,
                VisibilityTimeout=math.ceil(lease),
                MessageSystemAttributeNames=["ApproximateReceiveCount", "SentTimestamp", "MessageGroupId"],
                **attempt,
            )
        return [read_delivery(message, ordered=queues.ordered) for message in answer.get("Messages", [])]

    def _set_visibility(self, receipt: Receipt, seconds: float) -> bool:
        """Hides the job from other workers for so long, 12 hours at most; False where its lease has ended."""
        left = MAX_LEASE - math.ceil(time.time() - receipt.received)
        return left > 0 and self._call_if_leased(
            self._client.change_message_visibility,
            QueueUrl=self._queue_pairs[receipt.ordered].url,
            ReceiptHandle=receipt.handle,
            VisibilityTimeout=min(left, math.ceil(seconds)),
        )

    def _delete(self, receipt: Receipt) -> None:
        url = self._queue_pairs[receipt.ordered].url
        self._call_if_leased(self._client.delete_message, QueueUrl=url, ReceiptHandle=receipt.handle)

    def _call_if_leased(self, call: Callable[..., object], **arguments: Any) -> bool:
        with translated(self._prefix):
            try:
                call(**arguments)
            except ClientError as error:
                if is_lease_lost(error):
                    return False
                raise
        return True

    def _send_to_dead_letters(self, delivery: Delivery, receipt: Receipt, reason: str | None) -> None:
        text = write_message(delivery.job, job_id=delivery.job_id, sent=delivery.sent.timestamp(), reason=reason)
        url = self._queue_pairs[receipt.ordered].dead_url
        with translated(self._prefix):
            send_message(self._client, url, text, group=receipt.group, key=receipt.message_id)

    def _take_dead(self, job_ids: set[str], *, again: bool) -> int:
        found: set[str] = set()
        with translated(self._prefix):
            for pair in self._queue_pairs:
                while wanted := job_ids - found:
                    more = take_dead_letters(self._client, pair, wanted, again=again, wait=self._dead_wait)
                    found |= more
                    if not more or not pair.ordered:
                        break
        return len(found)

    def _dead_about(self, text: str) -> list[str]:
        """Counts first: mostly there are no dead letters, and counting does not wait for them."""
        if not any(sum(self._count(pair.dead_url).values()) for pair in self._queue_pairs):
            return []
        return [dead.job_id for dead in self.dead(most=sys.maxsize) if mentions(dead.job.body, text)]

    def _count(self, url: str) -> dict[str, int]:
        with translated(self._prefix):
            attributes = self._client.get_queue_attributes(QueueUrl=url, AttributeNames=[VISIBLE, DELAYED, LEASED])
        return {name: int(value) for name, value in attributes["Attributes"].items()}
