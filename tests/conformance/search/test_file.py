"""File of the FTS5 index: reopened, damaged, of another version, and cleared of removed words."""

import shutil
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path

import apsw
import pytest

from sparks.model.errors import Busy
from sparks.search.fts5 import Fts5Search
from sparks.search.port import NameEntry, NameKind
from sparks.search.tokenizer import words_of
from tests.conformance.search.sample_documents import a_document, an_id, asked, found
from tests.factories import NOON


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "search.db"


def fill(path: Path, count: int = 400) -> None:
    with closing(Fts5Search(path)) as search:
        search.put([a_document(n, f"sea word{n:04}", "told " * 3, f"tag:{n % 7}") for n in range(count)])
        search.put_names([NameEntry(NameKind.PERSON, "1", words_of("Anna"))])
        search.advance(NOON)


def test_documents_are_there_after_reopening(path: Path) -> None:
    fill(path)
    with closing(Fts5Search(path)) as search:
        assert found(search, asked("word0017")) == [17]
        assert (search.position(), search.names(NameKind.PERSON, ["anna"])) == (NOON, {"1": True})


def test_only_the_owner_may_read_the_index_file(path: Path) -> None:
    fill(path, 1)
    assert path.stat().st_mode & 0o077 == 0


def cut(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)


def garble(path: Path) -> None:
    path.write_bytes(b"not a database, but long enough to look like one " * 200)


def age(path: Path) -> None:
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute("UPDATE state SET value = '0' WHERE name = 'version'").fetchall()


def take_from_the_future(path: Path) -> None:
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute("PRAGMA user_version=99").fetchall()


def leave_half_made(path: Path) -> None:
    path.unlink()
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute("CREATE TABLE photos (id INTEGER PRIMARY KEY)").fetchall()


def empty(path: Path) -> None:
    path.write_bytes(b"")


DAMAGES: dict[str, Callable[[Path], None]] = {
    "missing": lambda path: path.unlink(),
    "half written": cut,
    "garbled": garble,
    "older": age,
    "newer": take_from_the_future,
    "half made": leave_half_made,
    "empty": empty,
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_an_unusable_file_is_replaced_by_an_empty_index(path: Path, damage: Callable[[Path], None]) -> None:
    fill(path)
    damage(path)
    with closing(Fts5Search(path)) as search:
        search.check()
        assert (search.position(), search.ids()) == (None, set())
        search.put([a_document(1, "sea")])
        assert found(search, asked("sea")) == [1]


def test_damage_found_by_a_query_raises_busy_and_starts_over(path: Path) -> None:
    fill(path)
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute("UPDATE words_data SET block = zeroblob(40) WHERE id > 100").fetchall()
    with closing(Fts5Search(path)) as search:
        with pytest.raises(Busy, match="being built"):
            found(search, asked("sea"))
        assert (search.position(), search.ids()) == (None, set())


def test_a_file_that_is_deleted_meanwhile_is_created_again(path: Path) -> None:
    fill(path)
    with closing(Fts5Search(path)) as search:
        assert found(search, asked("word0003")) == [3]
        for each in path.parent.iterdir():
            each.unlink()
        with closing(Fts5Search(path)) as other:  # another process creates it first
            other.put([a_document(1, "sea")])
        with ThreadPoolExecutor(4) as asking, suppress(Busy):  # some of them on new connections
            for task in [asking.submit(found, search, asked("sea")) for _ in range(16)]:
                task.result()
    with closing(Fts5Search(path)) as search:
        assert search.position() is None


def held_in(folder: Path, words: list[str]) -> list[str]:
    held = b"".join(each.read_bytes() for each in folder.iterdir())
    return [word for word in words if word.encode() in held]


def test_no_word_of_a_removed_document_is_left_in_the_file(path: Path) -> None:
    secrets = [f"zq{n:03}secretword" for n in range(40)]
    with closing(Fts5Search(path)) as search:
        search.put([a_document(n, f"sea common{n}", "told") for n in range(500)])
        search.put(
            [a_document(1000 + n, word, f"{word}told", camera=f"{word}camera") for n, word in enumerate(secrets)]
        )
        search.put_names([NameEntry(NameKind.PERSON, f"{word}id", words_of(word)) for word in secrets])
    assert held_in(path.parent, secrets) == secrets
    with closing(Fts5Search(path)) as search:
        search.remove([an_id(1000 + n) for n in range(20)])
        search.put([a_document(1000 + n, "harmless") for n in range(20, 40)])
        search.put_names([NameEntry(NameKind.PERSON, f"{word}id", frozenset()) for word in secrets])
    traces = [*(word[3:] for word in secrets), *(word[:-3] for word in secrets)]
    assert held_in(path.parent, traces) == []


def test_removed_words_leave_the_log_within_seconds(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    with closing(Fts5Search(path, erase_after=0.05)) as search:
        search.put([a_document(1, "zqsecretword")])
        search.remove([an_id(1)])
        gone = threading.Event()
        for _ in range(400):
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(tmp_path, copy, ignore=shutil.ignore_patterns("copy"))
            if not held_in(copy, ["zqsecretword"]):
                break
            gone.wait(0.02)
        assert held_in(copy, ["zqsecretword"]) == []


def test_two_processes_see_each_others_documents(path: Path) -> None:
    with closing(Fts5Search(path)) as one, closing(Fts5Search(path)) as other:
        one.put([a_document(1, "sea")])
        other.put([a_document(1, "sea"), a_document(2, "sea")])
        one.advance(NOON)
        assert found(one, asked("sea")) == found(other, asked("sea")) == [2, 1]
        assert other.position() == NOON
