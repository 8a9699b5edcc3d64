"""Renditions: their sizes and pixels, and no metadata."""

import numpy as np
import pytest

from sparks.media import file_types
from sparks.media.decode_limits import DecodeLimits
from sparks.media.rendition_sizes import SIZES
from sparks.media.renditions import render
from sparks.media.thumbhash import thumbhash
from sparks.model.errors import BadInput
from tests.media.container_builders import (
    LONG,
    SHORT,
    animated,
    exif,
    gradient,
    png_chunk,
    riff_chunks,
    saved,
    tiff,
    with_exif,
)
from tests.media.decoded_renditions import corners, difference, opened, pixels
from tests.media.samples import sample

BIG = saved(gradient(1200, 900), "JPEG", quality=95)


def test_three_sizes_are_made_by_default() -> None:
    rendered = render(BIG, file_types.JPEG)
    assert list(rendered.renditions) == ["large", "medium", "thumb"]
    assert [opened(rendered, name).size for name in SIZES] == [(1200, 900), (720, 540), (256, 192)]
    assert (rendered.width, rendered.height) == (1200, 900)
    assert rendered.aspect_ratio == pytest.approx(4 / 3)
    assert (rendered.format, rendered.quality, rendered.animated) == ("webp", 80, False)
    assert rendered.processed_size == sum(map(len, rendered.renditions.values()))


def test_only_the_requested_sizes_are_made() -> None:
    rendered = render(BIG, file_types.JPEG, sizes={"thumb": 256})
    assert list(rendered.renditions) == ["thumb"]
    assert (rendered.width, rendered.height) == (1200, 900)


def test_without_sizes_only_the_thumbhash_is_made() -> None:
    picture = saved(gradient(1200, 880), "JPEG", quality=95)  # sides that are multiples of 8 are scaled without a rest
    assert render(picture, file_types.JPEG, sizes={}).thumbhash[:3] == render(picture, file_types.JPEG).thumbhash[:3]


@pytest.mark.parametrize("size", [(16383, 1), (9000, 7), (4033, 3025), (4097, 201), (5, 9001)])
def test_a_jpeg_whose_sides_cannot_be_divided_keeps_its_shape(size: tuple[int, int]) -> None:
    rendered = render(saved(gradient(*size), "JPEG"), file_types.JPEG)
    for name in SIZES:
        made = opened(rendered, name).size
        assert made == pytest.approx([max(1, length * max(made) / max(size)) for length in size], abs=1)
    assert (rendered.width, rendered.height) == size


def test_sizes_may_have_other_names() -> None:
    rendered = render(BIG, file_types.JPEG, sizes={"tiny": 32, "huge": 1000})
    assert list(rendered.renditions) == ["tiny", "huge"]
    assert [opened(rendered, name).size for name in rendered.renditions] == [(32, 24), (1000, 750)]


@pytest.mark.parametrize("side", [0, -1, 16384])
def test_a_size_beyond_the_maximum_of_webp_is_bad_input(side: int) -> None:
    with pytest.raises(BadInput):
        render(BIG, file_types.JPEG, sizes={"odd": side})


def test_a_picture_is_never_enlarged() -> None:
    rendered = render(saved(gradient(100, 60), "PNG"), file_types.PNG)
    assert [opened(rendered, name).size for name in SIZES] == [(100, 60)] * 3


def test_equal_sizes_share_one_file() -> None:
    rendered = render(saved(gradient(300, 200), "PNG"), file_types.PNG)
    assert rendered.renditions["large"] is rendered.renditions["medium"]
    assert opened(rendered, "thumb").size == (256, 171)


@pytest.mark.parametrize("size", [(5000, 3), (3, 5000), (1, 1), (1, 300)])
def test_a_picture_one_pixel_wide_has_renditions(size: tuple[int, int]) -> None:
    rendered = render(saved(gradient(*size), "PNG"), file_types.PNG)
    assert (rendered.width, rendered.height) == size
    assert min(opened(rendered, "thumb").size) == 1


def test_a_phones_photo_is_halved_while_it_is_decoded() -> None:
    rendered = render(saved(gradient(4032, 300), "JPEG"), file_types.JPEG)
    assert [opened(rendered, name).size for name in SIZES] == [(2016, 150), (720, 54), (256, 19)]


def test_no_rendition_is_larger_than_its_size() -> None:
    for width in (4096, 4100, 4160):
        assert opened(render(saved(gradient(width, 100), "JPEG"), file_types.JPEG)).width == 2048


def test_renditions_contain_no_metadata() -> None:
    for name in ("camera/train.jpg", "camera/iptc_mess.jpg", "formats/denali.webp", "metadata/thompson-springs.jpg"):
        content = sample(name)
        kind = file_types.WEBP if name.endswith("webp") else file_types.JPEG
        for rendition in render(content, kind).renditions.values():
            assert set(riff_chunks(rendition)) <= {b"VP8 ", b"VP8L", b"VP8X", b"ALPH"}
            assert b"Exif" not in rendition[:64]


def test_opacity_is_kept() -> None:
    rendered = render(saved(gradient(400, 300, opacity=True), "PNG"), file_types.PNG)
    for name, width in (("large", 400), ("thumb", 256)):
        opacity = pixels(rendered, name, "RGBA")[:, :, 3]
        assert opacity[:, 0].max() < 5
        assert opacity[:, -1].min() > 250
        assert opacity.shape[1] == width


def test_colors_of_transparent_pixels_do_not_bleed_into_opaque_ones() -> None:
    """What is clear here is bright red below its opacity of zero; what is seen is black."""
    half = np.zeros((300, 600, 4), np.uint8)
    half[:, :300] = (255, 0, 0, 0)
    half[:, 300:] = (0, 0, 0, 255)
    shown = pixels(render(saved(half, "PNG"), file_types.PNG), "thumb", "RGBA")
    seen = shown[:, :, 3] > 200
    assert shown[seen][:, 0].max() < 30


def test_gray_and_sixteen_bit_pictures_are_rendered_correctly() -> None:
    ramp = np.tile(np.linspace(0, 65535, 256).astype(np.uint16), (64, 1))
    for content in (saved(ramp, "PNG"), saved((ramp >> 8).astype(np.uint8), "PNG")):
        shown = pixels(render(content, file_types.PNG))
        assert difference(shown[:, :, 0], np.tile(np.arange(256.0), (64, 1))) < 3
        assert difference(shown[:, :, 0], shown[:, :, 2]) < 2


@pytest.mark.parametrize(
    ("form", "kind"),
    [
        ("JPEG", file_types.JPEG),
        ("PNG", file_types.PNG),
        ("WEBP", file_types.WEBP),
        ("GIF", file_types.GIF),
        ("BMP", file_types.BMP),
        ("TIFF", file_types.TIFF),
        ("AVIF", file_types.AVIF),
    ],
)
def test_every_format_renders_the_same_picture(form: str, kind: file_types.FileType) -> None:
    shown = pixels(render(saved(gradient(160, 120), form), kind))
    assert difference(shown, gradient(160, 120).astype(np.float64)) < 8


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_picture_is_rotated_upright(orientation: int) -> None:
    """The stored pixels are what EXIF says of an upright picture whose top left is dark and whose top right is red."""
    upright = gradient(160, 120)
    stored = {
        1: upright, 2: upright[:, ::-1], 3: upright[::-1, ::-1], 4: upright[::-1], 5: upright.transpose(1, 0, 2),
        6: np.rot90(upright), 7: np.rot90(upright, 2).transpose(1, 0, 2), 8: np.rot90(upright, -1),
    }[orientation]  # fmt: skip
    content = with_exif(saved(np.ascontiguousarray(stored), "JPEG", quality=95), exif({274: (SHORT, orientation)}))
    rendered = render(content, file_types.JPEG)
    assert (rendered.width, rendered.height) == opened(rendered).size == (160, 120)
    assert difference(pixels(rendered), upright.astype(np.float64)) < 6


def test_the_eight_orientations_of_one_photo_look_alike() -> None:
    shown = [
        pixels(render(sample(f"orientation/Landscape_{number}.jpg"), file_types.JPEG, sizes={"t": 256}), "t")
        for number in range(1, 9)
    ]
    assert max(difference(shown[0], other) for other in shown[1:]) < 5  # each bears its number
    assert difference(shown[0], shown[0][::-1]) > 40


def test_a_thumbhash_is_that_of_the_upright_picture() -> None:
    hashes = {
        render(sample(f"orientation/Landscape_{number}.jpg"), file_types.JPEG, sizes={}).thumbhash for number in (1, 6)
    }
    assert len(hashes) == 1


def test_the_thumbhash_is_that_of_the_pixels() -> None:
    small = gradient(60, 40, opacity=True)
    assert render(saved(small, "PNG"), file_types.PNG).thumbhash == thumbhash(small)


# -- Animations


@pytest.mark.parametrize("form", ["GIF", "WEBP"])
def test_an_animation_stays_animated(form: str) -> None:
    frames = [np.full((60, 80, 3), colour, np.uint8) for colour in ((255, 0, 0), (0, 255, 0), (0, 0, 255))]
    rendered = render(animated(form, frames, milliseconds=70), file_types.KINDS[form.lower()], sizes={"a": 80, "b": 40})
    assert rendered.animated
    for name, size in (("a", (80, 60)), ("b", (40, 30))):
        animation = opened(rendered, name)
        assert (animation.size, getattr(animation, "n_frames", 1)) == (size, 3)
        animation.seek(2)
        animation.load()
        assert animation.info["duration"] == 70
        assert np.asarray(animation.convert("RGB"))[10, 10].tolist()[2] > 200


@pytest.mark.parametrize("limits", [DecodeLimits(frames=2), DecodeLimits(animated_pixels=80 * 60 * 3 - 1)])
def test_an_animation_beyond_the_limits_becomes_a_still(limits: DecodeLimits) -> None:
    frames = [np.full((60, 80, 3), level, np.uint8) for level in (10, 120, 240)]
    rendered = render(animated("GIF", frames), file_types.GIF, limits=limits)
    assert not rendered.animated
    assert getattr(opened(rendered), "n_frames", 1) == 1
    assert pixels(rendered).mean() < 30


def test_frames_do_not_bleed_into_each_other() -> None:
    frames = [np.full((100, 200, 3), level, np.uint8) for level in (0, 255, 0)]
    animation = opened(render(animated("GIF", frames), file_types.GIF, sizes={"a": 50}), "a")
    animation.seek(1)
    assert np.asarray(animation.convert("L")).min() > 240


# -- What is odd or broken


def test_a_tiff_with_many_channels_is_rendered_from_the_first_three() -> None:
    tags = {
        256: (LONG, 4), 257: (LONG, 4), 258: (SHORT, [8] * 6), 259: (SHORT, 1), 262: (SHORT, 2),
        273: (LONG, bytes((200, 100, 50, 1, 2, 3)) * 16), 277: (SHORT, 6), 278: (LONG, 4), 279: (LONG, 96),
    }  # fmt: skip
    assert corners(render(tiff(tags), file_types.TIFF))[0] == pytest.approx((200, 100, 50), abs=6)


def test_a_jpeg_with_appended_bytes_is_rendered() -> None:
    assert corners(render(BIG + b"\x00\x00\x00\x18ftypmp42" + bytes(1000), file_types.JPEG)) == corners(
        render(BIG, file_types.JPEG)
    )


def test_a_broken_color_profile_is_ignored() -> None:
    plain = saved(gradient(64, 48), "PNG")
    broken = plain[:33] + png_chunk(b"iCCP", b"x\x00\x00" + b"not packed") + plain[33:]
    assert difference(pixels(render(broken, file_types.PNG)), pixels(render(plain, file_types.PNG))) < 1
