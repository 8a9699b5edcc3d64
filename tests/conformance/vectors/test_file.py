"""File of the vectors: reopened, shared, cleared of removed vectors, and damaged."""

import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path

import pytest

from sparks.model import times
from sparks.model.errors import Unavailable
from sparks.vectors.embedded import CLOCK_MARGIN, EmbeddedVectors
from tests.conformance.vectors.points import AT, DIMENSIONS, as_written, axis, drawn, ids, names
from tests.servers.process import wait_until

Opens = Callable[..., EmbeddedVectors]

POINTS = drawn(200)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "vectors"


@pytest.fixture
def opens(path: Path) -> Iterator[Opens]:
    """Opens the same file, like another process."""
    with ExitStack() as stack:

        def open_vectors(**options: float) -> EmbeddedVectors:
            vectors = EmbeddedVectors(DIMENSIONS, path, max_exhaustive=0, **{"erase_after": 3600, **options})
            stack.callback(vectors.close)
            return vectors

        yield open_vectors


def filled(vectors: EmbeddedVectors) -> EmbeddedVectors:
    vectors.add_many(names(200), POINTS)
    vectors.advance(AT)
    vectors.save()
    return vectors


def holds(path: Path, number: int) -> bool:
    """Whether a part of the vector, or the id, is in any file of the folder."""
    parts = (as_written(POINTS[number])[:12], as_written(POINTS[number])[-12:], names(200)[number].encode())
    return any(part in file.read_bytes() for file in path.parent.iterdir() for part in parts)


def test_saved_vectors_are_there_after_reopening(opens: Opens) -> None:
    filled(opens()).close()
    again = opens()
    assert (again.count(), again.position()) == (200, AT)
    assert [ids(again.nearest(point, 1)) for point in POINTS] == [[name] for name in names(200)]


def test_close_saves_and_may_be_called_twice(opens: Opens) -> None:
    vectors = opens()
    vectors.add("a", axis(0))
    vectors.advance(AT)
    vectors.close()
    vectors.close()
    assert opens().ids() == {"a"}


def test_vectors_without_a_position_are_not_saved(opens: Opens, path: Path) -> None:
    vectors = opens()
    vectors.add("a", axis(0))
    vectors.close()
    assert not path.exists()
    assert opens().position() is None


def test_an_empty_index_is_saved_too(opens: Opens) -> None:
    vectors = opens()
    vectors.advance(AT)
    vectors.close()
    assert (opens().position(), opens().count()) == (AT, 0)


def test_only_the_owner_may_read_the_file(opens: Opens, path: Path) -> None:
    filled(opens())
    assert {stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()} == {0o600}


def test_a_removed_vector_is_in_no_file_when_save_returns(opens: Opens, path: Path) -> None:
    vectors = filled(opens())
    assert holds(path, 7)
    vectors.remove("face-000007")
    vectors.save()
    assert not holds(path, 7)
    assert holds(path, 8)


def test_a_removed_vector_leaves_the_file_soon_without_a_call_of_save(opens: Opens, path: Path) -> None:
    vectors = filled(opens(erase_after=0.01))
    for number in (7, 3, 9):
        vectors.remove(names(200)[number])
    wait_until(lambda: not any(holds(path, number) for number in (7, 3, 9)), what="the file to be rewritten")


def test_a_replaced_vector_leaves_the_file_soon_without_a_call_of_save(opens: Opens, path: Path) -> None:
    vectors = filled(opens(erase_after=0.01))
    vectors.add("face-000007", axis(0))
    wait_until(lambda: as_written(POINTS[7])[:12] not in path.read_bytes(), what="the file to be rewritten")
    assert ids(vectors.nearest(axis(0), 1)) == ["face-000007"]


def test_a_saved_graph_that_needs_a_rebuild_is_rebuilt_after_opening(opens: Opens) -> None:
    vectors = filled(opens())
    for face_id in names(200)[:150]:
        vectors.remove(face_id)
    vectors.close()
    again = opens(erase_after=0.01)
    assert again._index.needs_rebuild
    wait_until(lambda: not again._index.needs_rebuild, what="the graph to be built anew")
    assert [ids(again.nearest(point, 1)) for point in POINTS[150:]] == [[name] for name in names(200)[150:]]


def test_adding_a_face_with_the_same_vector_changes_nothing(opens: Opens, path: Path) -> None:
    vectors = filled(opens())
    before = vectors.nearest(POINTS[7], 20)
    vectors.add_many(names(200), POINTS)
    assert vectors.nearest(POINTS[7], 20) == before
    assert not vectors._index.needs_rebuild


def test_later_saves_do_not_contain_removed_vectors(opens: Opens, path: Path) -> None:
    filled(opens())
    vectors = opens()
    for number in range(100):
        vectors.remove(names(200)[number])
    vectors.add_many(["new-1", "new-2"], drawn(2, seed=2))
    vectors.save()
    assert not any(holds(path, number) for number in range(100))
    assert all(holds(path, number) for number in range(100, 200))


def test_a_save_does_not_bring_back_a_vector_that_another_process_removed(opens: Opens, path: Path) -> None:
    one = filled(opens())
    other = opens()
    other.remove("face-000007")
    other.save()
    one.add("new", axis(0))
    one.save()
    one.close()
    assert not holds(path, 7)


def test_a_removal_clears_the_file_of_another_process_too(opens: Opens, path: Path) -> None:
    one, other = filled(opens()), opens()
    other.remove("face-000007")
    other.save()
    one.remove("face-000008")
    one.save()
    assert not holds(path, 7)
    assert not holds(path, 8)
    assert opens().count() == 198


def test_a_vector_that_was_never_in_memory_is_removed_from_the_file_of_another_process(
    opens: Opens, path: Path
) -> None:
    one = opens()
    filled(opens())
    one.remove("face-000007")
    one.save()
    assert not holds(path, 7)


def test_a_process_that_applied_all_later_changes_replaces_the_file_of_another(opens: Opens) -> None:
    one, other = filled(opens()), opens()
    other.remove("face-000007")
    other.save()
    one.add("new", axis(0))
    one.remove("face-000007")
    one.advance(times.now() + CLOCK_MARGIN + timedelta(seconds=1))
    one.save()
    assert opens().ids() == {*names(200), "new"} - {"face-000007"}


@pytest.mark.parametrize("place", [0, 20, 40, 300, -300, -1])
def test_a_damaged_file_is_deleted(opens: Opens, path: Path, place: int) -> None:
    filled(opens()).close()
    content = bytearray(path.read_bytes())
    content[place] ^= 0x10
    path.write_bytes(content)
    vectors = opens()
    assert (vectors.count(), vectors.position()) == (0, None)
    assert not path.exists()


@pytest.mark.parametrize("size", [0, 1, 39, 40, 1000])
def test_a_truncated_file_is_deleted(opens: Opens, path: Path, size: int) -> None:
    filled(opens()).close()
    path.write_bytes(path.read_bytes()[:size])
    assert (opens().count(), opens().position()) == (0, None)


def test_a_file_of_other_dimensions_is_deleted(opens: Opens, path: Path) -> None:
    filled(opens()).close()
    vectors = EmbeddedVectors(DIMENSIONS + 1, path)
    assert (vectors.count(), vectors.position()) == (0, None)


def test_a_removal_deletes_a_damaged_file_of_another_process(opens: Opens, path: Path) -> None:
    vectors = opens()
    filled(opens())
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    vectors.remove("face-000007")
    vectors.save()
    assert not path.exists()


def test_the_half_written_file_of_a_killed_process_is_removed(opens: Opens, path: Path) -> None:
    path.with_name("vectors.new").write_bytes(as_written(POINTS[7]))
    opens()
    assert not holds(path, 7)


def test_a_failed_save_is_raised_and_removals_are_retried(opens: Opens, path: Path) -> None:
    vectors = filled(opens())
    vectors.remove("face-000007")
    path.rename(path.with_name("aside"))
    path.mkdir()
    with pytest.raises(Unavailable):
        vectors.save()
    path.rmdir()
    path.with_name("aside").rename(path)
    vectors.save()
    assert not holds(path, 7)


def test_without_a_path_nothing_is_written_to_disk() -> None:
    vectors = EmbeddedVectors(DIMENSIONS)
    vectors.add("a", axis(0))
    vectors.advance(AT)
    vectors.save()
    assert vectors.ids() == {"a"}
    vectors.close()
