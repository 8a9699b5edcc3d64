"""Opening a link: what a page has to know before, and the session of a guest.

The secret is sent in a body, and never in an address: addresses are logged, by Sparks and by what stands before it.
"""

from base64 import b64encode
from typing import Any

from fastapi import APIRouter, Request, Response
from pydantic import Field

from sparks.api.document import NEW_SESSION
from sparks.api.gate import Gate, Routes
from sparks.api.guest_answers import GuestAnswer, guest_answer
from sparks.api.shapes import Answer, NewPassword, SecretText, Time, UserName, Wish
from sparks.auth.links import find_opened, open_link
from sparks.feed.album_pages import is_in
from sparks.journey import Stores
from sparks.library import keys
from sparks.library.accounts import find_user
from sparks.library.photos import read_photo
from sparks.model.access import Action
from sparks.model.album import Album
from sparks.model.share import LinkPermission, ShareLink
from sparks.model.times import has_passed


class LookedAt(Wish):
    secret: SecretText


class Opening(LookedAt):
    """With a password or a name, where the link asks for one."""

    password: NewPassword | None = None
    name: UserName | None = None


class FirstLook(Answer):
    """The photo that shows the album, as a blur: who is not in yet is given no address."""

    thumbhash: str = Field(description="In base64.")
    aspect_ratio: float | None = None


class ClosedLink(Answer):
    """What is told of a link before it is opened. With a password, that is little."""

    title: str
    asks_password: bool
    asks_name: bool
    host: str | None = Field(default=None, description="What the album's owner is called.")
    allow: list[LinkPermission] | None = None
    reveal_at: Time | None = None
    expires_at: Time | None = None
    cover: FirstLook | None = None


class OpenedLink(GuestAnswer):
    """`token` is for programs, as `Authorization: Bearer`; a browser has it as a cookie. Whoever was here before, and
    shows theirs, stays who they are.
    """

    token: str


class OpeningRoutes:
    def __init__(self, *, gate: Gate, stores: Stores) -> None:
        self._gate = gate
        self._table = stores.table

    def router(self) -> APIRouter:
        routes = Routes(self._gate, tag="guests")
        routes.add("POST", "/api/links/look", Action.VISIT, self.look_at_link, errors=(404,))
        opened: dict[str, Any] = {"errors": (401, 403, 404, 429), "responses": {200: NEW_SESSION}}
        routes.add("POST", "/api/links/open", Action.VISIT, self.open_link, **opened)
        return routes.router

    def look_at_link(self, wish: LookedAt) -> ClosedLink:
        """What to ask for before a link is opened."""
        at = self._gate.now()
        link, album = find_opened(wish.secret, at=at, table=self._table)
        closed = ClosedLink(title=album.title, asks_password=link.password_hash is not None, asks_name=link.ask_name)
        if closed.asks_password:
            return closed
        owner = find_user(album.owner, table=self._table)
        return closed.model_copy(
            update={
                "host": None if owner is None else owner.username,
                "allow": sorted(link.allow),
                "reveal_at": link.reveal_at,
                "expires_at": link.expires_at,
                "cover": self._cover(link, album),
            }
        )

    def open_link(self, wish: Opening, request: Request, response: Response) -> OpenedLink:
        """Come in as a guest. The answer sets a cookie, which stands beside that of a session."""
        self._gate.cookies.check(request)
        self._gate.check_origin(request)
        at = self._gate.now()
        link, album = find_opened(wish.secret, at=at, table=self._table)
        caller, token = open_link(
            link,
            password=None if wish.password is None else wish.password.get_secret_value(),
            name=wish.name,
            known=self._gate.known_guest(request),
            rates=self._gate.rates,
            at=at,
            table=self._table,
        )
        self._gate.cookies.give_guest(response, token)
        return OpenedLink(**guest_answer(caller, album).model_dump(), token=token)

    def _cover(self, link: ShareLink, album: Album) -> FirstLook | None:
        """Only of what the link shows to anybody who opens it."""
        at = self._gate.now()
        seen = LinkPermission.VIEW in link.allow and not link.persons and link.is_revealed(at)
        if not seen or album.cover_image_id is None or album.cover_owner is None:
            return None
        photo = read_photo(keys.photo(album.cover_image_id, album.cover_owner), table=self._table)
        if photo is None or photo.thumbhash is None or not is_in(album, photo) or has_passed(photo.expires_at, at=at):
            return None
        return FirstLook(thumbhash=b64encode(photo.thumbhash).decode(), aspect_ratio=photo.aspect_ratio)
