"""Ann's photo, those who look at it, and the application that shows it to them."""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final, TypeVar

from fastapi import FastAPI

from sparks.api import errors, media
from sparks.api.cookies import Cookies
from sparks.api.gate import Gate
from sparks.auth.api_keys import make_key
from sparks.auth.callers import Callers
from sparks.auth.guests import guest_token
from sparks.auth.rates import Rates
from sparks.auth.sessions import Span, open_session
from sparks.auth.signing import Viewer, ViewerKind, sign_media
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
from sparks.model.photo import Photo, Renditions
from sparks.model.secret import Secret, new_secret
from sparks.model.share import Guest, LinkPermission, ShareLink
from sparks.model.stored import Stored
from sparks.table.memory import MemoryTable
from sparks.table.port import Delete, Put
from tests.factories import ANN, BOB, NOON, a_photo, a_user, an_album

RING: Final = Keyring("test", {"test": b"t" * 32})
PICTURE: Final = bytes(range(256)) * 20
ORIGINAL: Final = bytes(reversed(range(256))) * 100
SPAN: Final = Span(idle=timedelta(days=30), most=timedelta(days=180))
SUBJECT: Final = "issuer's name for Bob"

T = TypeVar("T", bound=Stored)


@dataclass
class Gallery:
    """`at` is what the application takes for now."""

    blobs: Blobs
    served: MemoryBlobs | None
    keyring: Keyring = RING
    at: datetime = NOON
    table: MemoryTable = field(default_factory=MemoryTable)
    ann: User = field(default_factory=a_user)
    bob: User = field(default_factory=lambda: a_user(BOB))

    def __post_init__(self) -> None:
        self.album = an_album()
        self.photo = self.hang(original_filename="sea.jpg")
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
        stores = Stores(table=self.table, blobs=self.blobs, jobs=MemoryJobs(), keyring=self.keyring, served=self.served)
        callers = Callers(table=self.table, idle=SPAN.idle, subject_member=self._of_subject)
        public_url = "http://sparks.test"
        cookies = Cookies(public_url=public_url, allow_http=True, days=30)
        gate = Gate(callers=callers, rates=Rates(), cookies=cookies, public_url=public_url, clock=lambda: self.at)
        app.include_router(media.router(gate=gate, callers=callers, stores=stores))
        return app

    # -- Photos

    def hang(self, **more: Any) -> Photo:
        """A photo of Ann's in the community and in the album, with all that belongs to it."""
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

    # -- Addresses

    def url(self, viewer: Viewer, *, photo: Photo | None = None, size: str = "large") -> str:
        image_id = (photo or self.photo).image_id
        return f"/media/{image_id}/{size}?{sign_media(image_id, viewer, now=self.at, keyring=self.keyring)}"

    def original_url(self) -> str:
        return f"/api/photos/{self.photo.image_id}/original"


def served_gallery() -> Gallery:
    blobs = MemoryBlobs(keyring=RING)
    return Gallery(blobs=blobs, served=blobs)
