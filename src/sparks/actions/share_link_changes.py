"""Actions of a host on the share links of an album: create, change and revoke."""

from collections.abc import Callable, Sequence
from datetime import datetime

from sparks.library.audit import AuditAction, audit_row
from sparks.library.authorized_reads import album_for, person_for
from sparks.library.live_events import announce_albums
from sparks.library.sharing.share_links import (
    NO_LINK,
    LinkEdit,
    NewLinkSettings,
    create_link,
    edit_link,
    find_link,
    revoke_link,
)
from sparks.model.access import NOT_THERE, Action
from sparks.model.album import Album
from sparks.model.caller import Member
from sparks.model.errors import NotFound
from sparks.model.scope import scope_of_album
from sparks.model.secret import Secret
from sparks.model.share import ShareLink
from sparks.table.port import Put, Table


class ShareLinkChanges:
    """Each raises NotFound for an album that the caller does not see, and NotAllowed unless they own it."""

    def __init__(self, *, table: Table, wake: Callable[[], None], clock: Callable[[], datetime]) -> None:
        """`wake` sends the live events that were written to open pages at once."""
        self._table = table
        self._wake = wake
        self._now = clock

    def create(self, caller: Member, album_id: str, settings: NewLinkSettings) -> tuple[ShareLink, Secret]:
        """NotFound for a person whom the album does not show."""
        album, at = self._album(caller, album_id), self._now()
        self._check_persons(caller, album, settings.persons)
        audited = audit_row(AuditAction.LINK_MADE, who=caller.email, target=album.album_id, at=at)
        return create_link(album, settings, by=caller.email, also=(audited,), at=at, table=self._table)

    def change(self, caller: Member, album_id: str, link_id: str, edit: LinkEdit) -> ShareLink:
        """The changed link; the change holds for guests who opened it before, too."""
        link = self._link(caller, album_id, link_id)
        changed = edit_link(link, edit, at=self._now(), table=self._table)
        self._table.write(self._audit_row(AuditAction.LINK_CHANGED, caller, link))
        self._refresh_streams(link)
        return changed

    def revoke(self, caller: Member, album_id: str, link_id: str) -> None:
        """Ends the sessions of all guests of the link; their uploads stay."""
        link = self._link(caller, album_id, link_id)
        revoke_link(link, also=(self._audit_row(AuditAction.LINK_REVOKED, caller, link),), table=self._table)
        self._refresh_streams(link)

    def _refresh_streams(self, link: ShareLink) -> None:
        """Makes the event streams of the link's guests check again what they may see."""
        announce_albums([link.album_id], at=self._now(), table=self._table)
        self._wake()

    def _audit_row(self, action: AuditAction, caller: Member, link: ShareLink) -> Put:
        return audit_row(action, who=caller.email, target=link.album_id, link=link.link_id, at=self._now())

    def _album(self, caller: Member, album_id: str) -> Album:
        return album_for(caller, Action.MANAGE_ALBUM, album_id, at=self._now(), table=self._table).album

    def _link(self, caller: Member, album_id: str, link_id: str) -> ShareLink:
        album = self._album(caller, album_id)
        link = find_link(link_id, table=self._table)
        if link is None or link.album_id != album.album_id:
            raise NotFound(NO_LINK)
        return link

    def _check_persons(self, caller: Member, album: Album, person_ids: Sequence[str]) -> None:
        for person_id in person_ids:
            person = person_for(caller, Action.SEE_PERSONS, person_id, at=self._now(), table=self._table)
            if scope_of_album(album.album_id) not in person.scopes:
                raise NotFound(NOT_THERE.format("person"))
