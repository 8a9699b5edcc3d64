"""Expected result of every sample file. Width and height are upright; `refused` is the reason of an error."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Outcome:
    kind: str
    width: int = 0
    height: int = 0
    taken: str | None = None  # in UTC, followed by the local offset where it is known
    source: str | None = None
    camera: str | None = None
    refused: str | None = None
    animated: bool = False
    live: bool = False  # a motion photo
    large: tuple[int, int] | None = None  # where it is not simply the original at most 2048 pixels long


ENDS_EARLY: Final = "ends too early"

CAMERA: Final = {
    "camera/42_IndexError.jpg": Outcome(
        "jpeg", 4032, 3024, "2014-08-23T13:05:43.000Z", "exif", "OLYMPUS E-P3", large=(2016, 1512)
    ),
    "camera/Canon_EOS_5D.jpg": Outcome("jpeg", 2912, 4368, "2005-09-25T00:31:00.000Z", "exif", "Canon EOS 5D"),
    "camera/Canon_PowerShot_G11.jpg": Outcome(
        "jpeg", 3648, 2736, "2010-11-12T07:37:32.000Z", "exif", "Canon PowerShot G11"
    ),
    "camera/Issue_525.jpg": Outcome(
        "jpeg", 4032, 3024, "2020-10-27T13:23:33.860Z", "exif", "samsung SM-G965W", large=(2016, 1512)
    ),
    "camera/Kodak_Easyshare_M5370.jpg": Outcome(
        "jpeg", 4608, 3456, "2011-12-07T12:07:38.000Z", "exif", "KODAK EASYSHARE Touch Camera, M5370"
    ),
    "camera/Nikon_D90.jpg": Outcome("jpeg", 4288, 2848, "2011-04-25T01:55:30.000Z", "exif", "NIKON D90"),
    "camera/Oppo_R7_Plus.jpg": Outcome("jpeg", 3120, 4160, "2018-07-16T15:52:22.000Z+02:00", "exif", "OPPO R7plusf"),
    "camera/Samsung_SM_G935L_Galaxy_S7_Edge_.jpg": Outcome(
        "jpeg", 4032, 3024, "2017-02-09T18:51:38.088Z+01:00", "exif", "samsung SM-G935L", large=(2016, 1512)
    ),
    "camera/Samsung_SM_N900A_Galaxy_Note_3_.jpg": Outcome(
        "jpeg", 4128, 2322, "2014-07-12T23:17:10.000Z-07:00", "exif", "SAMSUNG-SM-N900A"
    ),
    "camera/hochuferweg.jpg": Outcome(
        "jpeg", 4032, 3024, "2018-08-18T14:38:10.828Z+02:00", "exif", "LGE Nexus 5X", large=(2016, 1512)
    ),
    "camera/iptc_mess.jpg": Outcome("jpeg", 4256, 2832, "2021-06-27T16:23:07.640Z+02:00", "exif", "NIKON D3S"),
    "camera/train.jpg": Outcome(
        "jpeg", 4032, 3024, "2021-04-10T10:44:00.814Z+01:00", "exif", "Apple iPhone 6s", large=(2016, 1512)
    ),
}
FORMATS: Final = {
    "formats/10bit-HDR-P3-nclx.avif": Outcome("avif", 3681, 5594),
    "formats/8bit-sRGB.avif": Outcome("avif", 1617, 1080),
    "formats/8bit-sRGB.jxl": Outcome("jxl", refused="cannot be shown by this installation"),
    "formats/IMG_2682.heic": Outcome("heic", 4032, 3024, "2019-03-21T16:04:22.348Z-05:00", "exif", "Apple iPhone 7"),
    "formats/denali.webp": Outcome("webp", 600, 315, "2010-08-13T21:00:01.850Z", "exif", "Canon EOS 7D"),
    "formats/density_plot.png": Outcome("png", 800, 800),
    "formats/iphone_13_pro_max.HEIC": Outcome(
        "heic", 3024, 4032, "2022-02-16T11:55:41.762Z+01:00", "exif", "Apple iPhone 13 Pro Max"
    ),
    "formats/motion-samsung.heic": Outcome(
        "heic", 3000, 4000, "2024-01-13T05:38:53.853Z-08:00", "exif", "samsung SM-S906U", live=True
    ),
}
METADATA: Final = {
    "metadata/cyclamen_persicum.jpg": Outcome(
        "jpeg", 512, 848, "2007-12-06T05:33:18.000Z+09:00", "exif", "FUJIFILM FinePix S3Pro"
    ),
    "metadata/date-priority-test.jpg": Outcome("jpeg", 100, 100, "2023-02-02T02:00:00.000Z", "exif"),
    "metadata/datetimeoriginal-gps.jpg": Outcome("jpeg", 150, 100, "2025-12-01T11:30:00.000Z", "exif"),
    "metadata/el_torcal_rocks.jpg": Outcome("jpeg", 512, 341, "2012-08-05T11:39:59.000Z", "exif", "SONY DSLR-A550"),
    "metadata/empty_gps.jpg": Outcome(
        "jpeg", 4640, 3472, "2025-06-01T16:59:26.023Z", "exif", "motorola moto g(9) plus"
    ),
    "metadata/gps-datetime.jpg": Outcome("jpeg", 100, 100, "2023-11-15T12:30:00.000Z", "gps"),
    "metadata/notocactus_minimus.jpg": Outcome("jpeg", 512, 345, "2008-05-23T15:54:59.000Z", "exif", "PENTAX K10D"),
    "metadata/orychophragmus_violaceus.jpg": Outcome("jpeg", 512, 574),
    "metadata/polemonium_reptans.jpg": Outcome("jpeg", 512, 384),
    "metadata/portrait-orientation-6.jpg": Outcome("jpeg", 840, 700),
    "metadata/portrait.jpg": Outcome("jpeg", 840, 700),
    "metadata/prairie_falcon.jpg": Outcome("jpeg", 800, 533, "2022-03-31T11:31:56.180Z", "exif", "Canon EOS R5"),
    "metadata/silver_fir.jpg": Outcome("jpeg", 511, 323),
    "metadata/tanners_ridge.jpg": Outcome("jpeg", 800, 534, "2023-09-25T08:33:30.880Z", "exif", "NIKON D750"),
    "metadata/thompson-springs.jpg": Outcome("jpeg", 150, 103, "2022-01-10T21:15:44.310Z-06:00", "xmp"),
    "metadata/time-created.jpg": Outcome("jpeg", 100, 100, camera="Canon EOS R5"),
    "metadata/wood_anemones.jpg": Outcome("jpeg", 512, 307),
}
ODD: Final = {
    "odd/16-bit-grey-alpha.png": Outcome("png", 109, 96),
    "odd/BlueSquare_truncated.jpg": Outcome(
        "jpeg", 360, 216, "2005-09-07T22:07:40.000Z-07:00", "xmp", refused=ENDS_EARLY
    ),
    "odd/animated-loop-3.gif": Outcome("gif", 370, 285, animated=True),
    "odd/animated-loop-3.webp": Outcome("webp", 370, 285, animated=True),
    "odd/corrupt-header.jpg": Outcome(
        "jpeg", 0, 0, "2004-03-20T14:54:55.000Z", "exif", "Canon EOS 300D DIGITAL", refused=ENDS_EARLY
    ),
    "odd/corrupted.heic": Outcome("heic", refused=ENDS_EARLY),
    "odd/pil_sample_cmyk.jpg": Outcome("jpeg", 100, 100, "2009-03-06T21:15:00.000Z+01:00", "xmp"),
    "odd/truncated.heic": Outcome("heic", 16, 16),  # its first picture is whole
    "odd/truncated_jpeg.jpg": Outcome("jpeg", 100, 100, refused=ENDS_EARLY),
}
HUGE: Final = {
    "odd/200MP.heic": Outcome(
        "heic", 12240, 16320, "2025-01-19T11:53:27.031Z+03:00", "exif", "samsung Galaxy S24 Ultra"
    ),
}
ORIENTATION: Final = {f"orientation/Landscape_{number}.jpg": Outcome("jpeg", 1800, 1200) for number in range(1, 9)}
VIDEO: Final = {
    "video/bigbuckbunny.mp4": Outcome("mp4", 1280, 720),
    "video/bikes.mp4": Outcome("mp4", 640, 272),
}
NOT_TAKEN: Final = {"odd/logo.svg": "an SVG drawing"}

PICTURES: Final = {**CAMERA, **FORMATS, **METADATA, **ODD, **ORIENTATION}
ALL: Final = {**PICTURES, **HUGE, **VIDEO}
