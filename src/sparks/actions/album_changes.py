"""Actions that create, change and delete albums, and change their members."""

from collections.abc import Callable
from datetime import datetime

from sparks.actions.outbox import Outbox
from sparks.library.albums.album_deletion import announce_membership, begin_album_deletion
from sparks.library.albums.album_details import AlbumEdit, choose_cover, create_album, edit_album, switch_faces_in
from sparks.library.albums.album_lookup import AlbumWithRole
from sparks.library.albums.members import NO_MEMBER, remove_member, set_member
from sparks.library.audit import AuditAction, audit_row
from sparks.library.authorized_reads import album_for, photo_for, user_for
from sparks.library.consent import FACES, consent_entry, subject_of_album
from sparks.library.live_events import announce_albums
from sparks.model.access import Action, action_to_remove_member
from sparks.model.account import account_email
from sparks.model.album import Album, AlbumMember, AlbumOrder, AlbumRole
from sparks.model.caller import Caller, Member
from sparks.model.errors import BadInput, NotFound
from sparks.model.events import AlbumDeletionBegun, FaceIndexingDue, MemberLeft
from sparks.model.ids import new_album_id
from sparks.table.port import Change, Table


class AlbumChanges:
    """Each raises NotFound for an album that the caller does not see, and NotAllowed where their role is too low."""

    def __init__(
        self, *, table: Table, outbox: Outbox, wake: Callable[[], None], clock: Callable[[], datetime]
    ) -> None:
        """`wake` sends the live events that were written to open pages at once."""
        self._table = table
        self._outbox = outbox
        self._wake = wake
        self._now = clock

    def create(
        self, caller: Member, title: str, *, description: str | None, order: AlbumOrder, finds_faces: bool
    ) -> AlbumWithRole:
        album_id = new_album_id()
        album = create_album(
            caller.user,
            title,
            description=description,
            order=order,
            finds_faces=finds_faces,
            also=() if finds_faces else self._consent(caller, album_id, allowed=False),
            album_id=album_id,
            at=self._now(),
            table=self._table,
        )
        return AlbumWithRole(album, AlbumRole.OWNER)

    def change(
        self, caller: Member, album_id: str, edit: AlbumEdit, *, cover_image_id: str | None, finds_faces: bool | None
    ) -> AlbumWithRole:
        """Editors change the album; only its owner changes `finds_faces`. None leaves a value as it is."""
        joined = self._album(caller, Action.EDIT_ALBUM, album_id)
        if finds_faces is not None:
            self._album(caller, Action.MANAGE_ALBUM, album_id)
        at, album = self._now(), joined.album
        cover = None
        if cover_image_id is not None:
            cover = photo_for(caller, Action.MARK_PHOTO, cover_image_id, at=at, table=self._table)
        album = edit_album(album, edit, at=at, table=self._table)
        if cover is not None:
            album = choose_cover(album, cover, at=at, table=self._table)
        if finds_faces is not None and finds_faces is not album.finds_faces:
            album = self._switch_faces(caller, album, allowed=finds_faces)
        announce_albums([album.album_id], at=at, table=self._table)
        return AlbumWithRole(album, joined.role)

    def delete(self, caller: Member, album_id: str) -> None:
        """Ends the album for its members and guests. Its rows are deleted by a job; an interrupted deletion is found by
        the album's row.
        """
        album = self._album(caller, Action.MANAGE_ALBUM, album_id).album
        begin_album_deletion(album, at=self._now(), table=self._table)
        self._wake()
        self._outbox.send(AlbumDeletionBegun(album.album_id))

    def set_member(self, caller: Member, album_id: str, email: str, role: AlbumRole) -> AlbumMember:
        """Makes a user a member, or changes a member's role."""
        album, at = self._album(caller, Action.MANAGE_ALBUM, album_id).album, self._now()
        user = user_for(caller, Action.MANAGE_ALBUM, email, at=at, table=self._table)
        member = set_member(album, user, role, at=at, table=self._table)
        self._announce_member(album, user.email)
        return member

    def remove_member(self, caller: Member, album_id: str, email: str) -> None:
        """Removes a member, who may be the caller. Their photos and comments leave the album in a job."""
        address = _address(email)
        album = self._album(caller, action_to_remove_member(caller, address), album_id).album
        if address is None:
            raise NotFound(NO_MEMBER)
        left = MemberLeft(album.album_id, address)
        self._outbox.send_around(left, lambda: remove_member(album, address, table=self._table))
        self._announce_member(album, address)

    def _switch_faces(self, caller: Member, album: Album, *, allowed: bool) -> Album:
        consent = self._consent(caller, album.album_id, allowed=allowed)
        switched = switch_faces_in(album, allowed, also=consent, at=self._now(), table=self._table)
        if allowed:
            self._outbox.send(FaceIndexingDue())
        return switched

    def _consent(self, caller: Member, album_id: str, *, allowed: bool) -> tuple[Change, ...]:
        """The rows that record who allowed or forbade faces in the album."""
        subject, at = subject_of_album(album_id), self._now()
        audited = audit_row(AuditAction.FACES_SWITCHED, who=caller.email, target=subject, at=at, allowed=allowed)
        return consent_entry(subject, FACES, allowed=allowed, who=caller.email, at=at), audited

    def _announce_member(self, album: Album, email: str) -> None:
        announce_membership(album.album_id, email, at=self._now(), table=self._table)
        announce_albums([album.album_id], at=self._now(), table=self._table)

    def _album(self, caller: Caller, action: Action, album_id: str) -> AlbumWithRole:
        return album_for(caller, action, album_id, at=self._now(), table=self._table)


def _address(email: str) -> str | None:
    """None for a text that is no e-mail address."""
    try:
        return account_email(email)
    except BadInput:
        return None
