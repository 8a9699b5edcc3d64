"""The log of faces, read over the end of a day and from a while back."""

from datetime import UTC, datetime, timedelta

from sparks.library.face_log import days_between, entries_between, faces_by_id
from sparks.library.records import to_item
from sparks.model.face import Box, Face, FaceById, FaceLogEntry
from sparks.table.port import Put, Table
from tests.factories import a_face, a_photo

NIGHT = datetime(2025, 7, 31, 23, 59, 59, tzinfo=UTC)


def came(face_id: str, at: datetime) -> Put:
    return Put(to_item(FaceLogEntry(indexed_at=at, face_id=face_id)))


def there(face: Face) -> list[Put]:
    by_id = FaceById(face_id=face.face_id, image_id=face.image_id, owner=face.owner)
    return [Put(to_item(face)), Put(to_item(by_id))]


def test_entries_come_in_order_over_the_end_of_a_day(table: Table) -> None:
    for number in range(5):
        table.write(came(f"f{number}", NIGHT + timedelta(seconds=number)))
    found = entries_between(NIGHT + timedelta(seconds=1), NIGHT + timedelta(seconds=3), table=table)
    assert [entry.face_id for entry in found] == ["f1", "f2", "f3"]


def test_days_in_between_are_not_left_out() -> None:
    assert list(days_between(NIGHT, NIGHT + timedelta(hours=25))) == ["2025-07-31", "2025-08-01", "2025-08-02"]
    assert list(days_between(NIGHT, NIGHT)) == ["2025-07-31"]
    assert list(days_between(NIGHT, NIGHT - timedelta(days=1))) == []


def test_faces_are_read_as_they_are_now(table: Table) -> None:
    photo = a_photo()
    faces = [a_face(photo, Box(left, 0.1, 0.1, 0.1)) for left in (0.1, 0.5)]
    for face in faces:
        table.write(*there(face))
    asked = [face.face_id for face in faces]
    assert faces_by_id([*asked, "nobody"], table=table) == {face.face_id: face for face in faces}
    assert faces_by_id([], table=table) == {}
