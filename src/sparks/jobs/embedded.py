"""Jobs in the SQLite file of the table: nothing to install, and workers in other processes wake at once."""

import json
import time
from collections.abc import Callable, Sequence
from secrets import token_hex
from typing import Any, Final

import apsw

from sparks.jobs.bell import Bell
from sparks.jobs.checks import (
    KIND,
    check_lease,
    check_listing,
    check_receiving,
    check_retry,
    check_sending,
    clean_reason,
    decode_body,
    encode_body,
    fingerprint,
    mentions,
    moment,
    new_id,
)
from sparks.jobs.port import DEDUPLICATION_SECONDS, MOST_LEASE, Counts, DeadJob, Delivery, Job
from sparks.jobs.statements import (
    ABOUT,
    ADVANCE,
    ANY_SPENT,
    BRING_BACK,
    BURY,
    COUNT,
    DEAD,
    DIG_UP,
    DUE,
    EXTEND,
    FINISH,
    FORGET,
    GIVE_BACK,
    GIVE_UP,
    KEEP,
    LEASE,
    NEXT,
    NOTE,
    REMOVE,
    SCHEMA,
)
from sparks.model.errors import BadSetting
from sparks.sqlitefile import SqliteFile

LOOK_EVERY: Final = 1.0
# No delay and no lease is longer: a job that is due later was sent before the clock was set back.
FURTHEST: Final = MOST_LEASE + 60.0


class EmbeddedJobs:
    """While nothing comes, a `receive` that waits makes one small read every `look_every` seconds, and no write."""

    def __init__(
        self,
        file: SqliteFile,
        queue: str = "main",
        *,
        clock: Callable[[], float] = time.time,
        look_every: float = LOOK_EVERY,
    ) -> None:
        if not KIND.fullmatch(queue):
            raise BadSetting(f"{queue!r} is no name of a queue: 1 to 80 letters, digits, '-', '_' or '.'")
        self._file = file
        self._queue = queue
        self._clock = clock
        self._look_every = look_every
        file.ensure(SCHEMA)
        self._bell = Bell(file.path.with_name(f"{file.path.name}-{queue}.wake"))

    def send(self, job: Job, *, delay: float = 0, deduplication: str | None = None, group: str | None = None) -> None:
        body = encode_body(job)
        check_sending(delay=delay, deduplication=deduplication, group=group)
        team = None if group is None else fingerprint(group)
        key = None if deduplication is None else fingerprint(deduplication)

        def keep(connection: apsw.Connection) -> None:
            now = self._clock()
            if key is None or self._is_new(connection, key, now):
                connection.execute(KEEP, (self._queue, new_id(), job.kind, body, team, now, now + delay))

        self._file.write(keep)
        self._bell.ring()

    def receive(self, *, most: int = 10, wait: float = 20, lease: float = 60) -> list[Delivery]:
        check_receiving(most=most, wait=wait, lease=lease)
        deadline = time.monotonic() + wait
        while True:
            self._bell.hush()
            pause = self._until_due()
            taken = self._take(most, lease) if pause <= 0 else []
            left = deadline - time.monotonic()
            if taken or left <= 0 or self._bell.closed:
                return taken
            self._bell.listen(max(0, min(left, pause, self._look_every)))

    def done(self, delivery: Delivery) -> None:
        def finish(connection: apsw.Connection) -> bool:
            teams = connection.execute(FINISH, (_place(delivery), delivery.receipt)).fetchall()
            return self._advance(connection, teams)

        if self._file.write(finish, erases=True):
            self._bell.ring()

    def retry_later(self, delivery: Delivery, *, delay: float, reason: str | None = None) -> None:
        check_retry(delay)
        cleaned = clean_reason(reason)

        def give_back(connection: apsw.Connection) -> None:
            now = self._clock()
            held = (_place(delivery), delivery.receipt, now)
            connection.execute(GIVE_BACK, (*held, now + delay))
            self._advance(connection, connection.execute(GIVE_UP, (*held, cleaned)).fetchall())

        self._file.write(give_back)
        self._bell.ring()

    def extend(self, delivery: Delivery, *, lease: float) -> bool:
        check_lease(lease)

        def prolong(connection: apsw.Connection) -> bool:
            now = self._clock()
            return bool(connection.execute(EXTEND, (_place(delivery), delivery.receipt, now, now + lease)).fetchall())

        return self._file.write(prolong)

    def dead(self, *, most: int = 100) -> Sequence[DeadJob]:
        check_listing(most)
        self._bury_spent()
        rows = self._file.read(DEAD, (self._queue, most))
        return [
            DeadJob(decode_body(kind, body), job_id, moment(sent), tries, reason)
            for kind, body, job_id, sent, tries, reason in rows
        ]

    def retry_dead(self, job_ids: Sequence[str]) -> int:
        def send_again(connection: apsw.Connection) -> int:
            rows = self._dig_up(connection, job_ids)
            connection.executemany(KEEP, [(self._queue, *row, self._clock()) for row in rows])
            return len(rows)

        self._bury_spent()
        found = self._file.write(send_again)
        self._bell.ring()
        return found

    def drop_dead(self, job_ids: Sequence[str]) -> int:
        self._bury_spent()
        return self._file.write(lambda connection: len(self._dig_up(connection, job_ids)), erases=True)

    def drop_about(self, text: str) -> int:
        """Looked for by a reader first: most often there is nothing, and then nobody waits for a write."""
        written = json.dumps(text)

        def drop(connection: apsw.Connection) -> int:
            places = _about(text, connection.execute(ABOUT, (self._queue, written)).fetchall())
            self._advance(connection, [row for place in places for row in connection.execute(REMOVE, (place,))])
            return len(places)

        if not _about(text, self._file.read(ABOUT, (self._queue, written))):
            return 0
        found = self._file.write(drop, erases=True)
        self._bell.ring()
        return found

    def counts(self) -> Counts:
        self._bury_spent()
        [(waiting, leased, dead, all_jobs)] = self._file.read(COUNT, (self._queue, self._clock()))
        return Counts(waiting=waiting, delayed=all_jobs - waiting - leased - dead, leased=leased, dead=dead)

    def check(self) -> None:
        self._file.read(NEXT, (self._queue,))

    def close(self) -> None:
        """The file is closed by whoever opened it: the table lives there too."""
        self._bell.close()

    def _is_new(self, connection: apsw.Connection, key: str, now: float) -> bool:
        connection.execute(FORGET, (now,))
        return bool(connection.execute(NOTE, (self._queue, key, now + DEDUPLICATION_SECONDS)).fetchall())

    def _until_due(self) -> float:
        """Seconds until the next job is due; 0 or less when there is something to do."""
        [(first, last)] = self._file.read(NEXT, (self._queue,))
        if first is None:
            return self._look_every
        now = self._clock()
        return 0.0 if last > now + FURTHEST else float(first - now)

    def _take(self, most: int, lease: float) -> list[Delivery]:
        def take(connection: apsw.Connection) -> list[tuple[str, Any]]:
            now = self._clock()
            connection.execute(BRING_BACK, (self._queue, now, now + FURTHEST))
            self._bury(connection, now)
            rows = connection.execute(DUE, (self._queue, now, most)).fetchall()
            taken = [(f"{row[0]}.{token_hex(16)}", row) for row in rows]
            connection.executemany(LEASE, [(now + lease, receipt, row[0]) for receipt, row in taken])
            return taken

        taken = self._file.write(take)
        if len(taken) == most:
            self._bell.ring()  # there may be more, and the bell was hushed for all
        return [
            Delivery(decode_body(kind, body), job_id, receipt, tries + 1, moment(sent))
            for receipt, (_, job_id, kind, body, tries, sent) in taken
        ]

    def _bury_spent(self) -> None:
        if self._file.read(ANY_SPENT, (self._queue, self._clock())):
            self._file.write(lambda connection: self._bury(connection, self._clock()))
            self._bell.ring()

    def _bury(self, connection: apsw.Connection, now: float) -> None:
        self._advance(connection, connection.execute(BURY, (self._queue, now)).fetchall())

    def _advance(self, connection: apsw.Connection, teams: Sequence[tuple[Any, ...]]) -> bool:
        """The next job of each of these groups may come; True when there was one."""
        freed = [
            connection.execute(ADVANCE, (self._queue, team, self._clock())).fetchall()
            for (team,) in teams
            if team is not None
        ]
        return any(freed)

    def _dig_up(self, connection: apsw.Connection, job_ids: Sequence[str]) -> list[tuple[Any, ...]]:
        return [row for job_id in job_ids for row in connection.execute(DIG_UP, (self._queue, job_id)).fetchall()]


def _about(text: str, rows: Sequence[tuple[Any, ...]]) -> list[int]:
    return [place for place, body in rows if mentions(json.loads(body), text)]


def _place(delivery: Delivery) -> str:
    """A receipt begins with the place of its job, where it is found without an index."""
    return delivery.receipt.partition(".")[0]
