"""Record types of biometric erasures and recognition opt-outs."""

from typing import Final

from sparks.library import entity_types, keys
from sparks.library.records.attributes import Fields, choice, names, nested, plain, time
from sparks.library.records.record_type import RecordType
from sparks.model.biometric_erasure import TRACES as COUNTED
from sparks.model.biometric_erasure import Erasure, Keep, RecognitionOptOut, TraceCounts

TRACES: Final = Fields(TraceCounts, *map(plain, COUNTED))

ERASURE: Final = RecordType(
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

RECOGNITION_OPT_OUT: Final = RecordType(
    RecognitionOptOut,
    plain("engine"),
    plain("embedding"),
    time("madeAt"),
    plain("account"),
    pk="UNRECOGNISED",
    sk="VECTOR#{unrecognised_id..}",
    key=lambda each: keys.recognition_opt_out(each.unrecognised_id),
)
