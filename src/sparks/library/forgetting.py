"""A photo that is deleted for good, forgotten everywhere: its rows and blobs, and what else may hold its id.

Those are the copies of the months that it was in, and the pages that show it: they come before its own row, so that
whoever is interrupted finds that row, and begins anew. The jobs about it come last, since the one that runs this may be
among them: until it is gone, it is run again.
"""

from collections.abc import Sequence
from dataclasses import replace

from sparks.blobs.port import Blobs
from sparks.jobs.port import Jobs
from sparks.library.erasure import begin_deletion, erase_photo
from sparks.library.live import announce, announce_people
from sparks.library.months import drop_months, months_told_by, settle_months
from sparks.library.photos import read_photo
from sparks.library.records import key_of
from sparks.model.errors import ConditionFailed
from sparks.model.keyring import Keyring
from sparks.model.photo import Photo, PhotoState, ProcessingStatus
from sparks.model.times import now
from sparks.table.port import Change, Check, Present, Table


def forget_photo(
    photo: Photo, *, also: Sequence[Change] = (), table: Table, blobs: Blobs, jobs: Jobs, keyring: Keyring
) -> None:
    """Nothing of it is left when this returns. It begins as `begin_deletion` does."""
    begin_deletion(photo, also=also, table=table)
    hidden = read_photo(key_of(photo), table=table)
    if hidden is not None:
        _leave_months(hidden, table, blobs, keyring)
        _announce(hidden, table, keyring)
        announce_people(erase_photo(hidden, table=table, blobs=blobs), at=now(), table=table)
    jobs.drop_about(photo.image_id)


def _leave_months(photo: Photo, table: Table, blobs: Blobs, keyring: Keyring) -> None:
    """Its own row tells a month too, should its links be gone already."""
    left = settle_months(photo.image_id, photo.owner, table=table, blobs=blobs, keyring=keyring)
    drop_months(months_told_by(photo) - left, blobs=blobs, keyring=keyring)


def _announce(photo: Photo, table: Table, keyring: Keyring) -> None:
    """While its row is there: once that is gone, another run has done so, and its owner may be gone too."""
    there = Check(key_of(photo), (Present(),))
    try:
        announce(_as_it_was(photo), None, at=now(), also=(there,), table=table, keyring=keyring)
    except ConditionFailed:
        return


def _as_it_was(photo: Photo) -> Photo:
    """Before it was hidden: nobody wrote that down, but only what was finished can have been shown."""
    finished = photo.processing_status is ProcessingStatus.COMPLETED
    return replace(photo, state=PhotoState.READY if finished else PhotoState.PENDING)
