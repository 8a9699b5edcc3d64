"""The embedded video of a motion photo is found at its offset, and nowhere else."""

import io
import struct
from pathlib import Path

import av
import pytest

from sparks.media import file_types
from sparks.media.file_types import FileType
from sparks.media.motion_photo.embedded_video import MAX_SECONDS, opened_part
from sparks.media.motion_photo.find_video import find_motion
from sparks.media.sandboxed_renderer import SandboxedRenderer
from sparks.model.errors import Damaged
from tests.media.clips import make_clip
from tests.media.container_builders import box
from tests.media.motion_photos import (
    directory,
    embedded_video,
    item,
    item_in_elements,
    micro_video,
    motion_photo,
    packet,
    samsung_photo,
    still,
)
from tests.media.samples import sample
from tests.media.test_sandboxed_renderer import opened, show

LENGTH = len(embedded_video())
HEIC_SAMPLE = "formats/motion-samsung.heic"


def found(content: bytes, kind: FileType = file_types.JPEG) -> bytes | None:
    """The bytes of the embedded video."""
    motion = find_motion(content, kind)
    return None if motion is None else content[motion.start : motion.start + motion.length]


@pytest.mark.parametrize(
    "content",
    [
        motion_photo(),
        motion_photo(declaration=micro_video(LENGTH)),
        motion_photo(declaration=directory(item_in_elements("Primary", 0), item_in_elements("MotionPhoto", LENGTH))),
        motion_photo(declaration=directory(item("MotionPhoto", LENGTH), item("GainMap", 40, 10)), after=bytes(50)),
        motion_photo(declaration=directory(item("Primary", 0), item("MotionPhoto", LENGTH, 24)), after=bytes(24)),
        motion_photo(after=b"what some phones write behind it"),
        samsung_photo(),
    ],
    ids=["directory", "micro video", "elements", "not the last item", "padding", "a trailer", "samsung's trailer"],
)
def test_a_video_is_found_by_every_declaration_that_phones_use(content: bytes) -> None:
    assert found(content) == embedded_video()


def test_a_video_in_an_mpvd_box_of_a_heic_is_found() -> None:
    content = sample(HEIC_SAMPLE)
    motion = find_motion(content, file_types.HEIC)
    assert motion is not None
    assert (motion.start, motion.length, motion.seconds) == (452284, 3226469, 3.13)
    assert content[motion.start + 4 : motion.start + 8] == b"ftyp"


def test_a_found_video_has_its_duration() -> None:
    motion = find_motion(motion_photo(embedded_video(2.0)), file_types.JPEG)
    assert motion is not None
    assert motion.seconds == pytest.approx(2.0, abs=0.05)


@pytest.mark.parametrize("offset", [0, 1, LENGTH - 1, LENGTH + 1, 10**9, -LENGTH, "many", "9" * 400, "٣"])
def test_a_wrong_offset_makes_the_photo_a_still(offset: object) -> None:
    declaration = directory(item("Primary", 0), item("MotionPhoto", offset))
    assert found(motion_photo(declaration=declaration)) is None
    assert found(motion_photo(declaration=packet(f'GCamera:MicroVideoOffset="{offset}"'))) is None


def test_a_wrong_offset_beside_a_right_one_is_ignored() -> None:
    declaration = directory(item("MotionPhoto", LENGTH + 7), item("MotionPhoto", 0)).replace(
        b'GCamera:MotionPhoto="1"', f'GCamera:MicroVideoOffset="{LENGTH}"'.encode()
    )
    assert found(motion_photo(declaration=declaration)) == embedded_video()


@pytest.mark.parametrize("missing", [1, 100, LENGTH // 2, LENGTH - 40, LENGTH - 8])
def test_a_truncated_video_makes_the_photo_a_still(missing: int) -> None:
    assert found(motion_photo()[:-missing]) is None
    assert found(motion_photo(embedded_video()[:-missing])) is None


@pytest.mark.parametrize("cut", range(1, 64, 7))
def test_a_truncated_trailer_makes_the_photo_a_still(cut: int) -> None:
    assert found(samsung_photo()[:-cut]) is None


def test_a_declaration_without_a_video_makes_the_photo_a_still() -> None:
    assert found(motion_photo(b"")) is None
    assert found(motion_photo(still())) is None
    assert found(still()) is None
    assert found(samsung_photo(name=b"Another_Data_aaa")) is None


def test_a_file_that_is_itself_a_video_has_no_embedded_video() -> None:
    assert find_motion(embedded_video(), file_types.HEIC) is None
    assert find_motion(box(b"mpvd", embedded_video()), file_types.HEIC) is not None
    assert find_motion(motion_photo(), file_types.PNG) is None


def with_header(content: bytes, clock: int, ticks: int) -> bytes:
    """The video with another duration in its header."""
    at = content.index(b"mvhd") + 4
    return content[: at + 12] + struct.pack(">II", clock, ticks) + content[at + 20 :]


def test_a_video_that_is_too_long_or_has_no_duration_makes_the_photo_a_still() -> None:
    most = int(MAX_SECONDS)
    assert found(motion_photo(with_header(embedded_video(), 1000, most * 1000))) is not None
    assert found(motion_photo(with_header(embedded_video(), 1000, most * 1000 + 1))) is None
    assert found(motion_photo(with_header(embedded_video(), 1000, 0))) is None
    assert found(motion_photo(with_header(embedded_video(), 0, 1000))) is None


def test_changed_bytes_never_raise_an_error() -> None:
    content = samsung_photo()
    for at in range(len(still()), len(content), 13):
        changed = bytearray(content)
        changed[at] ^= 0xFF
        motion = find_motion(bytes(changed), file_types.JPEG)
        assert motion is None or motion.start + motion.length <= len(content)


def test_an_embedded_video_can_be_read_as_a_file() -> None:
    content = motion_photo(after=b"trailer")
    motion = find_motion(content, file_types.JPEG)
    assert motion is not None
    with opened_part(memoryview(content), motion) as part:
        assert part.seek(0, io.SEEK_END) == LENGTH
        assert part.seek(-4, io.SEEK_CUR) == LENGTH - 4
        assert part.read() == embedded_video()[-4:]
        part.seek(0)
        assert part.read() == embedded_video()


def test_a_motion_photo_is_rendered_as_a_picture_with_a_duration(renderer: SandboxedRenderer, tmp_path: Path) -> None:
    shown = show(renderer, motion_photo(), tmp_path)
    assert (shown.width, shown.height, shown.playable) == (160, 120, True)
    assert shown.duration == pytest.approx(1.0, abs=0.1)


def test_the_video_of_a_motion_photo_is_transcoded_without_its_location(
    renderer: SandboxedRenderer, tmp_path: Path
) -> None:
    with opened(motion_photo(), tmp_path) as file, (tmp_path / "video").open("w+b") as target:
        assert renderer.transcode(file, file_types.JPEG, target.fileno(), duration=1.0)
        target.seek(0)
        with av.open(target) as made:
            assert made.streams.video[0].codec_context.name == "h264"
            assert made.streams.audio[0].codec_context.name == "aac"
            assert "location" not in made.metadata


def test_a_motion_photos_video_that_browsers_play_is_transcoded_as_well(
    renderer: SandboxedRenderer, tmp_path: Path
) -> None:
    played = make_clip("mp4", "libx264", tags={"location": "+48.2082+016.3738/"})
    with opened(motion_photo(played), tmp_path) as file, (tmp_path / "video").open("w+b") as target:
        assert renderer.transcode(file, file_types.JPEG, target.fileno())
        target.seek(0)
        assert b"+48.2082" not in target.read()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (still(), "This JPEG holds no video"),
        (motion_photo(box(b"ftyp", b"heic\0\0\0\0heic") + embedded_video()[32:]), "no video"),
        (motion_photo(with_header(make_clip("mp4", "mpeg4", frames=33, rate=1), 1000, 1000)), "at most"),
    ],
    ids=["a still", "a picture", "longer than it tells"],
)
def test_transcoding_a_picture_without_a_video_is_damaged(
    content: bytes, reason: str, renderer: SandboxedRenderer, tmp_path: Path
) -> None:
    with (
        opened(content, tmp_path) as file,
        (tmp_path / "video").open("w+b") as target,
        pytest.raises(Damaged, match=reason),
    ):
        renderer.transcode(file, file_types.JPEG, target.fileno())
