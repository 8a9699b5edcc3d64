"""Search index that the settings name, built from the table.

The embedded index is a file in the data folder, even where all other stores are elsewhere.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Final

from sparks.journey import Stores
from sparks.library.index_refresh import refreshed
from sparks.library.search.search_index import SearchIndex
from sparks.model import times
from sparks.search.port import Search
from sparks.settings import Settings

REFRESH_SECONDS: Final = 0.5


@contextmanager
def open_search(settings: Settings, stores: Stores) -> Iterator[SearchIndex]:
    """The index, kept up to date with the table until the end of the block."""
    with open_search_index(settings, stores) as index, refreshed(index, what="words", every=REFRESH_SECONDS):
        yield index


@contextmanager
def open_search_index(settings: Settings, stores: Stores) -> Iterator[SearchIndex]:
    """The index as it was last saved."""
    with closing(_open_adapter(settings)) as search:
        yield SearchIndex(search, table=stores.table, keyring=stores.keyring)


def clear_search(settings: Settings, stores: Stores) -> None:
    """Removes deleted photos from the index, also where no server runs; nothing happens where there is no index yet."""
    if settings.search_file.exists():
        with open_search_index(settings, stores) as index:
            index.catch_up(at=times.now())


def _open_adapter(settings: Settings) -> Search:
    match settings.search:
        case "embedded":
            from sparks.search.fts5 import Fts5Search

            return Fts5Search(settings.search_file)
