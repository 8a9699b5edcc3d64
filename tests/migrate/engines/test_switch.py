"""Processes that change over to other engines, at every moment at which they could be surprised by it."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from sparks.blobs.memory import MemoryBlobs
from sparks.blobs.port import MIN_PART_SIZE
from sparks.jobs.port import Job
from sparks.library import keys
from sparks.library.blob_keys import UPLOADS
from sparks.migrate.engines import cutover, gate, outbox, switch
from sparks.migrate.engines.backfill import EngineBackfill
from sparks.migrate.engines.copier import is_copied, key_of_item
from sparks.migrate.engines.follow import EngineFollower
from sparks.model.errors import Busy, ConditionFailed, Conflict, Unavailable
from sparks.model.migration import MigrationPhase, WriteSide
from sparks.model.times import now
from sparks.table.memory import MemoryTable
from sparks.table.port import MAX_CHANGES, Absent, Change, Check, Delete, Item, Key, Put, Set, Table
from sparks.table.wrapper import TableWrapper
from tests.conformance.blobs.content import KEYRING
from tests.migrate.engines.memory_sides import THERE, Sides, new_stores
from tests.servers.process import wait_until

ROW = Key("photo", "row")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Times in which nothing happens are shorter."""
    monkeypatch.setattr(switch, "HELD", 0.05)
    monkeypatch.setattr(switch, "FROZEN_HELD", 0.01)
    monkeypatch.setattr(switch, "GRACE", 0.03)
    monkeypatch.setattr(switch, "PATIENCE", 5.0)
    monkeypatch.setattr(cutover, "HELD", 0.05)


@pytest.fixture
def sides() -> Sides:
    return Sides()


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as threads:
        yield threads


def row(value: str, key: Key = ROW) -> Put:
    return Put({"PK": key.pk, "SK": key.sk, "value": value})


def backfill(sides: Sides) -> None:
    EngineBackfill(sides.migrator(), on_progress=lambda *_: None).run()


def move(sides: Sides) -> None:
    sides.capture()
    backfill(sides)
    cutover.cut_over(sides.migrator())


def rows_of(table: Table) -> dict[Key, Item]:
    items = {key_of_item(item): item for item in table.scan().items}
    return {key: item for key, item in items.items() if is_copied(key)}


def check_equal(sides: Sides) -> None:
    assert rows_of(sides.source.table) == rows_of(sides.target.table)
    blobs = [
        {blob.key: b"".join(stores.blobs.open(blob.key)) for blob in stores.blobs.list().blobs}
        for stores in (sides.source, sides.target)
    ]
    assert blobs[0] == blobs[1]


def follow(sides: Sides) -> None:
    with closing(EngineFollower(sides.migrator())) as follower:
        follower.catch_up()


# -- Capture


def test_without_a_migration_no_row_is_added_to_a_write(sides: Sides) -> None:
    process = sides.process()
    process.table.write(row("one"))
    process.blobs.put("a", [b"a"])
    assert {key_of_item(item) for item in sides.source.table.scan().items} == {ROW}


def test_each_write_is_noted_in_its_transaction_and_copied(sides: Sides) -> None:
    process = sides.process()
    process.table.write(row("one"))
    sides.capture()
    backfill(sides)
    process.switch.look_again()
    process.table.write(row("two"), row("new", Key("photo", "other")))
    process.table.write(Set(ROW, {"more": 1}), Delete(Key("photo", "other")))
    with pytest.raises(ConditionFailed) as failed:
        process.table.write(row("three", Key("a", "b")), Check(ROW, (Absent(),)))
    assert failed.value.position == 1
    assert outbox.lag(table=sides.source.table)[0] == 2
    follow(sides)
    assert sides.target.table.get(ROW) == {"PK": "photo", "SK": "row", "value": "two", "more": 1}
    check_equal(sides)


def test_a_full_write_and_one_with_a_token_are_noted_too(sides: Sides) -> None:
    sides.capture()
    backfill(sides)
    process = sides.process()
    process.table.write(*(row("one", Key("full", f"{number}")) for number in range(MAX_CHANGES)))
    for _ in range(2):
        process.table.write(row("token"), token="same")
    with pytest.raises(ConditionFailed):
        process.table.write(Check(ROW, (Absent(),)), token="other")
    follow(sides)
    assert outbox.lag(table=sides.source.table)[0] == 0
    check_equal(sides)


class SlowTable(TableWrapper):
    """A table whose next write ends after something else has happened."""

    then: Callable[[], None] | None = None

    def write(self, *changes: Change, token: str | None = None) -> None:
        super().write(*changes, token=token)
        happens, self.then = self.then, None
        if happens is not None:
            happens()


def test_a_write_that_was_planned_before_the_capture_and_ends_late_is_noted() -> None:
    at, table = 0.0, SlowTable(MemoryTable())
    sides = Sides(source=new_stores(table=table))
    process = sides.process(clock=lambda: at)
    process.table.get(ROW)

    def capture_meanwhile() -> None:
        nonlocal at
        sides.capture()
        backfill(sides)
        sides.target.table.write(Delete(ROW))  # as if it had been read before the write
        at += 10

    table.then = capture_meanwhile
    process.table.write(row("late"))
    follow(sides)
    check_equal(sides)
    assert sides.target.table.get(ROW) == row("late").item


def test_a_write_that_was_planned_before_the_capture_and_ends_after_the_move_does_not_count() -> None:
    at, table = 0.0, SlowTable(MemoryTable())
    sides = Sides(source=new_stores(table=table))
    process = sides.process(clock=lambda: at)
    process.table.get(ROW)

    def move_meanwhile() -> None:
        nonlocal at
        move(sides)
        at += 10

    table.then = move_meanwhile
    with pytest.raises(Unavailable, match="try again"):
        process.table.write(row("late"))


def test_rows_are_not_dropped_by_age_while_they_are_moved(sides: Sides) -> None:
    sides.source.table.write(Put({"PK": "old", "SK": "row", "ttl": int(time.time()) - 10}))
    sides.capture()
    assert sides.process().table.expire(now()) == 0


def test_a_blob_whose_storing_began_before_the_capture_and_ended_late_is_copied(sides: Sides) -> None:
    at = 0.0
    process = sides.process(clock=lambda: at)

    def chunks() -> Iterator[bytes]:
        nonlocal at
        yield b"first "
        sides.capture()
        backfill(sides)
        at += 10
        yield b"second"

    process.blobs.put("originals/a", chunks())
    follow(sides)
    check_equal(sides)


# -- Blobs


def test_blobs_are_noted_and_copied_with_their_type_and_hash(sides: Sides) -> None:
    sides.capture()
    backfill(sides)
    process = sides.process()
    process.blobs.put("originals/a.jpg", [b"first"], content_type="image/jpeg")
    process.blobs.copy("originals/a.jpg", "originals/b.jpg")
    process.blobs.put("originals/c.jpg", [b"gone"])
    process.blobs.delete("originals/c.jpg")
    follow(sides)
    check_equal(sides)
    copied, original = (stores.blobs.head("originals/a.jpg") for stores in (sides.target, sides.source))
    assert (copied.content_type, copied.sha256) == ("image/jpeg", original.sha256)


def test_bytes_that_arrive_while_the_library_moves_are_stored_at_the_new_side(sides: Sides) -> None:
    process = sides.process()
    incoming = process.blobs.receive("originals/a", size=None, sha256=None, content_type="image/png", if_absent=False)
    incoming.write(b"before")
    move(sides)
    process.switch.look_again()
    incoming.write(b" and after")
    assert incoming.commit().size == len(b"before and after")
    incoming.drop()
    assert b"".join(sides.target.blobs.open("originals/a")) == b"before and after"


def test_a_blob_that_is_stored_at_the_old_side_while_the_library_moves_is_carried_over(sides: Sides) -> None:
    sides.capture()
    backfill(sides)
    process = sides.process()

    def chunks() -> Iterator[bytes]:
        yield b"first "
        cutover.cut_over(sides.migrator())
        yield b"second"

    process.blobs.put("originals/a", chunks())
    assert b"".join(sides.target.blobs.open("originals/a")) == b"first second"


def test_an_upload_to_a_signed_url_of_the_old_side_is_found_after_the_move(sides: Sides) -> None:
    move(sides)
    process = sides.process()
    sides.source.blobs.put(f"{UPLOADS}one", [b"late"])
    assert process.blobs.head(f"{UPLOADS}one").size == 4
    process.blobs.copy(f"{UPLOADS}one", "originals/one.jpg")
    assert b"".join(sides.target.blobs.open("originals/one.jpg")) == b"late"


def test_a_multipart_upload_goes_on_where_it_was_begun_and_ends_at_the_new_side(sides: Sides) -> None:
    process = sides.process()
    upload = process.blobs.create_upload("uploads/a", content_type="video/mp4")
    first = process.blobs.put_part("uploads/a", upload, 1, [bytes(MIN_PART_SIZE)], size=MIN_PART_SIZE)
    move(sides)
    process.switch.look_again()
    second = process.blobs.put_part("uploads/a", upload, 2, [b"end"], size=3)
    assert [part.number for part in process.blobs.list_parts("uploads/a", upload)] == [1, 2]
    process.blobs.complete_upload("uploads/a", upload, [first, second])
    assert sides.target.blobs.head("uploads/a").size == MIN_PART_SIZE + 3


def test_a_server_that_was_started_with_a_folder_goes_on_to_answer_at_its_signed_urls() -> None:
    remote = MemoryBlobs(keyring=KEYRING, base_url="https://bucket.example", is_local=False)
    sides = Sides(target=new_stores(blobs=remote))
    before = sides.process()
    move(sides)
    for process in (before, sides.process()):
        assert process.blobs.is_local
        assert not process.blobs.sign_get("originals/a", expires_in=60).url.startswith("https://bucket")
    restarted = sides.process(engines=THERE)
    assert not restarted.blobs.is_local
    assert restarted.blobs.sign_get("originals/a", expires_in=60).url.startswith("https://bucket")


# -- The change-over


def test_a_write_waits_and_is_made_at_the_new_side(sides: Sides, pool: ThreadPoolExecutor) -> None:
    sides.capture()
    backfill(sides)
    process = sides.process()
    process.table.write(row("before"))
    migrator = sides.migrator()
    frozen = migrator.freeze(60)
    waiting = pool.submit(process.table.write, row("after"))
    assert process.table.get(ROW) == row("before").item
    with closing(EngineFollower(migrator)) as follower:
        follower.drain(until=lambda: False)
    assert not waiting.done()
    migrator.decide(frozen, MigrationPhase.CUTOVER)
    migrator.activate()
    waiting.result(5)
    assert sides.target.table.get(ROW) == row("after").item
    assert sides.source.table.get(ROW) == row("before").item
    follow(sides)
    check_equal(sides)


def test_the_first_write_after_the_deadline_lifts_the_freeze_of_a_dead_migrator(sides: Sides) -> None:
    sides.capture()
    backfill(sides)
    process = sides.process()
    frozen = sides.migrator().freeze(0.2)
    process.table.write(row("went on"))
    assert sides.source.table.get(ROW) == row("went on").item
    with pytest.raises(Busy):
        sides.migrator().decide(frozen, MigrationPhase.CUTOVER)
    assert sides.migrator().position.writes is WriteSide.SOURCE


def test_a_decision_of_a_dead_migrator_is_carried_out_by_the_next_write(sides: Sides) -> None:
    sides.capture()
    backfill(sides)
    process = sides.process()
    migrator = sides.migrator()
    migrator.decide(migrator.freeze(60), MigrationPhase.CUTOVER)
    assert (migrator.position.writes, migrator.position.active) == (WriteSide.NEITHER, WriteSide.TARGET)
    process.table.write(row("new side"))
    assert sides.target.table.get(ROW) is not None
    assert sides.source.table.get(ROW) is None
    assert migrator.position.writes is WriteSide.TARGET


def test_a_write_is_refused_in_time_where_neither_side_takes_it(sides: Sides, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(switch, "PATIENCE", 0.2)
    sides.capture()
    sides.migrator().freeze(60)
    with pytest.raises(Busy, match="try again"):
        sides.process().table.write(row("never"))
    assert sides.source.table.get(ROW) is None


def test_a_write_with_an_old_state_never_lands_at_the_old_side(sides: Sides) -> None:
    sides.capture()
    backfill(sides)
    process = sides.process()
    process.table.write(row("before"))
    held = process.switch.view()
    cutover.cut_over(sides.migrator())
    process.switch._held = held  # a process that was suspended since
    process.table.write(row("after"))
    assert sides.source.table.get(ROW) == row("before").item
    assert sides.target.table.get(ROW) == row("after").item


def test_a_full_write_that_is_being_made_keeps_the_migrator_from_deciding(sides: Sides) -> None:
    sides.capture()
    backfill(sides)
    pending = outbox.new_entry(rows=[ROW], pending=True)
    sides.source.table.write(outbox.put(pending))
    with closing(EngineFollower(sides.migrator())) as follower:
        until = time.monotonic() + 0.2
        follower.drain(until=lambda: time.monotonic() > until)
        assert follower.report() == 1


def test_an_error_before_the_decision_lets_the_source_go_on(sides: Sides, monkeypatch: pytest.MonkeyPatch) -> None:
    sides.capture()
    backfill(sides)

    def fail(_self: EngineFollower) -> None:
        raise Unavailable("the bucket is away")

    monkeypatch.setattr(EngineFollower, "copy_uploads", fail)
    with pytest.raises(Unavailable):
        cutover.cut_over(sides.migrator())
    assert sides.migrator().position.writes is WriteSide.SOURCE
    sides.process().table.write(row("went on"))
    monkeypatch.undo()


def test_a_rollback_brings_back_what_changed_since_the_cutover(sides: Sides) -> None:
    process = sides.process()
    process.table.write(row("one"))
    move(sides)
    process.switch.look_again()
    process.table.write(row("two"))
    process.blobs.put("originals/a", [b"new"])
    cutover.roll_back(sides.migrator())
    process.table.write(row("three"))
    assert sides.source.table.get(ROW) == row("three").item
    assert b"".join(process.blobs.open("originals/a")) == b"new"
    follow(sides)
    check_equal(sides)
    cutover.cut_over(sides.migrator())
    process.table.write(row("four"))
    assert sides.target.table.get(ROW) == row("four").item


def test_only_the_blobs_move_where_the_table_stays(sides: Sides) -> None:
    sides.only_blobs()
    process = sides.process()
    process.blobs.put("originals/a", [b"a"])
    gate.begin(sides.state, table=sides.source.table)
    backfill(sides)
    process.switch.look_again()
    process.blobs.put("originals/b", [b"b"])
    process.table.write(row("one"))
    cutover.cut_over(sides.migrator())
    process.blobs.put("originals/c", [b"c"])
    assert [blob.key for blob in sides.target.blobs.list().blobs] == ["originals/a", "originals/b", "originals/c"]
    assert process.table.get(ROW) == row("one").item


# -- Jobs


def test_jobs_of_the_old_queue_are_taken_after_the_move_and_finished_there(sides: Sides) -> None:
    process = sides.process()
    process.jobs.send(Job("old", {}))
    running = process.jobs.receive(wait=0)
    process.jobs.send(Job("waiting", {}))
    move(sides)
    process.switch.look_again()
    process.jobs.send(Job("new", {}))
    process.jobs.done(running[0])
    assert sides.source.jobs.counts().leased == 0
    taken = [*process.jobs.receive(wait=0), *process.jobs.receive(wait=0)]
    assert {delivery.job.kind for delivery in taken} == {"waiting", "new"}
    for delivery in taken:
        assert process.jobs.extend(delivery, lease=30)
        process.jobs.done(delivery)
    assert process.jobs.counts().leased == 0


def test_finish_moves_the_jobs_that_wait_and_refuses_while_others_are_delayed(sides: Sides) -> None:
    move(sides)
    sides.source.jobs.send(Job("left", {"a": 1}))
    sides.source.jobs.send(Job("later", {}), delay=60)
    with pytest.raises(Conflict, match="1 jobs in the queue of the source"):
        cutover.finish(sides.migrator())
    [moved] = sides.target.jobs.receive(wait=0)
    assert moved.job == Job("left", {"a": 1})


# -- Starts


def test_a_process_with_the_old_settings_follows_a_finished_move_and_writes_nothing_there(
    sides: Sides, caplog: pytest.LogCaptureFixture
) -> None:
    sides.process().table.write(row("one"))
    move(sides)
    cutover.finish(sides.migrator())
    before = rows_of(sides.source.table)
    process = sides.process()
    process.switch.begin()
    process.table.write(row("two"))
    assert rows_of(sides.source.table) == before
    assert sides.target.table.get(ROW) == row("two").item
    [message] = [record.message for record in caplog.records]
    assert "set SPARKS_TABLE=dynamodb SPARKS_TABLE_NAME=sparks SPARKS_BLOBS=s3" in message
    assert outbox.lag(table=sides.target.table)[0] == 0


def test_a_process_with_the_old_settings_does_not_start_where_the_new_side_is_away(sides: Sides) -> None:
    move(sides)
    cutover.finish(sides.migrator())
    sides.is_reachable = False
    with pytest.raises(Unavailable):
        sides.process().switch.begin()


def test_a_process_with_the_new_settings_uses_the_source_until_the_cutover(sides: Sides) -> None:
    sides.capture()
    process = sides.process(engines=THERE)
    process.table.write(row("one"))
    assert sides.source.table.get(ROW) is not None
    assert sides.target.table.get(ROW) is None


def test_a_process_that_cannot_open_the_other_side_keeps_the_cutover_from_beginning(sides: Sides) -> None:
    sides.capture()
    backfill(sides)

    sides.is_reachable = False
    process = sides.process()
    process.table.write(row("one"))
    wait_until(
        lambda: bool(sides.source.table.query(keys.ENGINE_OBSTACLES).items), what="the obstacle to be noted", seconds=5
    )
    process.switch.close()
    with pytest.raises(Conflict, match="the network is down"):
        cutover.cut_over(sides.migrator())
