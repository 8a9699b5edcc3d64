"""Links to an album, as its host makes, changes and revokes them."""

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Path

from sparks.api.albums import AlbumId
from sparks.api.gate import Gate, MemberCaller, Routes
from sparks.api.link_shapes import LinkAnswer, LinkChange, LinkList, NewLink, NewLinkAnswer, told_of_link
from sparks.api.qr import qr_of
from sparks.journey import Stores
from sparks.library.access import album_for, person_for
from sparks.library.audit import Deed, audit
from sparks.library.live import announce_albums
from sparks.library.sharing import NO_LINK, edit_link, find_link, links_of, make_link, revoke_link
from sparks.model.access import NOT_THERE, Action
from sparks.model.album import Album
from sparks.model.caller import Member
from sparks.model.errors import NotFound
from sparks.model.scope import scope_of_album
from sparks.model.share import ShareLink
from sparks.table.port import Put

LinkId = Annotated[str, Path(alias="linkId", max_length=200)]


class LinkRoutes:
    def __init__(self, *, gate: Gate, stores: Stores, public_url: str, hasten: Callable[[], None]) -> None:
        self._gate = gate
        self._hasten = hasten
        self._table = stores.table
        self._public_url = public_url

    def router(self) -> APIRouter:
        routes = Routes(self._gate, tag="links")
        links, manage = "/api/albums/{albumId}/links", Action.MANAGE_ALBUM
        one = f"{links}/{{linkId}}"
        routes.add("GET", links, manage, self.read_links, errors=(404,))
        routes.add("POST", links, manage, self.create_link, status=201, errors=(404,))
        routes.add("PATCH", one, manage, self.change_link, errors=(404,))
        routes.add("DELETE", one, manage, self.revoke_link, status=204, errors=(404,))
        return routes.router

    def read_links(self, who: MemberCaller, album_id: AlbumId) -> LinkList:
        """The links to an album, and how much they are used; not their secrets, which nobody can tell any more."""
        album, at = self._album(who, album_id), self._gate.now()
        found = links_of(album.album_id, table=self._table)
        return LinkList(links=[LinkAnswer(**told_of_link(link, at)) for link in found])

    def create_link(self, who: MemberCaller, album_id: AlbumId, wish: NewLink) -> NewLinkAnswer:
        """Make a link: whoever has it comes in as a guest. Send it on, or print the code: it is shown once."""
        album, at = self._album(who, album_id), self._gate.now()
        for person_id in wish.persons:
            self._check_person(who, album, person_id)
        note = audit(Deed.LINK_MADE, who=who.email, target=album.album_id, at=at)
        link, secret = make_link(album, wish.terms(), by=who.email, also=(note,), at=at, table=self._table)
        url = f"{self._public_url}/g#{secret.text}"
        return NewLinkAnswer(**told_of_link(link, at), secret=secret.text, url=url, qr=qr_of(url))

    def change_link(self, who: MemberCaller, album_id: AlbumId, link_id: LinkId, wish: LinkChange) -> LinkAnswer:
        """Change what a link allows. It holds for those who opened it before, too."""
        link, at = self._link(who, album_id, link_id), self._gate.now()
        changed = edit_link(link, wish.edit(), at=at, table=self._table)
        self._table.write(self._note(Deed.LINK_CHANGED, who, link))
        self._wake(link)
        return LinkAnswer(**told_of_link(changed, at))

    def revoke_link(self, who: MemberCaller, album_id: AlbumId, link_id: LinkId) -> None:
        """Revoke a link: all who came through it are out, at once. What they brought stays."""
        link = self._link(who, album_id, link_id)
        revoke_link(link, also=(self._note(Deed.LINK_REVOKED, who, link),), table=self._table)
        self._wake(link)

    def _wake(self, link: ShareLink) -> None:
        """The streams of its guests hear of it, and ask themselves again for whom they are."""
        announce_albums([link.album_id], at=self._gate.now(), table=self._table)
        self._hasten()

    def _note(self, deed: Deed, who: Member, link: ShareLink) -> Put:
        return audit(deed, who=who.email, target=link.album_id, link=link.link_id, at=self._gate.now())

    def _album(self, who: Member, album_id: str) -> Album:
        return album_for(who, Action.MANAGE_ALBUM, album_id, at=self._gate.now(), table=self._table).album

    def _link(self, who: Member, album_id: str, link_id: str) -> ShareLink:
        album = self._album(who, album_id)
        link = find_link(link_id, table=self._table)
        if link is None or link.album_id != album.album_id:
            raise NotFound(NO_LINK)
        return link

    def _check_person(self, who: Member, album: Album, person_id: str) -> None:
        """NotFound unless they are to be seen in this album."""
        seen = person_for(who, Action.SEE_PERSONS, person_id, at=self._gate.now(), table=self._table)
        if scope_of_album(album.album_id) not in seen.scopes:
            raise NotFound(NOT_THERE.format("person"))
