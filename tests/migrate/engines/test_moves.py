"""A library moves to other engines while a user and a guest use it, and back.

The migrator is killed on the way. Afterwards a checker that shares no code with it compares every row and object.
"""

import os
from pathlib import Path

import httpx
import pytest

from tests.cli.processes import start
from tests.migrate.engines import checker
from tests.migrate.engines.library import MovingLibrary, on_dynoxide
from tests.migrate.engines.people import People

AWS = "dynamodb,s3,sqs"
ONE_MACHINE = "sqlite,filesystem,embedded"


@pytest.fixture
def library(tmp_path: Path) -> MovingLibrary:
    return MovingLibrary(tmp_path, engines=on_dynoxide())


def check(people: People) -> None:
    assert people.failures == []
    assert people.slowest < 10
    people.check()


def test_a_library_moves_to_aws_while_it_is_used_and_the_migrator_is_killed(library: MovingLibrary) -> None:
    with library.serve() as running:
        people = library.people(running.url)
        with people.at_work():
            library.json("capture", "--to", AWS)
            with library.stopped("Copier.put_rows", "after", "backfill") as backfill:
                backfill.kill()
            library.json("backfill")
            with library.stopped("EngineMigrator.freeze", "after", "cutover") as cutover:
                cutover.kill()
            with library.following() as follower:
                assert library.json("verify")["differences"] == []
                switched = library.json("cutover")
                assert follower.wait().code == 0
            before = people.requests
            library.json("mirror", "--once")
        assert people.requests > before
        assert switched["seconds"] < 10
        check(people)
    assert library.json("mirror", "--once")["lag"] == 0
    assert library.differences(AWS) == []
    assert library.json("status")["writes"] == "target"


@pytest.mark.long
def test_a_library_moves_to_aws_on_dynamodb_local_and_back_and_its_settings_are_changed_in_between(
    tmp_path: Path,
) -> None:
    library = MovingLibrary(tmp_path)
    with library.serve() as running:
        people = library.people(running.url)
        with people.at_work():
            library.copy(AWS)
            library.json("cutover")
        check(people)
    library.choose(*AWS.split(","))
    with library.serve() as running:
        people.url = running.url
        check(people)
        library.json("rollback")
        with people.at_work():
            library.json("follow", "--once")
            library.json("cutover")
        check(people)
    library.json("mirror", "--once")
    assert library.differences(AWS) == []


@pytest.mark.long
def test_a_library_on_aws_moves_to_one_machine_while_it_is_used(library: MovingLibrary) -> None:
    library.choose(*AWS.split(","))
    library.sparks("create")
    with library.serve() as running:
        people = library.people(running.url)
        with people.at_work():
            library.copy(ONE_MACHINE)
            assert library.json("verify")["differences"] == []
            library.json("cutover")
            library.json("mirror", "--once")
        check(people)
    library.json("mirror", "--once")
    assert library.differences(ONE_MACHINE) == []
    library.choose("", "", "")
    with library.serve() as running:
        people.url = running.url
        check(people)


@pytest.mark.long
@pytest.mark.parametrize("to", ["dynamodb", "s3", "sqs", "dynamodb,sqs", "s3,sqs"])
def test_a_part_of_the_engines_moves_and_the_others_stay(library: MovingLibrary, to: str) -> None:
    with library.serve() as running:
        people = library.people(running.url)
        with people.at_work():
            library.copy(to)
            library.json("cutover")
            library.json("mirror", "--once")
        check(people)
    library.json("mirror", "--once")
    assert library.differences(to) == []


@pytest.mark.long
def test_a_server_with_the_old_settings_follows_the_library_and_says_which_to_change(library: MovingLibrary) -> None:
    with library.serve() as running:
        people = library.people(running.url)
        with people.at_work():
            library.copy("dynamodb,s3")
            library.json("cutover")
    assert library.json("finish", "--yes") == {"done": True}
    rows = checker.sqlite_rows(library.data)
    with library.serve() as running:
        people.url = running.url
        with people.at_work():
            assert httpx.get(f"{running.url}/readyz").status_code == 200
        check(people)
        line, *_ = running.lines("the library has moved to")
        assert "SPARKS_TABLE=dynamodb" in line["message"]
    keyless = {name: value for name, value in library.settings().items() if "AWS" not in name}
    nothing = {"AWS_CONFIG_FILE": os.devnull, "AWS_SHARED_CREDENTIALS_FILE": os.devnull}
    with start(library.data, "serve", "--port", "0", **keyless, **nothing, AWS_EC2_METADATA_DISABLED="true") as refused:
        assert refused.process.wait(60) == 2
        told = (library.data.parent / "err").read_text()
        assert "the library has moved to dynamodb" in told
        assert "no AWS key is set" in told
    assert rows == checker.sqlite_rows(library.data)
