"""Faces that are forgotten, as rows."""

from typing import Final

from sparks.library import entity_types, keys
from sparks.library.records.attributes import choice, names, nested, plain, time
from sparks.library.records.fields import Fields
from sparks.library.records.shape import Shape
from sparks.model.forgetting import TRACES as COUNTED
from sparks.model.forgetting import Erasure, Keep, Traces, Unrecognised

TRACES: Final = Fields(Traces, *map(plain, COUNTED))

ERASURE: Final = Shape(
    Erasure,
    plain("subject"),
    plain("who"),
    time("askedAt"),
    choice("keep", Keep),
    names("personIds", absent=()),
    names("faceIds", absent=()),
    nested("before", TRACES),
    nested("after", TRACES),
    time("checkedAt"),
    time("scannedAt"),
    pk="ERASURE#{erasure_id..}",
    sk="METADATA",
    key=lambda erasure: keys.erasure(erasure.erasure_id),
    entity_type=lambda erasure: entity_types.ERASURES if erasure.scanned_at is None else entity_types.ERASURES_DONE,
)

UNRECOGNISED: Final = Shape(
    Unrecognised,
    plain("engine"),
    plain("embedding"),
    time("madeAt"),
    plain("account"),
    pk="UNRECOGNISED",
    sk="VECTOR#{unrecognised_id..}",
    key=lambda each: keys.unrecognised(each.unrecognised_id),
)
