"""Streams of live events."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from fastapi import FastAPI, Response

from sparks.actions.album_changes import AlbumChanges
from sparks.actions.outbox import Outbox
from sparks.actions.share_link_changes import ShareLinkChanges
from sparks.api.albums.routes import AlbumRoutes
from sparks.api.app import create_app
from sparks.api.guests.share_link_routes import ShareLinkRoutes
from sparks.api.http import errors
from sparks.api.http.authentication import RequestAuthenticator
from sparks.api.http.cookies import Cookies
from sparks.api.http.event_broker import StreamIntervals
from sparks.api.http.event_routes import MAX_STREAMS, EventRoutes
from sparks.auth.api_keys import make_key, revoke_key
from sparks.auth.callers import CallerResolver
from sparks.auth.rate_limits import RateLimiter
from sparks.auth.sessions import end_session
from sparks.blobs.memory import MemoryBlobs
from sparks.feed.update_lists import update_lists
from sparks.jobs.memory import MemoryJobs
from sparks.journey import Journey, Stores
from sparks.library.accounts.lifecycle import create_user
from sparks.library.live_events import announce, announce_people
from sparks.library.records import key_of, to_item
from sparks.metrics import Metrics
from sparks.model import times
from sparks.model.events import RenditionsReady
from sparks.model.ids import lowest_id_at
from sparks.model.photo import Photo, PhotoState, ProcessingStatus, Visibility
from sparks.model.pipeline_settings import PipelineSettings
from sparks.model.scope import COMMUNITY, scope_of_owner
from sparks.settings import Settings
from sparks.table.port import Delete, Put
from tests.api.community import HERE, KEYRING, Community, Headers, as_bearer
from tests.api.http.middleware.serving import served
from tests.api.streams import StreamEvent, follow
from tests.conformance.table.adapters import open_table
from tests.factories import ANN, BOB, a_photo, a_user
from tests.servers.process import wait_until

QUICK: Final = StreamIntervals(read=0.02, heartbeat=0.05)
SLOW: Final = StreamIntervals(read=0.02, heartbeat=600)


class EventServer:
    """A community whose events are sent quickly, by the real clock."""

    def __init__(self, data: Path, pace: StreamIntervals) -> None:
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
        """Stores the photo and announces it."""
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
        callers = CallerResolver(table=self.table, idle=timedelta(days=30))
        authenticator = RequestAuthenticator(
            caller_resolver=callers, rate_limiter=RateLimiter(), cookies=cookies, public_url=HERE
        )
        events = EventRoutes(
            authenticator=authenticator,
            table=self.table,
            keyring=KEYRING,
            stopping=self.community.stopping,
            intervals=self._pace,
        )
        stores, wake = self.community.stores, events.wake
        outbox, clock = Outbox(journey=Journey(), jobs=stores.jobs), authenticator.now
        links = ShareLinkRoutes(
            authenticator=authenticator,
            changes=ShareLinkChanges(table=stores.table, wake=wake, clock=clock),
            public_url=HERE,
            table=stores.table,
        )
        albums = AlbumRoutes(
            authenticator=authenticator,
            changes=AlbumChanges(table=stores.table, outbox=outbox, wake=wake, clock=clock),
            table=stores.table,
            keyring=stores.keyring,
        )
        app.router.routes.extend([*events.router().routes, *links.router().routes, *albums.router().routes])
        app.post("/stop")(self._stop)
        return app

    async def _stop(self) -> Response:
        self.community.stopping.set()
        return Response()


@pytest.fixture
def event_server(tmp_path: Path) -> Iterator[EventServer]:
    event_server = EventServer(tmp_path, QUICK)
    with event_server.open():
        yield event_server


@pytest.fixture(params=["sqlite", "dynamodb-local"])
def stores(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stores]:
    with open_table(request.param, tmp_path) as table:
        yield Stores(table=table, blobs=MemoryBlobs(), jobs=MemoryJobs(), keyring=KEYRING)


def ids(result: list[StreamEvent]) -> list[Any]:
    return [each.data["imageId"] for each in result]


def session_id(headers: Headers) -> str:
    return headers["Cookie"].partition("=")[2].partition(".")[0]


# -- Events


def test_a_stream_has_headers_that_prevent_buffering(event_server: EventServer) -> None:
    with follow(event_server.url, event_server.ann) as ann:
        assert ann.status == 200
        assert ann.headers["content-type"].startswith("text/event-stream")
        assert ann.headers["x-accel-buffering"] == "no"
        assert (ann.block() or {}).keys() == {"retry", "id"}


def test_an_event_about_people_names_no_person(event_server: EventServer) -> None:
    with follow(event_server.url, event_server.ann) as ann, follow(event_server.url, event_server.bob) as bob:
        ann.block(), bob.block()
        announce_people({scope_of_owner(ANN)}, at=times.now(), table=event_server.table)
        assert (ann_heard := ann.next_event()).kind == "people"
        assert ann_heard.data == {}
        announce_people({COMMUNITY, scope_of_owner(ANN)}, at=times.now(), table=event_server.table)
        assert ann.next_event().kind == "people"
        bob_heard = bob.next_event()
        assert (bob_heard.kind, bob_heard.data) == ("people", {})
    with follow(event_server.url, event_server.bob, since=bob_heard.id) as bob:
        assert {bob.next_event().kind} == {"people"}, "a recent event is sent again"


def test_the_owner_gets_events_about_the_processing_of_an_upload(event_server: EventServer) -> None:
    photo = a_photo(state=PhotoState.PENDING, processing_status=ProcessingStatus.PENDING)
    with follow(event_server.url, event_server.ann) as ann:
        ann.block()
        event_server.happen(photo)
        result = ann.next_event()
        assert result.kind == "photo"
        assert result.data == {
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
        event_server.happen(
            a_photo(
                image_id=photo.image_id, state=PhotoState.FAILED, processing_status=failed, processing_error="cut off"
            )
        )
        result = ann.next_event()
        assert (result.data["processingStatus"], result.data["processingError"]) == ("failed", "cut off")


def test_all_members_get_events_about_a_new_community_photo(event_server: EventServer) -> None:
    with follow(event_server.url, event_server.ann) as ann, follow(event_server.url, event_server.bob) as bob:
        ann.block(), bob.block()
        photo = event_server.happen(a_photo())
        assert ids([ann.next_event(), bob.next_event()]) == [photo.image_id] * 2


def test_others_get_no_events_about_private_or_unfinished_photos(event_server: EventServer) -> None:
    with follow(event_server.url, event_server.bob) as bob:
        bob.block()
        event_server.happen(a_photo(visibility=Visibility.PRIVATE))
        event_server.happen(a_photo(state=PhotoState.PENDING))
        event_server.happen(a_photo(state=PhotoState.FAILED))
        shown = event_server.happen(a_photo())
        assert bob.next_event().data["imageId"] == shown.image_id


@pytest.mark.parametrize(
    "change", [{"visibility": Visibility.PRIVATE}, {"state": PhotoState.TRASHED}], ids=["private", "trashed"]
)
def test_a_member_who_may_not_see_a_photo_any_more_gets_gone(event_server: EventServer, change: dict[str, Any]) -> None:
    photo = event_server.community.keep(a_photo())
    with follow(event_server.url, event_server.ann) as ann, follow(event_server.url, event_server.bob) as bob:
        ann.block(), bob.block()
        event_server.happen(a_photo(image_id=photo.image_id, trashed_at=times.now(), version=2, **change), before=photo)
        assert bob.next_event().data == {"imageId": photo.image_id, "gone": True}
        result = ann.next_event().data
        assert (result["version"], "gone" in result, "trashedAt" in result) == (2, False, True)


def test_a_deleted_photo_sends_gone_to_all(event_server: EventServer) -> None:
    photo = event_server.community.keep(a_photo())
    with follow(event_server.url, event_server.ann) as ann, follow(event_server.url, event_server.bob) as bob:
        ann.block(), bob.block()
        event_server.delete(photo)
        for follower in (ann, bob):
            assert follower.next_event().data == {"imageId": photo.image_id, "gone": True}


def test_an_event_has_the_state_of_the_photo_when_it_is_sent(event_server: EventServer) -> None:
    """Not the state at the time of the event: a stream that is resumed later must not show what was hidden since."""
    position = lowest_id_at(times.now())
    photo = event_server.happen(a_photo())
    event_server.community.keep(a_photo(image_id=photo.image_id, visibility=Visibility.PRIVATE))
    with follow(event_server.url, event_server.bob, since=position) as bob:
        assert bob.next_event().data == {"imageId": photo.image_id, "gone": True}


# -- Resuming


def test_a_resumed_stream_sends_the_missed_events(event_server: EventServer) -> None:
    with follow(event_server.url, event_server.bob) as bob:
        bob.block()
        event_server.happen(a_photo())
        last = bob.next_event()
    missed = [event_server.happen(a_photo(owner=owner)).image_id for owner in (ANN, BOB, ANN)]
    with follow(event_server.url, event_server.bob, since=last.id) as bob:
        heard = [bob.next_event().data["imageId"] for _ in range(4)]
        assert heard == [last.data["imageId"], *missed]  # the last one again: events of some seconds are sent twice


def test_a_resumed_stream_sends_no_id_before_the_missed_events(event_server: EventServer) -> None:
    with follow(event_server.url, event_server.bob) as bob:
        here = (bob.block() or {})["id"]
    event_server.happen(a_photo())
    with follow(event_server.url, event_server.bob, since=here) as bob:
        assert bob.block() == {"retry": "2000"}
        assert (bob.block() or {})["event"] == "photo"


def test_an_idle_stream_can_be_resumed_too(event_server: EventServer) -> None:
    with follow(event_server.url, event_server.bob) as bob:
        beats = [bob.block() or {} for _ in range(3)]
    assert all(beat.keys() & {"id", "event"} == {"id"} for beat in beats)
    photo = event_server.happen(a_photo())
    with follow(event_server.url, event_server.bob, since=beats[-1]["id"]) as bob:
        assert bob.next_event().data["imageId"] == photo.image_id


@pytest.mark.parametrize("since", ["17", lowest_id_at(times.now() - timedelta(hours=2))], ids=["no id", "too old"])
def test_a_stream_that_cannot_send_the_missed_events_sends_reset(event_server: EventServer, since: str) -> None:
    with follow(event_server.url, event_server.bob, since=since) as bob:
        reset = bob.next_event()
        assert (reset.kind, reset.data) == ("reset", {})
        photo = event_server.happen(a_photo())
        assert bob.next_event().data["imageId"] == photo.image_id


# -- The end of a stream


@pytest.mark.parametrize("pace", [QUICK, SLOW], ids=["at the next beat", "before the next event"])
def test_a_stream_ends_with_its_session(tmp_path: Path, pace: StreamIntervals) -> None:
    event_server = EventServer(tmp_path, pace)
    with (
        event_server.open(),
        follow(event_server.url, event_server.bob) as bob,
        follow(event_server.url, event_server.ann) as ann,
    ):
        bob.block(), ann.block()
        end_session(BOB, session_id(event_server.bob), table=event_server.table)
        photo = event_server.happen(a_photo())
        assert bob.rest() == []
        assert ann.next_event().data["imageId"] == photo.image_id


def test_a_stream_ends_with_its_key(event_server: EventServer) -> None:
    bearer = event_server.community.key_of(event_server.community.bob)
    with follow(event_server.url, bearer) as bob:
        bob.block()
        key_id = bearer["Authorization"].removeprefix("Bearer sk_").partition(".")[0]
        assert revoke_key(BOB, key_id, table=event_server.table)
        assert bob.rest() == []


def test_streams_end_at_once_when_sparks_stops(tmp_path: Path) -> None:
    event_server = EventServer(tmp_path, SLOW)
    with (
        event_server.open(),
        follow(event_server.url, event_server.bob) as bob,
        follow(event_server.url, event_server.ann) as ann,
    ):
        bob.block(), ann.block()
        event_server.stop()
        assert (bob.rest(), ann.rest()) == ([], [])


def test_the_number_of_streams_of_an_account_is_limited(event_server: EventServer) -> None:
    with ExitStack() as stack:
        followers = [stack.enter_context(follow(event_server.url, event_server.bob)) for _ in range(MAX_STREAMS)]
        assert {follower.status for follower in followers} == {200}
        with follow(event_server.url, event_server.bob) as refused, follow(event_server.url, event_server.ann) as other:
            assert (refused.status, refused.headers["retry-after"], other.status) == (429, "10", 200)

    def is_let_in() -> bool:
        with follow(event_server.url, event_server.bob) as bob:
            return bob.status == 200

    wait_until(is_let_in, what="the closed streams to be noticed")


def test_a_stream_needs_a_signed_in_caller(event_server: EventServer) -> None:
    with follow(event_server.url, {}) as anonymous:
        assert anonymous.status == 401


# -- The whole application


def test_a_photo_finished_by_a_worker_sends_an_event_on_every_engine(stores: Stores, tmp_path: Path) -> None:
    create_user(a_user(BOB), photos=1, bytes=1, table=stores.table)
    _, key = make_key(a_user(BOB), name="a key", scopes=None, expires_at=None, at=times.now(), table=stores.table)
    app = create_app(stores=stores, settings=Settings(data=tmp_path), metrics=Metrics())
    with served(app) as port, follow(f"http://127.0.0.1:{port}", as_bearer(key)) as bob:
        bob.block()
        photo = a_photo()
        stores.table.write(Put(to_item(photo)))
        event = RenditionsReady(photo.image_id, photo.owner)
        update_lists(event, table=stores.table, blobs=stores.blobs, keyring=stores.keyring, pipeline=PipelineSettings())
        assert bob.next_event().data["imageId"] == photo.image_id
