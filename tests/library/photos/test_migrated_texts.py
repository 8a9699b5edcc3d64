"""Texts of migrated photos: as the other service had them, whatever their files say."""

from dataclasses import replace

from sparks.library.photos.processing_state import finish_processing
from sparks.model.photo import EmbeddedMetadata, Location, PhotoState, ProcessingStatus
from sparks.table.port import Table
from tests.factories import NOON
from tests.library.photos.photo_makers import MADE, kept

FROM_FILE = EmbeddedMetadata(
    title="File", description="Words", keywords=("key",), taken_at=NOON, location=Location(latitude=1, longitude=2)
)


def test_a_migrated_photo_gets_its_time_and_place_from_the_file_but_no_texts(table: Table) -> None:
    made = replace(MADE, metadata=FROM_FILE)
    pending = {"state": PhotoState.PENDING, "processing_status": ProcessingStatus.PENDING}
    migrated, uploaded = (
        finish_processing(kept(table, source_id=source_id, **pending), made, at=NOON, table=table)
        for source_id in ("old", None)
    )
    assert (migrated.title, migrated.description, migrated.tags) == (None, None, ())
    assert (migrated.taken_at, migrated.location) == (NOON, FROM_FILE.location)
    assert (uploaded.title, uploaded.description, uploaded.tags) == ("File", "Words", ("key",))
