"""The film behind a motion photo is found where it is, and nowhere else."""

import io
import struct
from pathlib import Path

import av
import pytest

from sparks.media import kinds
from sparks.media.kinds import Kind
from sparks.media.motion.film import MOST_SECONDS
from sparks.media.motion.find import find_motion
from sparks.media.motion.part import opened_part
from sparks.media.studio import Studio
from sparks.model.errors import Damaged
from tests.media.build import box
from tests.media.clips import film
from tests.media.motions import (
    behind,
    directory,
    item,
    item_in_elements,
    micro_video,
    motion_photo,
    packet,
    samsung_photo,
    still,
)
from tests.media.samples import sample
from tests.media.test_studio import opened, show

LENGTH = len(behind())
HEIC_SAMPLE = "formats/motion-samsung.heic"


def found(content: bytes, kind: Kind = kinds.JPEG) -> bytes | None:
    """The film, as its bytes."""
    motion = find_motion(content, kind)
    return None if motion is None else content[motion.start : motion.start + motion.length]


@pytest.mark.parametrize(
    "content",
    [
        motion_photo(),
        motion_photo(told=micro_video(LENGTH)),
        motion_photo(told=directory(item_in_elements("Primary", 0), item_in_elements("MotionPhoto", LENGTH))),
        motion_photo(told=directory(item("MotionPhoto", LENGTH), item("GainMap", 40, 10)), after=bytes(50)),
        motion_photo(told=directory(item("Primary", 0), item("MotionPhoto", LENGTH, 24)), after=bytes(24)),
        motion_photo(after=b"what some phones write behind it"),
        samsung_photo(),
    ],
    ids=["directory", "micro video", "elements", "not the last item", "padding", "a trailer", "samsung's trailer"],
)
def test_a_film_is_found_in_all_the_ways_that_phones_tell_of_it(content: bytes) -> None:
    assert found(content) == behind()


def test_a_film_in_a_box_behind_a_heic_is_found() -> None:
    content = sample(HEIC_SAMPLE)
    motion = find_motion(content, kinds.HEIC)
    assert motion is not None
    assert (motion.start, motion.length, motion.seconds) == (452284, 3226469, 3.13)
    assert content[motion.start + 4 : motion.start + 8] == b"ftyp"


def test_a_film_is_told_with_its_length() -> None:
    motion = find_motion(motion_photo(behind(2.0)), kinds.JPEG)
    assert motion is not None
    assert motion.seconds == pytest.approx(2.0, abs=0.05)


@pytest.mark.parametrize("offset", [0, 1, LENGTH - 1, LENGTH + 1, 10**9, -LENGTH, "many", "9" * 400, "٣"])
def test_an_offset_that_lies_makes_a_still(offset: object) -> None:
    told = directory(item("Primary", 0), item("MotionPhoto", offset))
    assert found(motion_photo(told=told)) is None
    assert found(motion_photo(told=packet(f'GCamera:MicroVideoOffset="{offset}"'))) is None


def test_an_offset_that_lies_beside_one_that_does_not_does_no_harm() -> None:
    told = directory(item("MotionPhoto", LENGTH + 7), item("MotionPhoto", 0)).replace(
        b'GCamera:MotionPhoto="1"', f'GCamera:MicroVideoOffset="{LENGTH}"'.encode()
    )
    assert found(motion_photo(told=told)) == behind()


@pytest.mark.parametrize("missing", [1, 100, LENGTH // 2, LENGTH - 40, LENGTH - 8])
def test_a_film_of_which_a_part_is_missing_makes_a_still(missing: int) -> None:
    assert found(motion_photo()[:-missing]) is None
    assert found(motion_photo(behind()[:-missing])) is None


@pytest.mark.parametrize("cut", range(1, 64, 7))
def test_a_trailer_that_is_cut_anywhere_makes_a_still(cut: int) -> None:
    assert found(samsung_photo()[:-cut]) is None


def test_words_without_a_film_make_a_still() -> None:
    assert found(motion_photo(b"")) is None
    assert found(motion_photo(still())) is None
    assert found(still()) is None
    assert found(samsung_photo(name=b"Another_Data_aaa")) is None


def test_a_still_that_is_a_film_from_its_first_byte_on_has_none_behind_it() -> None:
    assert find_motion(behind(), kinds.HEIC) is None
    assert find_motion(box(b"mpvd", behind()), kinds.HEIC) is not None
    assert find_motion(motion_photo(), kinds.PNG) is None


def with_header(content: bytes, clock: int, ticks: int) -> bytes:
    """The film whose header tells another length."""
    at = content.index(b"mvhd") + 4
    return content[: at + 12] + struct.pack(">II", clock, ticks) + content[at + 20 :]


def test_a_film_that_is_too_long_or_tells_no_length_makes_a_still() -> None:
    most = int(MOST_SECONDS)
    assert found(motion_photo(with_header(behind(), 1000, most * 1000))) is not None
    assert found(motion_photo(with_header(behind(), 1000, most * 1000 + 1))) is None
    assert found(motion_photo(with_header(behind(), 1000, 0))) is None
    assert found(motion_photo(with_header(behind(), 0, 1000))) is None


def test_any_bytes_that_are_changed_give_an_answer() -> None:
    content = samsung_photo()
    for at in range(len(still()), len(content), 13):
        changed = bytearray(content)
        changed[at] ^= 0xFF
        motion = find_motion(bytes(changed), kinds.JPEG)
        assert motion is None or motion.start + motion.length <= len(content)


def test_a_part_is_read_as_a_file_of_its_own() -> None:
    content = motion_photo(after=b"trailer")
    motion = find_motion(content, kinds.JPEG)
    assert motion is not None
    with opened_part(memoryview(content), motion) as part:
        assert part.seek(0, io.SEEK_END) == LENGTH
        assert part.seek(-4, io.SEEK_CUR) == LENGTH - 4
        assert part.read() == behind()[-4:]
        part.seek(0)
        assert part.read() == behind()


def test_a_motion_photo_is_shown_as_a_picture_that_lasts(studio: Studio, tmp_path: Path) -> None:
    shown = show(studio, motion_photo(), tmp_path)
    assert (shown.width, shown.height, shown.playable) == (160, 120, True)
    assert shown.duration == pytest.approx(1.0, abs=0.1)


def test_its_film_is_made_for_browsers_and_tells_no_place(studio: Studio, tmp_path: Path) -> None:
    with opened(motion_photo(), tmp_path) as file, (tmp_path / "film").open("w+b") as target:
        assert studio.film(file, kinds.JPEG, target.fileno(), duration=1.0)
        target.seek(0)
        with av.open(target) as made:
            assert made.streams.video[0].codec_context.name == "h264"
            assert made.streams.audio[0].codec_context.name == "aac"
            assert "location" not in made.metadata


def test_a_film_that_browsers_play_already_is_made_anew_all_the_same(studio: Studio, tmp_path: Path) -> None:
    played = film("mp4", "libx264", tags={"location": "+48.2082+016.3738/"})
    with opened(motion_photo(played), tmp_path) as file, (tmp_path / "film").open("w+b") as target:
        assert studio.film(file, kinds.JPEG, target.fileno())
        target.seek(0)
        assert b"+48.2082" not in target.read()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (still(), "There is no film behind this JPEG"),
        (motion_photo(box(b"ftyp", b"heic\0\0\0\0heic") + behind()[32:]), "no film"),
        (motion_photo(with_header(film("mp4", "mpeg4", frames=33, rate=1), 1000, 1000)), "at most"),
    ],
    ids=["a still", "a picture", "longer than it tells"],
)
def test_what_is_no_film_after_all_is_damaged(content: bytes, reason: str, studio: Studio, tmp_path: Path) -> None:
    with (
        opened(content, tmp_path) as file,
        (tmp_path / "film").open("w+b") as target,
        pytest.raises(Damaged, match=reason),
    ):
        studio.film(file, kinds.JPEG, target.fileno())
