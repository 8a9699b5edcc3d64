"""Ann's photo, its viewers, and an application with the media routes."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final, TypeVar

import httpx
from fastapi import FastAPI

from sparks.api.http import errors
from sparks.api.http.authentication import RequestAuthenticator
from sparks.api.http.cookies import Cookies
from sparks.api.photos import media_routes
from sparks.auth.api_keys import make_key
from sparks.auth.callers import CallerResolver
from sparks.auth.link_sessions import guest_token
from sparks.auth.rate_limits import RateLimiter
from sparks.auth.sessions import SessionLifetime, open_session
from sparks.auth.signed_media_urls import Viewer, ViewerKind, sign_media
from sparks.blobs.memory import MemoryBlobs
from sparks.blobs.port import Blobs
from sparks.jobs.memory import MemoryJobs
from sparks.journey import Stores
from sparks.library.records import changes, from_item, key_of, to_item
from sparks.model.account import User
from sparks.model.album import AlbumMember, AlbumRole
from sparks.model.caller import Credential, Member
from sparks.model.credential import KeyScope
from sparks.model.keyring import Keyring
from sparks.model.photo import Photo, Renditions, Visibility
from sparks.model.secret import Secret, new_secret
from sparks.model.share import Guest, LinkPermission, ShareLink
from sparks.model.stored import Stored
from sparks.table.memory import MemoryTable
from sparks.table.port import Delete, Put
from tests.factories import ANN, BOB, NOON, a_photo, a_user, an_album

RING: Final = Keyring("test", {"test": b"t" * 32})
PICTURE: Final = bytes(range(256)) * 20
ORIGINAL: Final = bytes(reversed(range(256))) * 100
SPAN: Final = SessionLifetime(idle=timedelta(days=30), most=timedelta(days=180))
SUBJECT: Final = "issuer's name for Bob"

T = TypeVar("T", bound=Stored)


@dataclass
class Gallery:
    """`at` is the time of the application."""

    blobs: Blobs
    keyring: Keyring = RING
    at: datetime = NOON
    table: MemoryTable = field(default_factory=MemoryTable)
    ann: User = field(default_factory=a_user)
    bob: User = field(default_factory=lambda: a_user(BOB))

    def __post_init__(self) -> None:
        self.album = an_album()
        self.photo = self.add_photo(original_filename="sea.jpg")
        self.link = ShareLink(
            link_id="link1",
            album_id=self.album.album_id,
            secret_hash=new_secret().hash,
            allow=frozenset({LinkPermission.VIEW, LinkPermission.DOWNLOAD}),
            created_by=ANN,
            created_at=NOON,
        )
        self._guest = new_secret()
        self.guest = Guest(link_id="link1", guest_id=self._guest.id, secret_hash=self._guest.hash, created_at=NOON)
        for row in (self.ann, self.bob, self.album, self.link, self.guest):
            self.keep(row)

    def app(self) -> FastAPI:
        app = FastAPI(redirect_slashes=False)
        errors.install(app)
        stores = Stores(table=self.table, blobs=self.blobs, jobs=MemoryJobs(), keyring=self.keyring)
        callers = CallerResolver(table=self.table, idle=SPAN.idle, subject_member=self._of_subject)
        public_url = "http://sparks.test"
        cookies = Cookies(public_url=public_url, allow_http=True, days=30)
        authenticator = RequestAuthenticator(
            caller_resolver=callers,
            rate_limiter=RateLimiter(),
            cookies=cookies,
            public_url=public_url,
            clock=lambda: self.at,
        )
        router = media_routes.router(
            authenticator=authenticator,
            caller_resolver=callers,
            table=stores.table,
            blobs=stores.blobs,
            keyring=stores.keyring,
        )
        app.include_router(router)
        return app

    # -- Photos

    def add_photo(self, **more: Any) -> Photo:
        """Ann's photo in the community and in the album, with its renditions and original."""
        photo = a_photo(albums=(self.album.album_id,), **more)
        keys = {size: f"processed/{photo.image_id}_{size}.webp" for size in ("large", "medium", "thumb")}
        for size, key in keys.items():
            self.blobs.put(key, [size.encode() + PICTURE], content_type="image/webp")
        assert photo.original_key is not None
        self.blobs.put(photo.original_key, [ORIGINAL], content_type="image/jpeg")
        return self.keep(replace(photo, renditions=Renditions(keys)))

    def keep(self, row: T) -> T:
        self.table.write(Put(to_item(row)))
        return row

    def change(self, row: Stored, **values: Any) -> None:
        item = self.table.get(key_of(row))
        assert item is not None
        before = from_item(type(row), item)
        self.table.write(changes(before, replace(before, **values)))

    def drop(self, row: Stored) -> None:
        self.table.write(Delete(key_of(row)))

    # -- Viewers

    def session_of(self, user: User) -> Secret:
        return open_session(user, span=SPAN, at=self.at, table=self.table)

    def new_key(self, user: User, *scopes: KeyScope, days: int | None = None) -> tuple[str, str]:
        """The key's id, and the key."""
        ends = None if days is None else self.at + timedelta(days=days)
        key, text = make_key(user, name="a key", scopes=scopes, expires_at=ends, at=self.at, table=self.table)
        return key.key_id, text

    def bob_in(self) -> Viewer:
        return Viewer(ViewerKind.SESSION, self.session_of(self.bob).id)

    def guest_in(self) -> Viewer:
        return Viewer(ViewerKind.GUEST, f"{self.link.link_id}_{self.guest.guest_id}")

    def token_of_guest(self) -> str:
        return guest_token(self.link.link_id, self._guest)

    def join_album(self, user: User) -> AlbumMember:
        return self.keep(AlbumMember(album_id=self.album.album_id, email=user.email, role=AlbumRole.VIEWER))

    def _of_subject(self, subject: str) -> Member:
        assert subject == SUBJECT
        return Member(self.bob, Credential("token", subject))

    # -- URLs

    def url(self, viewer: Viewer, *, photo: Photo | None = None, size: str = "large") -> str:
        image_id = (photo or self.photo).image_id
        return f"/media/{image_id}/{size}?{sign_media(image_id, viewer, now=self.at, keyring=self.keyring)}"

    def original_url(self) -> str:
        return f"/api/photos/{self.photo.image_id}/original"


def local_gallery() -> Gallery:
    return Gallery(blobs=MemoryBlobs(keyring=RING))


def observed(response: httpx.Response) -> tuple[int, dict[str, str], dict[str, str]]:
    """All that a caller learns from a response."""
    return response.status_code, response.json(), dict(response.headers)


VIEWERS: dict[str, Callable[[Gallery], Viewer]] = {
    "session of the owner": lambda gallery: Viewer(ViewerKind.SESSION, gallery.session_of(gallery.ann).id),
    "session of another user": Gallery.bob_in,
    "key": lambda gallery: Viewer(ViewerKind.KEY, gallery.new_key(gallery.bob, KeyScope.READ)[0]),
    "token": lambda _: Viewer(ViewerKind.TOKEN, SUBJECT),
    "guest": Gallery.guest_in,
}


def private(gallery: Gallery) -> None:
    gallery.change(gallery.photo, visibility=Visibility.PRIVATE)
