"""Pages that are open at several APIs at once, and when one of these stops."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

import pytest

from sparks.auth.api_keys import make_key
from sparks.feed.update_lists import update_lists
from sparks.journey import Stores
from sparks.library.accounts.lifecycle import create_user
from sparks.library.records import to_item
from sparks.model import times
from sparks.model.events import RenditionsReady
from sparks.model.pipeline_settings import PipelineSettings
from sparks.settings import load_settings
from sparks.table.port import Put
from sparks.wiring import open_stores
from tests.api.community import as_bearer
from tests.api.streams import Follower, follow
from tests.cli.processes import READY, Running, start
from tests.factories import BOB, a_photo, a_user
from tests.servers.process import wait_until

SECONDS: Final = "600"  # a stream that did not end would be waited for


@contextmanager
def serving(data: Path, *, program: str = "sparks") -> Iterator[Running]:
    arguments = ("serve", "--port", "0", "--workers", "0")
    with start(data, *arguments, program=program, SPARKS_DRAIN_SECONDS=SECONDS) as running:
        wait_until(lambda: READY in running.out or running.process.poll() is not None, what="sparks serve")
        assert running.process.poll() is None, (data.parent / "err").read_text()
        yield running


@pytest.fixture
def apis(tmp_path: Path) -> Iterator[list[Running]]:
    """Two of them, on one data folder."""
    data, other = tmp_path / "data", tmp_path / "other" / "data"
    with serving(data) as first:
        other.parent.mkdir()
        other.symlink_to(data)
        with serving(other, program="tests.cli.second_server") as second:
            yield [first, second]


def show(stores: Stores) -> str:
    """A new photo in the community, as a worker shows it."""
    photo = a_photo()
    stores.table.write(Put(to_item(photo)))
    event = RenditionsReady(photo.image_id, photo.owner)
    update_lists(event, table=stores.table, blobs=stores.blobs, keyring=stores.keyring, pipeline=PipelineSettings())
    return photo.image_id


def test_event_streams_of_every_server_get_the_changes_of_a_worker_and_end_with_their_server(
    apis: list[Running],
) -> None:
    settings = load_settings({"data": apis[0].data, "public_url": apis[0].url}, {})
    with open_stores(settings) as stores, ExitStack() as stack:
        user = a_user(BOB)
        create_user(user, photos=1, bytes=1, table=stores.table)
        _, key = make_key(user, name="a key", scopes=None, expires_at=None, at=times.now(), table=stores.table)
        first, second = (stack.enter_context(follow(api.url, as_bearer(key))) for api in apis)
        positions = [(page.block() or {})["id"] for page in (first, second)]
        event = show(stores)
        assert [received(page) for page in (first, second)] == [event, event]
        assert apis[0].end() == 0
        assert first.rest() == []
        assert not apis[0].lines("some requests or jobs did not finish")
        missed = show(stores)
        assert received(second) == missed
        with follow(apis[1].url, as_bearer(key), since=positions[0]) as resumed:
            assert [received(resumed), received(resumed)] == [event, missed]


def received(page: Follower) -> str:
    return str(page.next_event().data["imageId"])
