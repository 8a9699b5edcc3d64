"""`sparks search`: the rebuild of the index, and its size on the disk."""

import json
from pathlib import Path

import pytest

from sparks.library.records import key_of, to_item
from sparks.table.port import Delete, Put
from tests.cli.conftest import Run
from tests.cli.library import stores_in
from tests.factories import ANN, a_photo


@pytest.fixture(autouse=True)
def ann(run: Run) -> None:
    assert run("user", "add", ANN, "--no-password").code == 0


def test_the_search_index_is_rebuilt_from_the_table(run: Run, data: Path) -> None:
    photo = a_photo(title="Zanzibar")
    with stores_in(data) as stores:
        stores.table.write(Put(to_item(photo)), Put(to_item(a_photo())))
    assert run("search", "rebuild") == (0, "2 photos can be searched\n", "")
    assert b"zanzibar" in (data / "search.db").read_bytes()
    with stores_in(data) as stores:
        stores.table.write(Delete(key_of(photo)))
    ended = run("search", "rebuild", "--json")
    assert (ended.code, json.loads(ended.out)["photos"]) == (0, 1)
    assert b"zanzibar" not in (data / "search.db").read_bytes()


@pytest.mark.parametrize("damaged", [b"", b"not a database at all " * 500])
def test_a_damaged_search_index_is_rebuilt(run: Run, data: Path, damaged: bytes) -> None:
    with stores_in(data) as stores:
        stores.table.write(Put(to_item(a_photo())))
    (data / "search.db").write_bytes(damaged)
    assert run("search", "rebuild").out == "1 photo can be searched\n"


def test_removing_an_account_leaves_no_word_of_it_in_the_search_index(run: Run, data: Path) -> None:
    with stores_in(data) as stores:
        stores.table.write(Put(to_item(a_photo(title="Zanzibar"))))
    run("search", "rebuild")
    assert ANN.encode() in (data / "search.db").read_bytes()
    assert run("user", "remove", ANN, "--yes").code == 0
    left = b"".join(path.read_bytes() for path in data.glob("search.db*"))
    assert [word for word in (b"zanzibar", ANN.encode()) if word in left] == []
