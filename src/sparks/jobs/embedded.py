"""Jobs in the SQLite file of the table, with its SQL.

[Note: due] `due` is the time from which a job may be received: when it was sent, when its delay is over, or when its
lease ends. Only the first job of a group that is not dead has one, so that a long group costs nothing while it waits.
(The column of the group is `team`, because GROUP is a keyword of SQL.) A job that is due again after its last try is
dead; the next call that reads it marks it as dead.
"""

import json
import time
from collections.abc import Callable, Sequence
from secrets import token_hex
from typing import Any, Final

import apsw

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
    from_epoch,
    mentions,
    new_id,
)
from sparks.jobs.port import DEDUPLICATION_SECONDS, MAX_LEASE, MAX_TRIES, DeadJob, Delivery, Job, QueueCounts
from sparks.jobs.wakeup_pipe import WakeupPipe
from sparks.model.errors import BadSetting
from sparks.sqlitefile import SqliteFile

SCHEMA: Final = f"""
CREATE TABLE IF NOT EXISTS jobs (
    place INTEGER PRIMARY KEY, queue TEXT NOT NULL, id TEXT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL,
    team TEXT, sent REAL NOT NULL, due REAL, tries INTEGER NOT NULL DEFAULT 0, receipt TEXT, died REAL, reason TEXT
) STRICT;
CREATE INDEX IF NOT EXISTS jobs_due ON jobs (queue, due) WHERE due IS NOT NULL;
CREATE INDEX IF NOT EXISTS jobs_spent ON jobs (queue, due) WHERE due IS NOT NULL AND tries >= {MAX_TRIES};
CREATE INDEX IF NOT EXISTS jobs_team ON jobs (queue, team) WHERE team IS NOT NULL AND died IS NULL;
CREATE INDEX IF NOT EXISTS jobs_dead ON jobs (queue, id) WHERE died IS NOT NULL;
CREATE TABLE IF NOT EXISTS jobs_seen (
    queue TEXT NOT NULL, key TEXT NOT NULL, until REAL NOT NULL, PRIMARY KEY (queue, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS jobs_seen_until ON jobs_seen (until);
"""
DELETE_OLD_KEYS: Final = "DELETE FROM jobs_seen WHERE until <= ?"
INSERT_KEY: Final = "INSERT OR IGNORE INTO jobs_seen VALUES (?, ?, ?) RETURNING key"
INSERT: Final = """
INSERT INTO jobs (queue, id, kind, body, team, sent, due)
SELECT ?1, ?2, ?3, ?4, ?5, ?6,
       iif(EXISTS (SELECT 1 FROM jobs WHERE queue = ?1 AND team = ?5 AND died IS NULL), NULL, ?7)
"""
NEXT: Final = """
SELECT (SELECT due FROM jobs WHERE queue = ?1 AND due IS NOT NULL ORDER BY due LIMIT 1),
       (SELECT due FROM jobs WHERE queue = ?1 AND due IS NOT NULL ORDER BY due DESC LIMIT 1)
"""
DUE: Final = "SELECT place, id, kind, body, tries, sent FROM jobs WHERE queue = ? AND due <= ? ORDER BY due LIMIT ?"
LEASE: Final = "UPDATE jobs SET due = ?, tries = tries + 1, receipt = ? WHERE place = ?"
RESET_CLOCK: Final = "UPDATE jobs SET due = ?2 WHERE queue = ?1 AND due > ?3"
EXHAUSTED: Final = f"queue = ?1 AND due <= ?2 AND tries >= {MAX_TRIES}"
ANY_EXHAUSTED: Final = f"SELECT 1 FROM jobs WHERE {EXHAUSTED} LIMIT 1"
MARK_DEAD: Final = f"UPDATE jobs SET died = due, due = NULL WHERE {EXHAUSTED} RETURNING team"
ADVANCE: Final = """
UPDATE jobs SET due = min(sent, ?3) WHERE due IS NULL
AND place = (SELECT min(place) FROM jobs WHERE queue = ?1 AND team = ?2 AND died IS NULL)
RETURNING place
"""
FINISH: Final = "DELETE FROM jobs WHERE place = ? AND receipt = ? RETURNING team"
IS_LEASED: Final = "place = ?1 AND receipt = ?2 AND due > ?3"
RETRY: Final = f"UPDATE jobs SET due = ?4, receipt = NULL WHERE {IS_LEASED} AND tries < {MAX_TRIES}"
MARK_FAILED: Final = (
    f"UPDATE jobs SET died = ?3, due = NULL, receipt = NULL, reason = ?4 WHERE {IS_LEASED} RETURNING team"
)
EXTEND: Final = f"UPDATE jobs SET due = ?4 WHERE {IS_LEASED} RETURNING place"
DEAD: Final = """
SELECT kind, body, id, sent, tries, reason FROM jobs WHERE queue = ? AND died IS NOT NULL ORDER BY died, place LIMIT ?
"""
TAKE_DEAD: Final = (
    "DELETE FROM jobs WHERE queue = ? AND id = ? AND died IS NOT NULL RETURNING id, kind, body, team, sent"
)
# Finds the text as JSON writes it; the caller checks that it is a whole value or key.
ABOUT: Final = "SELECT place, body FROM jobs WHERE queue = ? AND instr(body, ?)"
REMOVE: Final = "DELETE FROM jobs WHERE place = ? RETURNING team"
COUNT: Final = """
SELECT count(*) FILTER (WHERE due <= ?2), count(*) FILTER (WHERE due > ?2 AND receipt IS NOT NULL),
       count(*) FILTER (WHERE died IS NOT NULL), count(*) FROM jobs WHERE queue = ?1
"""


POLL_INTERVAL: Final = 1.0
# No delay or lease is longer: a job that is due later was sent before the clock was set back.
MAX_DUE_AHEAD: Final = MAX_LEASE + 60.0


class EmbeddedJobs:
    """Queue in a SQLite file; see [Note: due].

    A waiting `receive` makes one small read every `poll_interval` seconds, and no write.
    """

    def __init__(
        self,
        file: SqliteFile,
        queue: str = "main",
        *,
        clock: Callable[[], float] = time.time,
        poll_interval: float = POLL_INTERVAL,
    ) -> None:
        if not KIND.fullmatch(queue):
            raise BadSetting(f"{queue!r} is not a queue name: it has 1 to 80 letters, digits, '-', '_' or '.'")
        self._file = file
        self._queue = queue
        self._clock = clock
        self._poll_interval = poll_interval
        file.ensure(SCHEMA)
        self._wakeup = WakeupPipe(file.path.with_name(f"{file.path.name}-{queue}.wake"))

    def send(self, job: Job, *, delay: float = 0, deduplication: str | None = None, group: str | None = None) -> None:
        body = encode_body(job)
        check_sending(delay=delay, deduplication=deduplication, group=group)
        team = None if group is None else fingerprint(group)
        key = None if deduplication is None else fingerprint(deduplication)

        def insert(connection: apsw.Connection) -> None:
            now = self._clock()
            if key is None or self._is_new(connection, key, now):
                connection.execute(INSERT, (self._queue, new_id(), job.kind, body, team, now, now + delay))

        self._file.write(insert)
        self._wakeup.wake()

    def receive(self, *, most: int = 10, wait: float = 20, lease: float = 60) -> list[Delivery]:
        check_receiving(most=most, wait=wait, lease=lease)
        deadline = time.monotonic() + wait
        while True:
            self._wakeup.drain()
            pause = self._until_due()
            taken = self._take(most, lease) if pause <= 0 else []
            left = deadline - time.monotonic()
            if taken or left <= 0 or self._wakeup.closed:
                return taken
            self._wakeup.wait(max(0, min(left, pause, self._poll_interval)))

    def done(self, delivery: Delivery) -> None:
        def finish(connection: apsw.Connection) -> bool:
            teams = connection.execute(FINISH, (_place(delivery), delivery.receipt)).fetchall()
            return self._advance(connection, teams)

        if self._file.write(finish, erases=True):
            self._wakeup.wake()

    def retry_later(self, delivery: Delivery, *, delay: float, reason: str | None = None) -> None:
        check_retry(delay)
        cleaned = clean_reason(reason)

        def give_back(connection: apsw.Connection) -> None:
            now = self._clock()
            held = (_place(delivery), delivery.receipt, now)
            connection.execute(RETRY, (*held, now + delay))
            self._advance(connection, connection.execute(MARK_FAILED, (*held, cleaned)).fetchall())

        self._file.write(give_back)
        self._wakeup.wake()

    def extend(self, delivery: Delivery, *, lease: float) -> bool:
        check_lease(lease)

        def extend_lease(connection: apsw.Connection) -> bool:
            now = self._clock()
            return bool(connection.execute(EXTEND, (_place(delivery), delivery.receipt, now, now + lease)).fetchall())

        return self._file.write(extend_lease)

    def dead(self, *, most: int = 100) -> Sequence[DeadJob]:
        check_listing(most)
        self._mark_exhausted()
        rows = self._file.read(DEAD, (self._queue, most))
        return [
            DeadJob(decode_body(kind, body), job_id, from_epoch(sent), tries, reason)
            for kind, body, job_id, sent, tries, reason in rows
        ]

    def retry_dead(self, job_ids: Sequence[str]) -> int:
        def send_again(connection: apsw.Connection) -> int:
            rows = self._take_dead(connection, job_ids)
            connection.executemany(INSERT, [(self._queue, *row, self._clock()) for row in rows])
            return len(rows)

        self._mark_exhausted()
        found = self._file.write(send_again)
        self._wakeup.wake()
        return found

    def drop_dead(self, job_ids: Sequence[str]) -> int:
        self._mark_exhausted()
        return self._file.write(lambda connection: len(self._take_dead(connection, job_ids)), erases=True)

    def drop_about(self, text: str) -> int:
        """Reads first: mostly there is no such job, and then no write is needed."""
        json_text = json.dumps(text)

        def drop(connection: apsw.Connection) -> int:
            places = _about(text, connection.execute(ABOUT, (self._queue, json_text)).fetchall())
            self._advance(connection, [row for place in places for row in connection.execute(REMOVE, (place,))])
            return len(places)

        if not _about(text, self._file.read(ABOUT, (self._queue, json_text))):
            return 0
        found = self._file.write(drop, erases=True)
        self._wakeup.wake()
        return found

    def counts(self) -> QueueCounts:
        self._mark_exhausted()
        [(waiting, leased, dead, all_jobs)] = self._file.read(COUNT, (self._queue, self._clock()))
        return QueueCounts(waiting=waiting, delayed=all_jobs - waiting - leased - dead, leased=leased, dead=dead)

    def check(self) -> None:
        self._file.read(NEXT, (self._queue,))

    def close(self) -> None:
        """The file stays open for its other users: `wiring` closes it."""
        self._wakeup.close()

    def _is_new(self, connection: apsw.Connection, key: str, now: float) -> bool:
        connection.execute(DELETE_OLD_KEYS, (now,))
        return bool(connection.execute(INSERT_KEY, (self._queue, key, now + DEDUPLICATION_SECONDS)).fetchall())

    def _until_due(self) -> float:
        """Seconds until the next job is due; 0 or less where one is due now."""
        [(first, last)] = self._file.read(NEXT, (self._queue,))
        if first is None:
            return self._poll_interval
        now = self._clock()
        return 0.0 if last > now + MAX_DUE_AHEAD else float(first - now)

    def _take(self, most: int, lease: float) -> list[Delivery]:
        def take(connection: apsw.Connection) -> list[tuple[str, Any]]:
            now = self._clock()
            connection.execute(RESET_CLOCK, (self._queue, now, now + MAX_DUE_AHEAD))
            self._mark_dead(connection, now)
            rows = connection.execute(DUE, (self._queue, now, most)).fetchall()
            taken = [(f"{row[0]}.{token_hex(16)}", row) for row in rows]
            connection.executemany(LEASE, [(now + lease, receipt, row[0]) for receipt, row in taken])
            return taken

        taken = self._file.write(take)
        if len(taken) == most:
            self._wakeup.wake()  # more jobs may be due, and the pipe was drained for all waiting workers
        return [
            Delivery(decode_body(kind, body), job_id, receipt, tries + 1, from_epoch(sent))
            for receipt, (_, job_id, kind, body, tries, sent) in taken
        ]

    def _mark_exhausted(self) -> None:
        if self._file.read(ANY_EXHAUSTED, (self._queue, self._clock())):
            self._file.write(lambda connection: self._mark_dead(connection, self._clock()))
            self._wakeup.wake()

    def _mark_dead(self, connection: apsw.Connection, now: float) -> None:
        self._advance(connection, connection.execute(MARK_DEAD, (self._queue, now)).fetchall())

    def _advance(self, connection: apsw.Connection, teams: Sequence[tuple[Any, ...]]) -> bool:
        """Makes the next job of each of these groups due; True where there was one."""
        freed = [
            connection.execute(ADVANCE, (self._queue, team, self._clock())).fetchall()
            for (team,) in teams
            if team is not None
        ]
        return any(freed)

    def _take_dead(self, connection: apsw.Connection, job_ids: Sequence[str]) -> list[tuple[Any, ...]]:
        return [row for job_id in job_ids for row in connection.execute(TAKE_DEAD, (self._queue, job_id)).fetchall()]


def _about(text: str, rows: Sequence[tuple[Any, ...]]) -> list[int]:
    return [place for place, body in rows if mentions(json.loads(body), text)]


def _place(delivery: Delivery) -> str:
    """The row id of the job, with which the receipt begins: it is found without an index."""
    return delivery.receipt.partition(".")[0]
