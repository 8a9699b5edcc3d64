"""Where a face is, as part of a row."""

from typing import Final

from sparks.library.records.attributes import number
from sparks.library.records.fields import Fields
from sparks.model.face import Box

BOX: Final = Fields(Box, number("Left"), number("Top"), number("Width"), number("Height"))
