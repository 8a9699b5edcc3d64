"""Color conversion: sRGB is unchanged, every other color space is converted to it."""

import io

import numpy as np
import pytest
from PIL import Image, ImageCms

from sparks.media import file_types
from sparks.media.containers.find_blocks import find_blocks
from sparks.media.decode.color import BT2020, DISPLAY_P3, HLG, PQ, is_srgb, is_wide, space_of, to_srgb_light
from sparks.media.decode.vips import Image as VipsImage
from sparks.media.renditions import render
from tests.media.container_builders import saved
from tests.media.decoded_renditions import pixels
from tests.media.samples import sample


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("camera/Issue_525.jpg", True),
        ("camera/hochuferweg.jpg", True),
        ("metadata/silver_fir.jpg", True),
        ("camera/iptc_mess.jpg", False),
        ("formats/IMG_2682.heic", False),
        ("odd/200MP.heic", False),
    ],
)
def test_an_srgb_profile_is_recognized_by_its_values(name: str, expected: bool) -> None:
    """The last one is called `DCI-P3 D65 Gamut with sRGB Transfer`."""
    profile = find_blocks(sample(name), file_types.HEIC if name.lower().endswith("heic") else file_types.JPEG).profile
    assert profile is not None
    assert space_of(profile) == "RGB"
    assert is_srgb(profile) is expected


def test_invalid_bytes_are_no_srgb_profile() -> None:
    for nonsense in (b"", b"acsp", bytes(200), bytes(36) + b"acsp" + b"\xff" * 200):
        assert not is_srgb(nonsense)


def test_display_p3_becomes_srgb() -> None:
    profile = find_blocks(sample("formats/IMG_2682.heic"), file_types.HEIC).profile
    assert profile is not None
    colours = (
        np.array([[(200, 60, 60), (60, 200, 60), (60, 60, 200), (128, 128, 128)]], np.uint8).repeat(32, 0).repeat(32, 1)
    )
    shown = pixels(render(saved(colours, "PNG", icc_profile=profile), file_types.PNG))
    expected = ImageCms.profileToProfile(
        Image.fromarray(colours), ImageCms.ImageCmsProfile(io.BytesIO(profile)), ImageCms.createProfile("sRGB")
    )
    assert expected is not None
    for x in (16, 48, 80, 112):
        assert np.abs(shown[16, x] - np.asarray(expected)[16, x]).max() < 6
    assert shown[16, 16, 0] > 205


def test_cmyk_colors_are_plausible() -> None:
    shown = pixels(render(sample("odd/pil_sample_cmyk.jpg"), file_types.JPEG))
    assert shown[1:4, 3:15].mean(axis=(0, 1)) == pytest.approx([235, 50, 50], abs=35)  # the red tab
    assert shown[80:95, 40:60].mean(axis=(0, 1)) == pytest.approx([35, 38, 48], abs=25)  # the dark ground


@pytest.mark.parametrize(("transfer", "white"), [(PQ, 0.58), (HLG, 0.75)])
def test_diffuse_white_of_an_hdr_picture_is_nearly_white(transfer: int, white: float) -> None:
    levels = np.array([0.0, white / 2, white, 1.0])
    picture = VipsImage.new_from_array((levels * 255).astype(np.uint8).repeat(3).reshape(1, 4, 3))
    shown = np.asarray(to_srgb_light(picture, (BT2020, transfer)).numpy())[0, :, 0]
    assert shown[0] == 0
    assert 50 < shown[1] < 140
    assert 230 <= shown[2] <= 250
    assert shown[3] == 255


def test_only_a_gamut_wider_than_srgb_is_converted() -> None:
    assert is_wide((DISPLAY_P3, 13))
    assert is_wide((1, PQ))
    assert not is_wide((1, 13))
    assert not is_wide((2, 2))
    assert not is_wide((6, 6))


def test_an_hdr_avif_is_not_gray() -> None:
    """Shown without its light, this sky is dull; in sRGB it is blue and bright."""
    shown = pixels(render(sample("formats/10bit-HDR-P3-nclx.avif"), file_types.AVIF, sizes={"t": 64}), "t")
    sky = shown[2:10].mean(axis=(0, 1))
    assert sky[2] > 190
    assert sky[2] - sky[0] > 60
