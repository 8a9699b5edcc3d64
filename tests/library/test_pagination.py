"""Pages of lists that leave something out."""

from itertools import chain

from hypothesis import given
from hypothesis import strategies as st

from sparks.library.pagination import filled_page
from sparks.table.memory import MemoryTable
from sparks.table.port import Item, Key, Page, Partition, Put


def read(item: Item) -> str | None:
    return str(item["SK"]) if item["shown"] else None


@given(st.lists(st.booleans(), max_size=30), st.integers(1, 7))
def test_every_page_is_full_but_the_last_and_nothing_is_lost(shown: list[bool], limit: int) -> None:
    table = MemoryTable()
    for number, each in enumerate(shown):
        table.write(Put({"PK": "list", "SK": f"{number:02}", "shown": each}))

    def fetch(most: int, behind: Key | None) -> Page:
        return table.query(Partition("list"), limit=most, after=behind)

    pages: list[list[str]] = []
    after: Key | None = None
    for _ in range(len(shown) + 2):
        page, after = filled_page(fetch, read, limit=limit, after=after)
        pages.append(page)
        if after is None:
            break
    assert after is None
    assert all(len(page) == limit for page in pages[:-1])
    assert list(chain(*pages)) == [f"{number:02}" for number, each in enumerate(shown) if each]


def test_a_page_reads_no_more_than_it_lacks() -> None:
    limits: list[int] = []

    def fetch(most: int, behind: Key | None) -> Page:
        limits.append(most)
        number = len(limits)
        return Page([{"SK": "kept", "shown": True}, {"SK": "left out", "shown": False}], Key("list", str(number)))

    assert filled_page(fetch, read, limit=3, after=None) == (["kept"] * 3, Key("list", "3"))
    assert limits == [3, 2, 1]
