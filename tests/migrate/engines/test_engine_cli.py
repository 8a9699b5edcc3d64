"""`sparks migrate --to`: exit codes, JSON and order of the commands, on which scripts rely."""

from pathlib import Path

import pytest

from sparks.library.migration_state import MigrationState
from sparks.library.records import to_item
from sparks.model.migration import MigrationPhase
from sparks.table.port import Put
from tests.migrate.engines.library import MovingLibrary, on_dynoxide

AWS = "dynamodb,s3,sqs"


@pytest.fixture
def library(tmp_path: Path) -> MovingLibrary:
    made = MovingLibrary(tmp_path, engines=on_dynoxide())
    made.data.mkdir(parents=True)
    with made.stores() as stores:
        stores.blobs.put("originals/one", [b"one"])
        stores.table.write(Put({"PK": "row", "SK": "one"}))
    return made


def fails(library: MovingLibrary, *arguments: str, code: int = 1) -> str:
    ended = library.call(*arguments)
    assert (ended.code, ended.out) == (code, ""), ended
    assert "Traceback" not in ended.err
    return ended.err


def test_each_step_prints_one_object_with_the_promised_fields(library: MovingLibrary) -> None:
    plan = library.json("plan", "--to", "dynamodb,s3")
    assert (plan["counts"]["rows"], plan["counts"]["blobs"], plan["issues"]["total"]) == (1, 1, 0)
    assert library.json("status")["phase"] == "none"
    assert library.json("capture", "--to", "dynamodb,s3") == {"phase": "captured"}
    for command in ("follow", "verify", "cutover"):
        assert "backfill" in fails(library, command)
    assert library.json("backfill")["counts"] == {"blobs": 1, "rows": 1}
    assert library.json("backfill")["counts"] == {"blobs": 1, "rows": 1}
    assert library.json("capture", "--to", "dynamodb,s3") == {"phase": "backfilled"}
    assert "a migration to" in fails(library, "capture", "--to", "s3")
    assert library.json("follow", "--once") == {"applied": 0, "lag": 0}
    equal = {"checked": 2, "missing": 0, "extra": 0, "different": 0, "differences": []}
    assert library.json("verify") == equal
    for arguments in (("mirror", "--once"), ("rollback",), ("finish", "--yes")):
        assert "cutover" in fails(library, *arguments)
    switched = library.json("cutover")
    assert (switched.keys(), switched["done"], switched["seconds"] < 10) == ({"done", "seconds", "applied"}, True, True)
    assert library.json("cutover") == {"done": True, "seconds": 0.0, "applied": 0}
    status = library.json("status")
    assert (status["phase"], status["writes"], status["running"]) == ("cutover", "target", None)
    assert status["lag"] == {"changes": 0, "seconds": 0.0}
    assert library.json("mirror", "--once") == {"applied": 0, "lag": 0}
    assert library.json("rollback")["done"]
    assert library.json("status")["writes"] == "source"
    library.json("cutover")
    assert "--yes" in fails(library, "finish")
    assert library.json("finish", "--yes") == {"done": True}
    assert library.json("finish", "--yes") == {"done": True}
    assert "finished" in fails(library, "cutover")
    assert "SPARKS_TABLE=dynamodb" in fails(library, "capture", "--to", "dynamodb,s3")


def test_a_verification_names_what_differs_and_repairs_it(library: MovingLibrary) -> None:
    library.copy("s3")
    (path,) = (path for path in (library.data / "blobs").rglob("one"))
    path.write_bytes(b"two")
    ended = library.call("verify", "--json")
    assert ended.code == 1
    [difference] = ended.json()["differences"]
    assert (difference["table"], difference["id"], difference["field"]) == ("blobs", "originals/one", "bytes")


def test_wrong_options_are_usage_errors(library: MovingLibrary) -> None:
    assert "mysql" in fails(library, "plan", "--to", "mysql", code=2)
    assert "two engines" in fails(library, "plan", "--to", "sqlite,dynamodb", code=2)
    assert "in use already" in fails(library, "capture", "--to", "sqlite", code=2)
    both = ("--from", "postgresql://a@b/c", "--objects", str(library.data))
    assert "one of them" in fails(library, "plan", "--to", "s3", *both, code=2)
    assert "--from" in fails(library, "plan", code=2)


def test_an_engine_that_holds_another_library_is_refused(library: MovingLibrary, tmp_path: Path) -> None:
    other = MovingLibrary(tmp_path / "other", engines=library.engines)
    other.choose(*AWS.split(","))
    other.sparks("create")
    with other.stores() as stores:
        stores.table.write(Put({"PK": "another", "SK": "library"}))
    assert "holds data of something else" in fails(library, "capture", "--to", AWS)
    assert library.json("status")["phase"] == "none"


def test_a_migration_from_another_service_and_one_to_other_engines_exclude_each_other(library: MovingLibrary) -> None:
    state = MigrationState(source="postgresql://a@b/c", phase=MigrationPhase.CAPTURED)
    with library.stores() as stores:
        stores.table.write(Put(to_item(state)))
    assert "another service" in fails(library, "capture", "--to", "dynamodb")
