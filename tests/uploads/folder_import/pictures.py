"""Small pictures, each with different bytes, and Takeout metadata about them."""

import io
import json
from datetime import datetime
from pathlib import Path
from typing import Any

from PIL import Image

_DATE_TIME_ORIGINAL = 36867
_EXIF_DIRECTORY = 34665


def picture(number: int = 0, *, clock: str | None = None) -> bytes:
    """A JPEG; `clock` is what the camera's said, as `2019:07:04 14:00:00`."""
    exif = Image.Exif()
    if clock is not None:
        exif.get_ifd(_EXIF_DIRECTORY)[_DATE_TIME_ORIGINAL] = clock
    made = io.BytesIO()
    colour = (number % 256, number // 256 % 256, 128)
    Image.new("RGB", (48, 32), colour).save(made, "JPEG", comment=f"number {number}", exif=exif)
    return made.getvalue()


def put_pictures(folder: Path, count: int) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"IMG_{number:04}.jpg" for number in range(count)]
    for number, path in enumerate(paths):
        path.write_bytes(picture(number))
    return paths


def note(taken: datetime | None = None, **told: Any) -> bytes:
    stamp = {"timestamp": "0" if taken is None else str(int(taken.timestamp()))}
    return json.dumps({"photoTakenTime": stamp, **told}).encode()


def packet(**properties: str) -> bytes:
    """An XMP file with these plain properties, as `xmp_Rating="5"`."""
    attributes = " ".join(f'{name.replace("_", ":")}="{value}"' for name, value in properties.items())
    return f"""<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:exif="http://ns.adobe.com/exif/1.0/" {attributes}>
<dc:subject><rdf:Bag><rdf:li>sea</rdf:li><rdf:li>Sand</rdf:li></rdf:Bag></dc:subject>
</rdf:Description></rdf:RDF></x:xmpmeta>""".encode()
