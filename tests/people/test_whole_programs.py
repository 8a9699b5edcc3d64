"""Random actions on a library: photos come and are deleted, people decide and undo, and all jobs that make persons run
in any order, twice, and with power failures.

The invariants of `tests.library.people.test_people_programs` hold here too. After each rebuild, decisions and names
stand, and no face has a person from whom it was rejected.
"""

from collections.abc import Callable
from contextlib import closing, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import rule, run_state_machine_as_test

from sparks.library.people.face_rows import store_face
from sparks.library.people.redirects import resolve_person
from sparks.library.photos.photo_rows import find_photo
from sparks.model.errors import Unavailable
from sparks.model.events import FacesFound
from sparks.model.face import Face
from sparks.people.assign_faces import place_faces
from sparks.people.group_new_faces import regroup_faces
from sparks.people.rebuild import rebuild_all
from sparks.sqlitefile import SqliteFile
from sparks.table.port import Table
from sparks.table.sqlite import SqliteTable
from tests.account_makers import stored_keys
from tests.factories import a_face
from tests.library.people.rows import a_box, check_counts
from tests.library.people.test_people_programs import PHOTOS, PLACES, People
from tests.people.face_library import ENGINE, FaceLibrary, embedded
from tests.people.power_failure import Power, PoweredBlobs, PoweredTable

Job = Callable[[FaceLibrary, Table], object]

image_ids = st.sampled_from(list(PHOTOS))
NEAR_DUPLICATES: Final = 2  # so many of the photos show the same moment


def place(image_id: str) -> Job:
    def run(library: FaceLibrary, table: Table) -> object:
        event = FacesFound(image_id, PHOTOS[image_id])
        return place_faces(event, table=table, index=library.index, pipeline=library.pipeline)

    return run


def regroup(library: FaceLibrary, table: Table) -> object:
    return regroup_faces(table=table, index=library.index, pipeline=library.pipeline, at=library.now(), max_faces=4)


def rebuild(library: FaceLibrary, table: Table) -> object:
    return rebuild_all(
        table=table, blobs=library.blobs, index=library.index, pipeline=library.pipeline, at=library.now()
    )


class Whole(People):
    """A library whose photos show every person, each time at another place."""

    def __init__(self) -> None:
        super().__init__()
        self.power = Power()
        self.library = FaceLibrary(self.table)
        self.library.blobs = PoweredBlobs(self.power)

    def find(self, image_id: str, place: int, quality: float) -> Face:
        photo = find_photo(image_id, table=self.table)
        assert photo is not None
        number = list(PHOTOS).index(image_id)
        who, moment = (number + place) % PLACES, max(number, NEAR_DUPLICATES - 1)
        face = a_face(
            photo,
            a_box(place),
            engine=ENGINE,
            quality=quality,
            embedding=embedded(who, moment),
            indexed_at=self.now(),
        )
        return store_face(face, at=self.now(), table=self.table)

    @rule(data=st.data(), image_id=image_ids, cut=st.sampled_from([None, None, 3, 9, 20, 40]))
    def work(self, data: st.DataObject, image_id: str, cut: int | None) -> None:
        """A job runs, perhaps until the power is out, and perhaps once more."""
        job = data.draw(st.sampled_from([place(image_id), regroup, regroup, rebuild, rebuild]))
        times = data.draw(st.integers(1, 2))
        self.power.left = cut
        with suppress(Unavailable):
            for _ in range(times):
                self._run(job, PoweredTable(self.table, self.power))
        self.power.left = None

    @rule()
    def rebuild_and_rest(self) -> None:
        """Nothing that people said is undone by it, and once more changes nothing. The first run may go on with the
        plan of another day.
        """
        self.rest()
        names = self._names()
        self._run(rebuild, self.table)
        self._run(rebuild, self.table)
        self.rest()
        assert self._names() == names
        persons = self.library.whose()
        self._run(rebuild, self.table)
        assert self.library.whose() == persons

    def _run(self, job: Job, table: Table) -> None:
        self.clock += timedelta(minutes=2)  # a lease of the dead is over
        self.library.clock = self.now()
        job(self.library, table)
        check_counts(self.items())

    def _names(self) -> dict[str, str]:
        named = (person for person in self.persons() if person.is_named)
        return {person.person_id: person.display_name for person in named}

    def rest(self) -> None:
        super().rest()
        persons = {person.person_id: person for person in self.persons()}
        for person in persons.values():
            end = resolve_person(person.person_id, table=self.table)
            assert end not in persons or persons[end].canonical_person_id is None

    def teardown(self) -> None:
        """Once all photos are deleted, no merge suggestion and no plan is left."""
        self.rest()
        for image_id in PHOTOS:
            self.erase(image_id)
        self._run(rebuild, self.table)
        assert stored_keys(self.library.blobs) == []
        super().teardown()


def run(machine: type[Whole], *, examples: int, **more: Any) -> None:
    run_state_machine_as_test(machine, settings=settings(max_examples=examples, stateful_step_count=15, **more))


def test_decisions_hold_under_random_actions() -> None:
    run(Whole, examples=12, derandomize=True, database=None)


def test_decisions_hold_under_random_actions_on_sqlite(tmp_path: Path) -> None:
    with closing(SqliteFile(tmp_path / "sparks.db")) as file:

        class OnSqlite(Whole):
            open_table = lambda: SqliteTable(file)  # noqa: E731  emptied by each program's end

        run(OnSqlite, examples=2, derandomize=True, database=None)


@pytest.mark.long
def test_decisions_hold_under_many_random_actions() -> None:
    run(Whole, examples=1000)
