"""Renditions: their sizes, what is in them, and what must not be."""

import numpy as np
import pytest

from sparks.media import kinds
from sparks.media.caps import Caps
from sparks.media.renditions import render
from sparks.media.sizes import SIZES
from sparks.media.thumbhash import thumbhash
from sparks.model.errors import BadInput
from tests.media.build import LONG, SHORT, animated, exif, gradient, png_chunk, riff_chunks, saved, tiff, with_exif
from tests.media.samples import sample
from tests.media.seen import corners, difference, opened, pixels

BIG = saved(gradient(1200, 900), "JPEG", quality=95)


def test_the_three_sizes_are_made_unless_others_are_asked_for() -> None:
    rendered = render(BIG, kinds.JPEG)
    assert list(rendered.renditions) == ["large", "medium", "thumb"]
    assert [opened(rendered, name).size for name in SIZES] == [(1200, 900), (720, 540), (256, 192)]
    assert (rendered.width, rendered.height) == (1200, 900)
    assert rendered.aspect_ratio == pytest.approx(4 / 3)
    assert (rendered.format, rendered.quality, rendered.animated) == ("webp", 80, False)
    assert rendered.processed_size == sum(map(len, rendered.renditions.values()))


def test_only_the_sizes_asked_for_are_made() -> None:
    rendered = render(BIG, kinds.JPEG, sizes={"thumb": 256})
    assert list(rendered.renditions) == ["thumb"]
    assert (rendered.width, rendered.height) == (1200, 900)


def test_no_size_at_all_gives_the_thumbhash() -> None:
    assert render(BIG, kinds.JPEG, sizes={}).thumbhash[:3] == render(BIG, kinds.JPEG).thumbhash[:3]


def test_further_sizes_have_names_of_their_own() -> None:
    rendered = render(BIG, kinds.JPEG, sizes={"tiny": 32, "huge": 1000})
    assert list(rendered.renditions) == ["tiny", "huge"]
    assert [opened(rendered, name).size for name in rendered.renditions] == [(32, 24), (1000, 750)]


@pytest.mark.parametrize("side", [0, -1, 16384])
def test_a_size_that_webp_cannot_have_is_refused(side: int) -> None:
    with pytest.raises(BadInput):
        render(BIG, kinds.JPEG, sizes={"odd": side})


def test_nothing_is_ever_enlarged() -> None:
    rendered = render(saved(gradient(100, 60), "PNG"), kinds.PNG)
    assert [opened(rendered, name).size for name in SIZES] == [(100, 60)] * 3


def test_sizes_that_come_out_equal_are_one_file() -> None:
    rendered = render(saved(gradient(300, 200), "PNG"), kinds.PNG)
    assert rendered.renditions["large"] is rendered.renditions["medium"]
    assert opened(rendered, "thumb").size == (256, 171)


@pytest.mark.parametrize("size", [(5000, 3), (3, 5000), (1, 1), (1, 300)])
def test_even_a_thread_of_pixels_has_renditions(size: tuple[int, int]) -> None:
    rendered = render(saved(gradient(*size), "PNG"), kinds.PNG)
    assert (rendered.width, rendered.height) == size
    assert min(opened(rendered, "thumb").size) == 1


def test_a_phones_photo_is_halved_while_it_is_decoded() -> None:
    rendered = render(saved(gradient(4032, 300), "JPEG"), kinds.JPEG)
    assert [opened(rendered, name).size for name in SIZES] == [(2016, 150), (720, 54), (256, 19)]


def test_no_rendition_is_larger_than_its_size() -> None:
    for width in (4096, 4100, 4160):
        assert opened(render(saved(gradient(width, 100), "JPEG"), kinds.JPEG)).width == 2048


def test_renditions_tell_nothing_of_the_original() -> None:
    for name in ("camera/train.jpg", "camera/iptc_mess.jpg", "formats/denali.webp", "metadata/thompson-springs.jpg"):
        content = sample(name)
        kind = kinds.WEBP if name.endswith("webp") else kinds.JPEG
        for rendition in render(content, kind).renditions.values():
            assert set(riff_chunks(rendition)) <= {b"VP8 ", b"VP8L", b"VP8X", b"ALPH"}
            assert b"Exif" not in rendition[:64]


def test_opacity_is_kept() -> None:
    rendered = render(saved(gradient(400, 300, opacity=True), "PNG"), kinds.PNG)
    for name, width in (("large", 400), ("thumb", 256)):
        opacity = pixels(rendered, name, "RGBA")[:, :, 3]
        assert opacity[:, 0].max() < 5
        assert opacity[:, -1].min() > 250
        assert opacity.shape[1] == width


def test_a_clear_edge_does_not_bleed_into_what_is_seen() -> None:
    """What is clear here is bright red below its opacity of zero; what is seen is black."""
    half = np.zeros((300, 600, 4), np.uint8)
    half[:, :300] = (255, 0, 0, 0)
    half[:, 300:] = (0, 0, 0, 255)
    shown = pixels(render(saved(half, "PNG"), kinds.PNG), "thumb", "RGBA")
    seen = shown[:, :, 3] > 200
    assert shown[seen][:, 0].max() < 30


def test_grey_and_sixteen_bits_come_out_right() -> None:
    ramp = np.tile(np.linspace(0, 65535, 256).astype(np.uint16), (64, 1))
    for content in (saved(ramp, "PNG"), saved((ramp >> 8).astype(np.uint8), "PNG")):
        shown = pixels(render(content, kinds.PNG))
        assert difference(shown[:, :, 0], np.tile(np.arange(256.0), (64, 1))) < 3
        assert difference(shown[:, :, 0], shown[:, :, 2]) < 2


@pytest.mark.parametrize(
    ("form", "kind"), [("JPEG", kinds.JPEG), ("PNG", kinds.PNG), ("WEBP", kinds.WEBP), ("GIF", kinds.GIF),
                       ("BMP", kinds.BMP), ("TIFF", kinds.TIFF), ("AVIF", kinds.AVIF)],
)  # fmt: skip
def test_every_form_shows_the_same_picture(form: str, kind: kinds.Kind) -> None:
    shown = pixels(render(saved(gradient(160, 120), form), kind))
    assert difference(shown, gradient(160, 120).astype(np.float64)) < 8


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_picture_is_turned_upright(orientation: int) -> None:
    """The stored pixels are what EXIF says of an upright picture whose top left is dark and whose top right is red."""
    upright = gradient(160, 120)
    stored = {
        1: upright, 2: upright[:, ::-1], 3: upright[::-1, ::-1], 4: upright[::-1], 5: upright.transpose(1, 0, 2),
        6: np.rot90(upright), 7: np.rot90(upright, 2).transpose(1, 0, 2), 8: np.rot90(upright, -1),
    }[orientation]  # fmt: skip
    content = with_exif(saved(np.ascontiguousarray(stored), "JPEG", quality=95), exif({274: (SHORT, orientation)}))
    rendered = render(content, kinds.JPEG)
    assert (rendered.width, rendered.height) == opened(rendered).size == (160, 120)
    assert difference(pixels(rendered), upright.astype(np.float64)) < 6


def test_the_eight_orientations_of_one_photo_look_alike() -> None:
    shown = [
        pixels(render(sample(f"orientation/Landscape_{number}.jpg"), kinds.JPEG, sizes={"t": 256}), "t")
        for number in range(1, 9)
    ]
    assert max(difference(shown[0], other) for other in shown[1:]) < 5  # each bears its number
    assert difference(shown[0], shown[0][::-1]) > 40


def test_a_thumbhash_is_that_of_the_upright_picture() -> None:
    hashes = {
        render(sample(f"orientation/Landscape_{number}.jpg"), kinds.JPEG, sizes={}).thumbhash for number in (1, 6)
    }
    assert len(hashes) == 1


def test_the_thumbhash_is_that_of_the_pixels() -> None:
    small = gradient(60, 40, opacity=True)
    assert render(saved(small, "PNG"), kinds.PNG).thumbhash == thumbhash(small)


# -- Animations


@pytest.mark.parametrize("form", ["GIF", "WEBP"])
def test_an_animation_stays_one(form: str) -> None:
    frames = [np.full((60, 80, 3), colour, np.uint8) for colour in ((255, 0, 0), (0, 255, 0), (0, 0, 255))]
    rendered = render(animated(form, frames, milliseconds=70), kinds.KINDS[form.lower()], sizes={"a": 80, "b": 40})
    assert rendered.animated
    for name, size in (("a", (80, 60)), ("b", (40, 30))):
        film = opened(rendered, name)
        assert (film.size, getattr(film, "n_frames", 1)) == (size, 3)
        film.seek(2)
        film.load()
        assert film.info["duration"] == 70
        assert np.asarray(film.convert("RGB"))[10, 10].tolist()[2] > 200


@pytest.mark.parametrize("caps", [Caps(frames=2), Caps(animated_pixels=80 * 60 * 3 - 1)])
def test_an_animation_beyond_the_caps_becomes_a_still(caps: Caps) -> None:
    frames = [np.full((60, 80, 3), level, np.uint8) for level in (10, 120, 240)]
    rendered = render(animated("GIF", frames), kinds.GIF, caps=caps)
    assert not rendered.animated
    assert getattr(opened(rendered), "n_frames", 1) == 1
    assert pixels(rendered).mean() < 30


def test_frames_do_not_bleed_into_each_other() -> None:
    frames = [np.full((100, 200, 3), level, np.uint8) for level in (0, 255, 0)]
    film = opened(render(animated("GIF", frames), kinds.GIF, sizes={"a": 50}), "a")
    film.seek(1)
    assert np.asarray(film.convert("L")).min() > 240


# -- What is odd or broken


def test_a_tiff_of_many_channels_shows_the_first_three() -> None:
    tags = {
        256: (LONG, 4), 257: (LONG, 4), 258: (SHORT, [8] * 6), 259: (SHORT, 1), 262: (SHORT, 2),
        273: (LONG, bytes((200, 100, 50, 1, 2, 3)) * 16), 277: (SHORT, 6), 278: (LONG, 4), 279: (LONG, 96),
    }  # fmt: skip
    assert corners(render(tiff(tags), kinds.TIFF))[0] == pytest.approx((200, 100, 50), abs=6)


def test_a_jpeg_with_bytes_behind_its_end_is_whole() -> None:
    assert corners(render(BIG + b"\x00\x00\x00\x18ftypmp42" + bytes(1000), kinds.JPEG)) == corners(
        render(BIG, kinds.JPEG)
    )


def test_a_broken_profile_is_as_good_as_none() -> None:
    plain = saved(gradient(64, 48), "PNG")
    broken = plain[:33] + png_chunk(b"iCCP", b"x\x00\x00" + b"not packed") + plain[33:]
    assert difference(pixels(render(broken, kinds.PNG)), pixels(render(plain, kinds.PNG))) < 1
