"""An address as a QR code, to be shown on a screen or printed on a card."""

import io
from base64 import b64encode
from typing import Final

import segno

from sparks.api.shapes import Answer

SCALE: Final = 8  # pixels of a module of the picture
QUIET: Final = 4  # modules of white around it, which readers need


class QrAnswer(Answer):
    """`svg` is a drawing to put into a page or a file; `png` is a picture, in base64."""

    svg: str
    png: str


def qr_of(address: str) -> QrAnswer:
    """A quarter of it may be covered or torn, as far as its size allows."""
    code = segno.make_qr(address, error="m", boost_error=True)
    picture = io.BytesIO()
    code.save(picture, kind="png", scale=SCALE, border=QUIET)
    svg = code.svg_inline(border=QUIET, omitsize=True, light="#fff", svgclass=None, lineclass=None)
    return QrAnswer(svg=_as_file(svg), png=b64encode(picture.getvalue()).decode())


def _as_file(svg: str) -> str:
    """Good as a file, too, which needs the name of the language."""
    return svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
