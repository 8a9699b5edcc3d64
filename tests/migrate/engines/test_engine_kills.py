"""A migrator between engines that is killed: one side takes writes soon, and the same command completes it."""

import time
from pathlib import Path

import pytest

from sparks.table.port import Key, Put
from tests.migrate.engines.library import MovingLibrary, on_dynoxide

AWS = "dynamodb,s3,sqs"
MOST = 10  # seconds until writes are taken again


@pytest.fixture
def library(tmp_path: Path) -> MovingLibrary:
    made = MovingLibrary(tmp_path, engines=on_dynoxide())
    made.data.mkdir(parents=True)
    write(made, "first")
    return made


def write(library: MovingLibrary, text: str) -> float:
    """A row and a blob, by another process of Sparks; the seconds that it took."""
    with library.stores() as stores:
        began = time.monotonic()
        stores.blobs.put(f"originals/{text}", [text.encode()])
        stores.table.write(Put({"PK": "row", "SK": text}))
        return time.monotonic() - began


def check(library: MovingLibrary, *texts: str) -> None:
    with library.stores() as stores:
        for text in texts:
            assert stores.table.get(Key("row", text)) is not None
            assert b"".join(stores.blobs.open(f"originals/{text}")) == text.encode()
    assert library.differences(AWS) == []


@pytest.mark.parametrize(
    ("place", "moment", "command"),
    [
        ("EngineMigrator.stores", "before", "capture"),
        pytest.param("Copier.copy_blobs", "after", "backfill", marks=pytest.mark.long),
        pytest.param("Copier.put_rows", "before", "backfill", marks=pytest.mark.long),
        pytest.param("Copier.copy_rows", "after", "follow", marks=pytest.mark.long),
        ("EngineMigrator.freeze", "after", "cutover"),
        pytest.param("EngineMigrator.decide", "before", "cutover", marks=pytest.mark.long),
        ("EngineMigrator.decide", "after", "cutover"),
        pytest.param("EngineMigrator.activate", "after", "cutover", marks=pytest.mark.long),
    ],
)
def test_a_killed_command_is_completed_and_nothing_is_lost(
    library: MovingLibrary, place: str, moment: str, command: str
) -> None:
    commands = [["capture", "--to", AWS], ["backfill"], ["follow", "--once"], ["cutover"]]
    for number, arguments in enumerate(commands):
        if arguments[0] == command:
            if command == "follow":
                write(library, "to-follow")
            with library.stopped(place, moment, *arguments) as stopped:
                stopped.kill()
            assert write(library, f"{number}-meanwhile") < MOST
        library.json(*arguments)
        write(library, f"{number}-after")
    assert library.json("status")["writes"] == "target"
    library.json("mirror", "--once")
    check(library, "first", *(f"{number}-after" for number in range(len(commands))))


@pytest.mark.long
@pytest.mark.parametrize("place", ["EngineMigrator.freeze", "EngineMigrator.decide"])
def test_a_killed_rollback_is_completed_and_nothing_is_lost(library: MovingLibrary, place: str) -> None:
    library.copy(AWS)
    library.json("cutover")
    write(library, "after-cutover")
    with library.stopped(place, "after", "rollback") as stopped:
        stopped.kill()
    assert write(library, "meanwhile") < MOST
    library.json("rollback")
    write(library, "after-rollback")
    library.json("follow", "--once")
    check(library, "first", "after-cutover", "meanwhile", "after-rollback")


@pytest.mark.long
def test_a_migrator_that_wakes_up_after_another_has_taken_over_changes_nothing(library: MovingLibrary) -> None:
    library.json("capture", "--to", AWS)
    with library.stopped("Copier.put_rows", "before", "backfill") as sleeper:
        library.json("backfill")
        library.json("cutover")
        with library.stores() as stores:
            stores.table.write(Put({"PK": "row", "SK": "first", "changed": True}))
        ended = sleeper.wake()
        assert ended.code == 1
        assert "another `sparks migrate` command has taken over" in ended.err
    with library.stores() as stores:
        assert stores.table.get(Key("row", "first")) == {"PK": "row", "SK": "first", "changed": True}


@pytest.mark.long
def test_a_library_goes_back_to_an_engine_that_holds_an_outdated_copy(library: MovingLibrary) -> None:
    library.copy("dynamodb,s3")
    library.json("cutover")
    assert library.json("finish", "--yes") == {"done": True}
    library.choose("dynamodb", "s3", "")
    with library.stores() as stores:
        stores.blobs.delete("originals/first")
        stores.blobs.put("originals/second", [b"second"])
        stores.blobs.put("originals/fi", [b"fi"])
        stores.table.write(Put({"PK": "row", "SK": "second"}))
    library.copy("sqlite,filesystem")
    assert library.json("verify")["differences"] == []
    library.json("cutover")
    library.json("finish", "--yes")
    library.choose("", "", "")
    assert library.differences("sqlite,filesystem") == []
    with library.stores() as stores:
        assert [blob.key for blob in stores.blobs.list("originals/").blobs] == ["originals/fi", "originals/second"]
