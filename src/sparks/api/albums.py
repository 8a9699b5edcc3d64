"""Albums: making and changing them, who is a member, and their end."""

from collections.abc import Callable
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Path, Request, Response
from pydantic import Field, StrictBool

from sparks import logs
from sparks.api.album_answers import AlbumAnswer, AlbumAnswers, AlbumList, MemberAnswer, MemberList
from sparks.api.encoded import LOOKED_AT, encoded_answer
from sparks.api.gate import Caller, Gate, MemberCaller, Routes
from sparks.api.lists import Cursor, Limit, page_of
from sparks.api.shapes import Wish, Words
from sparks.api.users import EmailPath
from sparks.journey import Journey, Stores
from sparks.library.access import album_for, photo_for, user_for
from sparks.library.albums import (
    AlbumEdit,
    JoinedAlbum,
    albums_joined_by,
    begin_album_deletion,
    choose_cover,
    drop_member,
    edit_album,
    make_album,
    members_of,
    set_member,
    switch_faces_in,
    tell_member,
)
from sparks.library.albums.members import NO_MEMBER
from sparks.library.audit import Deed, audit
from sparks.library.consent import FACES, consented, subject_of_album
from sparks.library.live import announce_albums
from sparks.library.photos import KEPT
from sparks.model.access import Action
from sparks.model.account import account_email
from sparks.model.album import Album, AlbumOrder, AlbumRole
from sparks.model.caller import Member, Who
from sparks.model.errors import BadInput, NotFound
from sparks.model.events import AlbumDeleting, Event, LibraryUnindexed, MemberLeft
from sparks.model.ids import new_album_id
from sparks.table.port import Change

NET: Final = 60  # seconds, as in `changes`

AlbumId = Annotated[str, Path(alias="albumId", max_length=200)]
ImageIdText = Annotated[str, Field(max_length=100)]


class NewAlbum(Wish):
    title: Words
    description: Words | None = None
    order: AlbumOrder = AlbumOrder.TAKEN
    finds_faces: StrictBool = Field(default=True, description="Look for faces in photos that come into it.")


class AlbumChange(Wish):
    """What is not named stays as it is; an empty description clears. `findsFaces` is for the owner alone, and is about
    what comes from now on.
    """

    title: Words | None = None
    description: Words | None = None
    order: AlbumOrder | None = None
    cover_image_id: ImageIdText | None = None
    finds_faces: StrictBool | None = None

    def edit(self) -> AlbumEdit:
        asked: dict[str, Any] = {"description": self.description} if "description" in self.model_fields_set else {}
        return AlbumEdit(title=KEPT if self.title is None else self.title, order=self.order or KEPT, **asked)


class NewMember(Wish):
    role: Literal[AlbumRole.EDITOR, AlbumRole.CONTRIBUTOR, AlbumRole.VIEWER]


class AlbumRoutes:
    def __init__(self, *, gate: Gate, stores: Stores, journey: Journey, hasten: Callable[[], None]) -> None:
        """`hasten`: what was announced is told at once."""
        self._gate = gate
        self._hasten = hasten
        self._table = stores.table
        self._stores = stores
        self._journey = journey

    def router(self) -> APIRouter:
        routes = Routes(self._gate, tag="albums")
        albums, one, members = "/api/albums", "/api/albums/{albumId}", "/api/albums/{albumId}/members"
        see, edit, manage = Action.SEE_ALBUM, Action.EDIT_ALBUM, Action.MANAGE_ALBUM
        routes.look(albums, Action.LIST_ALBUMS, self.read_albums, response_model=AlbumList, responses=LOOKED_AT)
        routes.add("POST", albums, Action.MAKE_ALBUM, self.create_album, status=201, errors=(404,))
        routes.add("GET", one, see, self.read_album, errors=(404,))
        routes.add("PATCH", one, edit, self.change_album, errors=(404, 409))
        routes.add("DELETE", one, manage, self.delete_album, status=204, errors=(404,))
        routes.add("GET", members, Action.SEE_MEMBERS, self.read_members, errors=(404,))
        routes.add("PUT", f"{members}/{{email}}", manage, self.set_member, errors=(404, 409))
        leave = f"{members}/{{email}}", Action.LEAVE_ALBUM, self.remove_member
        routes.add("DELETE", *leave, status=204, errors=(404, 409))
        return routes.router

    # -- Albums

    def read_albums(self, request: Request, who: MemberCaller, limit: Limit = 100, cursor: Cursor = None) -> Response:
        """The albums that you are a member of, your own among them: the last made first."""
        found, after = page_of(
            lambda most, behind: albums_joined_by(who.email, limit=most, after=behind, table=self._table),
            query="albums",
            who=who,
            limit=limit,
            cursor=cursor,
            keyring=self._stores.keyring,
        )
        told = AlbumList(albums=self._answers(who).page(found), last_evaluated_key=after)
        return encoded_answer(request, told)

    def create_album(self, who: MemberCaller, wish: NewAlbum) -> AlbumAnswer:
        """Make an album, which is yours."""
        at, album_id = self._gate.now(), new_album_id()
        album = make_album(
            who.user,
            wish.title,
            description=wish.description,
            order=wish.order,
            finds_faces=wish.finds_faces,
            also=() if wish.finds_faces else self._said(who, album_id, allowed=False),
            album_id=album_id,
            at=at,
            table=self._table,
        )
        return self._answers(who).one(JoinedAlbum(album, AlbumRole.OWNER))

    def read_album(self, who: Caller, album_id: AlbumId) -> AlbumAnswer:
        """One album."""
        return self._answers(who).one(self._album(who, Action.SEE_ALBUM, album_id))

    def change_album(self, who: MemberCaller, album_id: AlbumId, wish: AlbumChange) -> AlbumAnswer:
        """Change its words, its order, its cover, or whether faces are looked for."""
        joined = self._album(who, Action.EDIT_ALBUM, album_id)
        if wish.finds_faces is not None:
            self._album(who, Action.MANAGE_ALBUM, album_id)
        at, album = self._gate.now(), joined.album
        cover = None
        if wish.cover_image_id is not None:
            cover = photo_for(who, Action.MARK_PHOTO, wish.cover_image_id, at=at, table=self._table)
        album = edit_album(album, wish.edit(), at=at, table=self._table)
        if cover is not None:
            album = choose_cover(album, cover, at=at, table=self._table)
        if wish.finds_faces is not None and wish.finds_faces is not album.finds_faces:
            album = self._switch_faces(who, album, allowed=wish.finds_faces)
        announce_albums([album.album_id], at=at, table=self._table)
        return self._answers(who).one(JoinedAlbum(album, joined.role))

    def delete_album(self, who: MemberCaller, album_id: AlbumId) -> None:
        """Delete an album. Its photos stay with their owners; who sees them only because of it does so no more."""
        album = self._album(who, Action.MANAGE_ALBUM, album_id).album
        begin_album_deletion(album, at=self._gate.now(), table=self._table)
        self._hasten()
        self._send(AlbumDeleting(album.album_id))

    # -- Members

    def read_members(self, who: MemberCaller, album_id: AlbumId) -> MemberList:
        """Who is a member, and as what."""
        album = self._album(who, Action.SEE_MEMBERS, album_id).album
        return self._answers(who).members(members_of(album.album_id, table=self._table))

    def set_member(self, who: MemberCaller, album_id: AlbumId, email: EmailPath, wish: NewMember) -> MemberAnswer:
        """Make somebody a member, or give them another role. An editor adds and changes, a contributor adds and removes
        their own photos, a viewer looks.
        """
        album = self._album(who, Action.MANAGE_ALBUM, album_id).album
        user = user_for(who, Action.MANAGE_ALBUM, email, at=self._gate.now(), table=self._table)
        member = set_member(album, user, wish.role, at=self._gate.now(), table=self._table)
        tell_member(album.album_id, user.email, at=self._gate.now(), table=self._table)
        announce_albums([album.album_id], at=self._gate.now(), table=self._table)
        return self._answers(who).members([member]).members[0]

    def remove_member(self, who: MemberCaller, album_id: AlbumId, email: EmailPath) -> None:
        """Remove a member, or leave an album. The photos that they put there, and what they said, leave with them."""
        address = _address(email)
        action = Action.LEAVE_ALBUM if address == who.email else Action.MANAGE_ALBUM
        album, at = self._album(who, action, album_id).album, self._gate.now()
        if address is None:
            raise NotFound(NO_MEMBER)
        left = MemberLeft(album.album_id, address)
        self._send(left, delay=NET)  # should Sparks be killed right after they are gone
        drop_member(album, address, table=self._table)
        self._send(left)
        tell_member(album.album_id, address, at=at, table=self._table)
        announce_albums([album.album_id], at=at, table=self._table)

    # -- Faces

    def _switch_faces(self, who: Member, album: Album, *, allowed: bool) -> Album:
        also = self._said(who, album.album_id, allowed=allowed)
        switched = switch_faces_in(album, allowed, also=also, at=self._gate.now(), table=self._table)
        if allowed:
            self._send(LibraryUnindexed())
        return switched

    def _said(self, who: Member, album_id: str, *, allowed: bool) -> tuple[Change, ...]:
        subject, at = subject_of_album(album_id), self._gate.now()
        note = audit(Deed.FACES_SWITCHED, who=who.email, target=subject, at=at, allowed=allowed)
        return consented(subject, FACES, allowed=allowed, who=who.email, at=at), note

    def _album(self, who: Who, action: Action, album_id: str) -> JoinedAlbum:
        return album_for(who, action, album_id, at=self._gate.now(), table=self._table)

    def _answers(self, who: Who) -> AlbumAnswers:
        return AlbumAnswers(who, at=self._gate.now(), table=self._table, keyring=self._stores.keyring)

    def _send(self, event: Event, *, delay: float = 0) -> None:
        self._journey.send_after(event, jobs=self._stores.jobs, request_id=logs.REQUEST_ID.get(), delay=delay)


def _address(email: str) -> str | None:
    """None where it has not the form of one."""
    try:
        return account_email(email)
    except BadInput:
        return None
