"""What a jailed child is asked to do: find the faces of a picture, look at one of them, or watch a film for them."""

import os
from collections.abc import Iterable, Sequence

import cv2
import numpy as np
from cv2.typing import MatLike

from sparks.faces.cast import best_of_each
from sparks.faces.film import frames_over
from sparks.faces.opencv.engine import THRESHOLDS
from sparks.faces.opencv.looking import Looked, find_all, look_in
from sparks.faces.opencv.orders import FindFaces, Look, LookAt, Watch
from sparks.media.caps import Caps
from sparks.media.jail import Answer, Report
from sparks.media.kinds import KINDS, Kind
from sparks.model.errors import Damaged


def run(order: FindFaces | LookAt | Watch, files: Sequence[int], report: Report) -> Answer[tuple[Look, ...]]:  # noqa: ARG001
    match order:
        case FindFaces():
            return _answer(find_all(_picture(files[0])))
        case LookAt():
            return _answer([look_in(_picture(files[0]), order.box)])
        case Watch():
            return _answer(_watch(files[0], KINDS[order.kind], order.caps))


def _answer(found: Iterable[Looked]) -> Answer[tuple[Look, ...]]:
    all_found = list(found)
    return Answer(tuple(one.look for one in all_found), [one.crop for one in all_found])


def _picture(file: int) -> MatLike:
    content = np.frombuffer(os.pread(file, os.fstat(file).st_size, 0), np.uint8)
    try:
        picture = cv2.imdecode(content, cv2.IMREAD_COLOR) if content.size else None
    except cv2.error as error:
        raise Damaged("the rendition in which faces are looked for cannot be decoded") from error
    if picture is None:
        raise Damaged("the rendition in which faces are looked for cannot be decoded")
    return picture


def _watch(file: int, kind: Kind, caps: Caps) -> list[Looked]:
    with os.fdopen(file, "rb", closefd=False) as film:
        seen = [
            (number, one) for number, frame in enumerate(frames_over(film, kind, caps=caps)) for one in find_all(frame)
        ]
    kept = best_of_each([number for number, _ in seen], [one.look for _, one in seen], THRESHOLDS)
    return [seen[place][1] for place in kept]
