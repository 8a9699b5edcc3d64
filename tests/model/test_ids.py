"""Ids: in the order of time, also when the clock is set back, and never the same twice."""

import subprocess
import sys
import threading
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparks.model import ids
from sparks.model.errors import BadInput
from sparks.model.face import Box
from sparks.model.times import now
from tests import strategies

MILLISECOND = 1_000_000  # nanoseconds
BOX = Box(0.1, 0.2, 0.3, 0.4)
UPLOADED = datetime(2019, 5, 4, 3, 2, 1, 987_000, tzinfo=UTC)


def test_an_image_id_is_a_uuid_of_version_7() -> None:
    parsed = uuid.UUID(ids.new_image_id())
    assert parsed.version == 7
    assert parsed.variant == uuid.RFC_4122


def test_an_image_id_holds_its_time() -> None:
    before = now()
    made = ids.time_of(ids.new_image_id())
    assert before <= made <= datetime.now(UTC) + timedelta(seconds=1)


def test_ids_ascend() -> None:
    made = [ids.new_image_id() for _ in range(20_000)]
    assert made == sorted(set(made))


def test_ids_ascend_within_a_millisecond() -> None:
    clock = ids.IdClock(lambda: 5 * MILLISECOND)
    made = [clock.next_id() for _ in range(10_000)]
    assert made == sorted(set(made))


def test_ids_ascend_when_the_clock_steps_back() -> None:
    readings: Iterator[int] = iter([9 * MILLISECOND, 2 * MILLISECOND, 2 * MILLISECOND, 10 * MILLISECOND])
    clock = ids.IdClock(lambda: next(readings))
    made = [clock.next_id() for _ in range(4)]
    assert made == sorted(set(made))
    assert [ids.time_of(made_id).microsecond for made_id in made] == [9000, 9000, 9000, 10_000]


def test_ids_of_two_processes_are_in_the_order_of_their_clocks_within_a_millisecond() -> None:
    one, other = ids.IdClock(lambda: 5 * MILLISECOND + 1000), ids.IdClock(lambda: 5 * MILLISECOND + 2000)
    assert one.next_id() < other.next_id()


def test_the_bits_are_where_the_standard_puts_them() -> None:
    clock = ids.IdClock(lambda: 0x0198653A6EBD * MILLISECOND + MILLISECOND // 2)
    made = clock.next_id()
    assert made.startswith("0198653a-6ebd-7800-")
    assert made[19] in "89ab"


def test_threads_get_different_ids_and_each_its_own_in_order() -> None:
    clock = ids.IdClock()
    made: list[list[str]] = [[] for _ in range(8)]
    threads = [threading.Thread(target=lambda own=own: own.extend(clock.next_id() for _ in range(500))) for own in made]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(own == sorted(own) for own in made)
    assert len(set().union(*made)) == 8 * 500


FORK = """
import os
from sparks.model import ids

ids.new_image_id()
ids._clock._lock.acquire()  # as another thread might, at the moment of the fork
reader, writer = os.pipe()
if os.fork() == 0:
    os.write(writer, "\\n".join(ids.new_image_id() for _ in range(1000)).encode())
    os._exit(0)
ids._clock._lock.release()
mine = {ids.new_image_id() for _ in range(1000)}
os.close(writer)
with os.fdopen(reader) as told:
    theirs = set(told.read().split())
os.wait()
print(len(mine), len(theirs), len(mine & theirs))
"""


def test_a_forked_process_repeats_no_id_and_waits_for_no_lock() -> None:
    done = subprocess.run([sys.executable, "-c", FORK], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["1000", "1000", "0"]


@given(strategies.times)
def test_an_id_made_for_a_time_holds_that_time(time: datetime) -> None:
    made = ids.image_id_at(time)
    assert ids.time_of(made) == time
    assert uuid.UUID(made).version == 7


@given(strategies.times, strategies.times)
def test_ids_made_for_times_sort_as_the_times_do(one: datetime, other: datetime) -> None:
    if one != other:
        assert (ids.image_id_at(one) < ids.image_id_at(other)) == (one < other)


@given(strategies.times, strategies.times)
def test_the_lowest_id_of_a_time_is_before_all_from_then_on(one: datetime, other: datetime) -> None:
    assert (ids.lowest_id_at(one) <= ids.image_id_at(other)) == (one <= other)


def test_two_ids_made_for_one_time_differ() -> None:
    assert len({ids.image_id_at(UPLOADED) for _ in range(1000)}) == 1000


def test_a_time_before_1970_is_refused() -> None:
    with pytest.raises(BadInput):
        ids.image_id_at(datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC))


def test_a_time_without_a_zone_is_refused() -> None:
    with pytest.raises(BadInput):
        ids.image_id_at(UPLOADED.replace(tzinfo=None))


@pytest.mark.parametrize(
    "text",
    [
        "02df423f-0d45-4d59-b987-2ade841d0fbf",  # of version 4
        "0198653a-6ebd-7f4e-c000-1f2e3d4c5b6a",  # of another variant
        "ffffffff-ffff-7fff-bfff-ffffffffffff",  # of a time that no calendar reaches
        "person1",
    ],
)
def test_an_id_without_a_time_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        ids.time_of(text)


def test_an_id_of_another_system_is_a_uuid_all_the_same() -> None:
    assert ids.checked_uuid("02df423f-0d45-4d59-b987-2ade841d0fbf")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "02df423f0d454d59b9872ade841d0fbf",
        "02DF423F-0D45-4D59-B987-2ADE841D0FBF",
        "{02df423f-0d45-4d59-b987-2ade841d0fbf}",
        "02df423f-0d45-4d59-b987-2ade841d0fbf\n",
        "02df423f-0d45-4d59-b987-2ade841d0fb",
        "02df423f-0d45-4d59-b987-2ade841d0fbg",
        "../f423f-0d45-4d59-b987-2ade841d0fbf",
    ],
)
def test_an_id_has_one_form(text: str) -> None:
    with pytest.raises(BadInput):
        ids.checked_uuid(text)


def test_a_face_found_again_has_the_same_id() -> None:
    photo = ids.image_id_at(UPLOADED)
    assert ids.face_id(photo, "sface-1", BOX) == ids.face_id(photo, "sface-1", Box(0.1, 0.2, 0.3, 0.4 + 1e-9))


def test_a_face_id_is_fixed_for_good() -> None:
    photo = "0198653a-6ebd-7f4e-8000-1f2e3d4c5b6a"
    assert ids.face_id(photo, "sface-1", BOX) == "0198653a-6ebd-766c-8d76-e443bc9d23aa"


def test_a_box_at_minus_zero_is_a_box_at_zero() -> None:
    photo = ids.new_image_id()
    assert ids.face_id(photo, "e", Box(-0.0, 0.2, 0.3, 0.4)) == ids.face_id(photo, "e", Box(0.0, 0.2, 0.3, 0.4))


def test_a_face_id_differs_by_photo_engine_and_box() -> None:
    photo = ids.image_id_at(UPLOADED)
    made = [
        ids.face_id(photo, "sface-1", BOX),
        ids.face_id(ids.image_id_at(UPLOADED), "sface-1", BOX),
        ids.face_id(photo, "sface-2", BOX),
        ids.face_id(photo, "sface-1", Box(0.1, 0.2, 0.3, 0.41)),
    ]
    assert len(set(made)) == 4


def test_a_face_id_is_of_the_photos_time_and_of_version_7() -> None:
    made = ids.face_id(ids.image_id_at(UPLOADED), "sface-1", BOX)
    assert ids.time_of(made) == UPLOADED
    assert uuid.UUID(made).version == 7


@given(st.integers(1, 10**12))
def test_a_person_id_ends_in_the_number(number: int) -> None:
    assert ids.person_id(number) == f"person{number}"


def test_persons_are_named_as_the_documents_do() -> None:
    assert ids.person_id(123) == "person123"


def test_there_is_no_person_0() -> None:
    with pytest.raises(BadInput):
        ids.person_id(0)


def test_a_random_id_is_plain_and_never_the_same() -> None:
    made = {ids.random_id() for _ in range(10_000)}
    assert len(made) == 10_000
    assert {len(made_id) for made_id in made} == {20}
    assert set().union(*made) == set("0123456789abcdefghjkmnpqrstvwxyz")
