"""A library moves to other engines while a user and a guest use it, and back."""

from pathlib import Path

import pytest

from tests.migrate.engines.library import CHOICES, MovingLibrary, on_dynoxide


@pytest.fixture
def library(tmp_path: Path) -> MovingLibrary:
    return MovingLibrary(tmp_path, engines=on_dynoxide())


def test_a_library_moves_to_aws_while_it_is_used_and_every_row_and_object_is_equal(library: MovingLibrary) -> None:
    with library.serve() as running:
        people = library.people(running.url)
        with people.at_work():
            library.copy("dynamodb,s3,sqs")
            with library.following() as follower:
                assert library.json("verify")["differences"] == []
                switched = library.json("cutover")
                assert follower.wait().code == 0
            before = people.requests
            assert library.json("mirror", "--once")["lag"] >= 0
        assert people.failures == []
        assert people.requests > before
        assert switched["seconds"] < 10
        people.check()
    assert library.json("mirror", "--once")["lag"] == 0
    assert library.differences("dynamodb,s3") == []
    library.chosen = {name: library.engines[name] for name in CHOICES}
    assert library.json("status")["writes"] == "target"
    with library.serve() as running:
        people.url = running.url
        people.check()
