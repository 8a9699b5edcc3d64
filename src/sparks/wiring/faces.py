"""Face engine and face index that the settings name; both are None where faces are switched off."""

import logging
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import Final

from sparks.faces.port import FaceEngine, Thresholds
from sparks.journey import Stores
from sparks.library.face_index import FaceIndex
from sparks.library.index_refresh import refreshed
from sparks.model.errors import BadSetting
from sparks.model.pipeline_settings import FacePipelineSettings, PipelineSettings
from sparks.settings import Settings
from sparks.vectors.port import Vectors
from sparks.wiring.renderer import decode_limits

VECTOR_FILES: Final = "vectors-"  # followed by the name of the engine

log = logging.getLogger(__name__)


@contextmanager
def open_faces(settings: Settings, stores: Stores) -> Iterator[Stores]:
    """The stores with the face engine and the face index, open until the end of the block."""
    with open_index(settings, stores) as index, open_engine(settings, stores.pipeline) as engine:
        yield replace(stores, engine=engine, index=index)


@contextmanager
def open_index(settings: Settings, stores: Stores) -> Iterator[FaceIndex | None]:
    """The index of faces, kept up to date with the table until the end of the block."""
    faces = stores.pipeline.faces
    _delete_unused_vectors(settings, faces)
    if faces is None:
        yield None
        return
    with closing(_open_vectors(settings, faces)) as vectors:
        index = FaceIndex(vectors, engine=faces.engine, table=stores.table)
        with refreshed(index, what="faces"):
            yield index


@contextmanager
def open_engine(settings: Settings, pipeline: PipelineSettings) -> Iterator[FaceEngine | None]:
    """Logs a warning where the engine cannot work on this machine."""
    faces = pipeline.faces
    if faces is None:
        yield None
        return
    from sparks.faces.opencv_engine import OpenCvEngine

    thresholds = Thresholds(candidate=faces.candidate, strong=faces.strong, founding=faces.founding)
    with OpenCvEngine(thresholds=thresholds, limits=decode_limits(settings)) as engine:
        if engine.missing:
            log.warning("Sparks runs without finding faces: %s", engine.missing)
        yield engine


def missing_engine(pipeline: PipelineSettings) -> str:
    """The reason why faces are switched on but cannot be found here, and what to do; empty where they can."""
    from sparks.faces.opencv.weights import missing_weights

    return "" if pipeline.faces is None else missing_weights()


def face_pipeline_settings(settings: Settings) -> FacePipelineSettings | None:
    from sparks.faces.opencv.engine_messages import DIMENSIONS, NAME, THRESHOLDS

    if not settings.faces:
        return None
    candidate, strong = settings.candidate_threshold, settings.strong_threshold
    faces = FacePipelineSettings(
        engine=NAME,
        dimensions=DIMENSIONS,
        candidate=THRESHOLDS.candidate if candidate is None else candidate,
        strong=THRESHOLDS.strong if strong is None else strong,
        founding=THRESHOLDS.founding,
        min_photos=settings.person_min_photos,
    )
    if faces.candidate > faces.strong:
        raise BadSetting(
            f"candidate_threshold ({faces.candidate:g}) is above strong_threshold ({faces.strong:g}): "
            "lower one or raise the other"
        )
    return faces


def _open_vectors(settings: Settings, faces: FacePipelineSettings) -> Vectors:
    """The embedded index is in the data folder even where other stores are elsewhere: the table can rebuild it."""
    match settings.vectors:
        case "embedded":
            from sparks.vectors.embedded import EmbeddedVectors

            return EmbeddedVectors(faces.dimensions, settings.data / f"{VECTOR_FILES}{faces.engine}")


def _delete_unused_vectors(settings: Settings, faces: FacePipelineSettings | None) -> None:
    """Deletes the vectors of other engines, and all where faces are off: no process would erase a face from them."""
    for path in settings.data.glob(f"{VECTOR_FILES}*"):
        if faces is None or not path.name.startswith(f"{VECTOR_FILES}{faces.engine}"):
            path.unlink(missing_ok=True)
