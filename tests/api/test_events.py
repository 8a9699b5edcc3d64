"""Events as they are sent to the pages that are open."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from fastapi import FastAPI, Response

from sparks.api import errors
from sparks.api.albums import AlbumRoutes
from sparks.api.app import create_app
from sparks.api.cookies import Cookies
from sparks.api.events import MOST_STREAMS, EventRoutes
from sparks.api.gate import Gate
from sparks.api.links import LinkRoutes
from sparks.api.listening import Pace
from sparks.auth.api_keys import make_key, revoke_key
from sparks.auth.callers import Callers
from sparks.auth.rates import Rates
from sparks.auth.sessions import end_session
from sparks.blobs.memory import MemoryBlobs
from sparks.feed.showing import show_photo
from sparks.jobs.memory import MemoryJobs
from sparks.journey import Journey, Stores
from sparks.library.accounts import create_user
from sparks.library.live import announce, announce_people
from sparks.library.records import key_of, to_item
from sparks.metrics import Metrics
from sparks.model import times
from sparks.model.events import RenditionsReady
from sparks.model.ids import lowest_id_at
from sparks.model.photo import Photo, PhotoState, ProcessingStatus, Visibility
from sparks.model.scope import COMMUNITY, scope_of_owner
from sparks.model.terms import Terms
from sparks.settings import Settings
from sparks.table.port import Delete, Put
from tests.api.community import HERE, KEYRING, Community, Headers, as_bearer
from tests.api.frame.serving import served
from tests.api.streams import Told, follow
from tests.conformance.table.adapters import open_table
from tests.factories import ANN, BOB, a_photo, a_user
from tests.servers.process import wait_until

QUICK: Final = Pace(reading=0.02, beat=0.05)
SLOW: Final = Pace(reading=0.02, beat=600)


class Street:
    """A community whose events are told quickly, by the real clock; and whoever lives in it."""

    def __init__(self, data: Path, pace: Pace) -> None:
        self.community = Community(data)
        self.community.at = times.now()
        self.table = self.community.table
        self.ann = self.community.session_of(self.community.ann)
        self.bob = self.community.session_of(self.community.bob)
        self.url = ""
        self._pace = pace

    @contextmanager
    def open(self) -> Iterator[None]:
        with served(self._app()) as port:
            self.url = f"http://127.0.0.1:{port}"
            yield

    def stop(self) -> None:
        httpx.post(f"{self.url}/stop").raise_for_status()

    def happen(self, photo: Photo, *, before: Photo | None = None) -> Photo:
        """The photo is so now, and announced."""
        self.community.keep(photo)
        announce(before, photo, at=times.now(), table=self.table, keyring=KEYRING)
        return photo

    def delete(self, photo: Photo) -> None:
        self.table.write(Delete(key_of(photo)))
        announce(photo, None, at=times.now(), table=self.table, keyring=KEYRING)

    def _app(self) -> FastAPI:
        app = FastAPI()
        errors.install(app)
        cookies = Cookies(public_url=HERE, allow_http=True, days=180)
        callers = Callers(table=self.table, idle=timedelta(days=30))
        gate = Gate(callers=callers, rates=Rates(), cookies=cookies, public_url=HERE)
        events = EventRoutes(gate=gate, stores=self.community.stores, stopping=self.community.stopping, pace=self._pace)
        stores, hasten = self.community.stores, events.hasten
        links = LinkRoutes(gate=gate, stores=stores, public_url=HERE, hasten=hasten)
        albums = AlbumRoutes(gate=gate, stores=stores, journey=Journey(), hasten=hasten)
        app.router.routes.extend([*events.router().routes, *links.router().routes, *albums.router().routes])
        app.post("/stop")(self._stop)
        return app

    async def _stop(self) -> Response:
        self.community.stopping.set()
        return Response()


@pytest.fixture
def street(tmp_path: Path) -> Iterator[Street]:
    street = Street(tmp_path, QUICK)
    with street.open():
        yield street


@pytest.fixture(params=["sqlite", "dynamodb-local"])
def stores(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stores]:
    with open_table(request.param, tmp_path) as table:
        yield Stores(table=table, blobs=MemoryBlobs(), jobs=MemoryJobs(), keyring=KEYRING)


def ids(told: list[Told]) -> list[Any]:
    return [each.data["imageId"] for each in told]


def session_id(headers: Headers) -> str:
    return headers["Cookie"].partition("=")[2].partition(".")[0]


# -- What is told


def test_a_stream_is_one_that_browsers_and_proxies_pass_on_at_once(street: Street) -> None:
    with follow(street.url, street.ann) as ann:
        assert ann.status == 200
        assert ann.headers["content-type"].startswith("text/event-stream")
        assert ann.headers["x-accel-buffering"] == "no"
        assert (ann.block() or {}).keys() == {"retry", "id"}


def test_that_persons_are_others_now_is_told_without_a_word_of_whom(street: Street) -> None:
    with follow(street.url, street.ann) as ann, follow(street.url, street.bob) as bob:
        ann.block(), bob.block()
        announce_people({scope_of_owner(ANN)}, at=times.now(), table=street.table)
        assert (ann_heard := ann.hear()).kind == "people"
        assert ann_heard.data == {}
        announce_people({COMMUNITY, scope_of_owner(ANN)}, at=times.now(), table=street.table)
        assert ann.hear().kind == "people"
        bob_heard = bob.hear()
        assert (bob_heard.kind, bob_heard.data) == ("people", {})
    with follow(street.url, street.bob, since=bob_heard.id) as bob:
        assert {bob.hear().kind} == {"people"}, "what was told a moment ago is told again"


def test_the_owner_hears_how_far_an_upload_is(street: Street) -> None:
    photo = a_photo(state=PhotoState.PENDING, processing_status=ProcessingStatus.PENDING)
    with follow(street.url, street.ann) as ann:
        ann.block()
        street.happen(photo)
        told = ann.hear()
        assert told.kind == "photo"
        assert told.data == {
            "imageId": photo.image_id,
            "assetType": "IMAGE",
            "uploadedBy": ANN,
            "visibility": "community",
            "version": 1,
            "processingStatus": "pending",
            "status": "RAW",
            "faceCount": 0,
            "month": "2025-08",
        }
        failed = ProcessingStatus.FAILED
        street.happen(
            a_photo(
                image_id=photo.image_id, state=PhotoState.FAILED, processing_status=failed, processing_error="cut off"
            )
        )
        told = ann.hear()
        assert (told.data["processingStatus"], told.data["processingError"]) == ("failed", "cut off")


def test_everyone_hears_of_a_new_photo_in_the_community(street: Street) -> None:
    with follow(street.url, street.ann) as ann, follow(street.url, street.bob) as bob:
        ann.block(), bob.block()
        photo = street.happen(a_photo())
        assert ids([ann.hear(), bob.hear()]) == [photo.image_id] * 2


def test_nobody_else_hears_of_what_is_private_or_not_finished(street: Street) -> None:
    with follow(street.url, street.bob) as bob:
        bob.block()
        street.happen(a_photo(visibility=Visibility.PRIVATE))
        street.happen(a_photo(state=PhotoState.PENDING))
        street.happen(a_photo(state=PhotoState.FAILED))
        shown = street.happen(a_photo())
        assert bob.hear().data["imageId"] == shown.image_id


@pytest.mark.parametrize(
    "change", [{"visibility": Visibility.PRIVATE}, {"state": PhotoState.TRASHED}], ids=["private", "trashed"]
)
def test_who_must_not_see_it_any_more_hears_that_it_is_gone(street: Street, change: dict[str, Any]) -> None:
    photo = street.community.keep(a_photo())
    with follow(street.url, street.ann) as ann, follow(street.url, street.bob) as bob:
        ann.block(), bob.block()
        street.happen(a_photo(image_id=photo.image_id, trashed_at=times.now(), version=2, **change), before=photo)
        assert bob.hear().data == {"imageId": photo.image_id, "gone": True}
        told = ann.hear().data
        assert (told["version"], "gone" in told, "trashedAt" in told) == (2, False, True)


def test_a_deleted_photo_is_gone_for_all(street: Street) -> None:
    photo = street.community.keep(a_photo())
    with follow(street.url, street.ann) as ann, follow(street.url, street.bob) as bob:
        ann.block(), bob.block()
        street.delete(photo)
        for follower in (ann, bob):
            assert follower.hear().data == {"imageId": photo.image_id, "gone": True}


def test_an_event_tells_how_the_photo_is_when_it_is_sent(street: Street) -> None:
    """Not how it was when it happened: whoever comes back later must not be told what was hidden since."""
    position = lowest_id_at(times.now())
    photo = street.happen(a_photo())
    street.community.keep(a_photo(image_id=photo.image_id, visibility=Visibility.PRIVATE))
    with follow(street.url, street.bob, since=position) as bob:
        assert bob.hear().data == {"imageId": photo.image_id, "gone": True}


# -- Going on


def test_who_comes_back_hears_what_they_missed(street: Street) -> None:
    with follow(street.url, street.bob) as bob:
        bob.block()
        street.happen(a_photo())
        last = bob.hear()
    missed = [street.happen(a_photo(owner=owner)).image_id for owner in (ANN, BOB, ANN)]
    with follow(street.url, street.bob, since=last.id) as bob:
        heard = [bob.hear().data["imageId"] for _ in range(4)]
        assert heard == [last.data["imageId"], *missed]  # the last one again: some seconds are told twice


def test_who_comes_back_keeps_their_place_until_they_are_told_what_they_missed(street: Street) -> None:
    with follow(street.url, street.bob) as bob:
        here = (bob.block() or {})["id"]
    street.happen(a_photo())
    with follow(street.url, street.bob, since=here) as bob:
        assert bob.block() == {"retry": "2000"}
        assert (bob.block() or {})["event"] == "photo"


def test_a_stream_that_told_nothing_can_be_gone_on_with_too(street: Street) -> None:
    with follow(street.url, street.bob) as bob:
        beats = [bob.block() or {} for _ in range(3)]
    assert all(beat.keys() & {"id", "event"} == {"id"} for beat in beats)
    photo = street.happen(a_photo())
    with follow(street.url, street.bob, since=beats[-1]["id"]) as bob:
        assert bob.hear().data["imageId"] == photo.image_id


@pytest.mark.parametrize("since", ["17", lowest_id_at(times.now() - timedelta(hours=2))], ids=["no id", "too old"])
def test_who_cannot_be_told_what_they_missed_is_told_to_begin_anew(street: Street, since: str) -> None:
    with follow(street.url, street.bob, since=since) as bob:
        reset = bob.hear()
        assert (reset.kind, reset.data) == ("reset", {})
        photo = street.happen(a_photo())
        assert bob.hear().data["imageId"] == photo.image_id


# -- How it ends


@pytest.mark.parametrize("pace", [QUICK, SLOW], ids=["at the next beat", "before the next event"])
def test_a_stream_ends_with_its_session_and_tells_nothing_more(tmp_path: Path, pace: Pace) -> None:
    street = Street(tmp_path, pace)
    with street.open(), follow(street.url, street.bob) as bob, follow(street.url, street.ann) as ann:
        bob.block(), ann.block()
        end_session(BOB, session_id(street.bob), table=street.table)
        photo = street.happen(a_photo())
        assert bob.rest() == []
        assert ann.hear().data["imageId"] == photo.image_id


def test_a_stream_ends_with_its_key(street: Street) -> None:
    bearer = street.community.key_of(street.community.bob)
    with follow(street.url, bearer) as bob:
        bob.block()
        key_id = bearer["Authorization"].removeprefix("Bearer sk_").partition(".")[0]
        assert revoke_key(BOB, key_id, table=street.table)
        assert bob.rest() == []


def test_streams_end_at_once_when_sparks_stops(tmp_path: Path) -> None:
    street = Street(tmp_path, SLOW)
    with street.open(), follow(street.url, street.bob) as bob, follow(street.url, street.ann) as ann:
        bob.block(), ann.block()
        street.stop()
        assert (bob.rest(), ann.rest()) == ([], [])


def test_an_account_has_so_many_streams_and_no_more(street: Street) -> None:
    with ExitStack() as stack:
        followers = [stack.enter_context(follow(street.url, street.bob)) for _ in range(MOST_STREAMS)]
        assert {follower.status for follower in followers} == {200}
        with follow(street.url, street.bob) as refused, follow(street.url, street.ann) as other:
            assert (refused.status, refused.headers["retry-after"], other.status) == (429, "10", 200)

    def is_let_in() -> bool:
        with follow(street.url, street.bob) as bob:
            return bob.status == 200

    wait_until(is_let_in, what="the closed streams to be noticed")


def test_nobody_follows_who_is_not_signed_in(street: Street) -> None:
    with follow(street.url, {}) as nobody:
        assert nobody.status == 401


# -- The application as it is


def test_a_photo_that_a_worker_shows_is_heard_of_on_every_engine(stores: Stores, tmp_path: Path) -> None:
    create_user(a_user(BOB), photos=1, bytes=1, table=stores.table)
    _, key = make_key(a_user(BOB), name="a key", scopes=None, expires_at=None, at=times.now(), table=stores.table)
    app = create_app(stores=stores, settings=Settings(data=tmp_path), metrics=Metrics())
    with served(app) as port, follow(f"http://127.0.0.1:{port}", as_bearer(key)) as bob:
        bob.block()
        photo = a_photo()
        stores.table.write(Put(to_item(photo)))
        event = RenditionsReady(photo.image_id, photo.owner)
        show_photo(event, table=stores.table, blobs=stores.blobs, keyring=stores.keyring, terms=Terms())
        assert bob.hear().data["imageId"] == photo.image_id
