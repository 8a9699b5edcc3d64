"""Task of the sandboxed child: preloads models, then analyzes pictures, boxes and videos."""

import importlib
import os
from collections.abc import Iterable, Sequence

import cv2
import numpy as np
from cv2.typing import MatLike

from sparks.faces.opencv import analyze
from sparks.faces.opencv.analyze import AnalyzedFace, analyze_box, analyze_picture
from sparks.faces.opencv.engine_messages import (
    THRESHOLDS,
    AnalyzeBoxRequest,
    AnalyzeVideoRequest,
    FaceReply,
    FindFacesRequest,
)
from sparks.faces.video_faces import best_of_each, frames_over
from sparks.media.decode_limits import DecodeLimits
from sparks.media.file_types import KINDS, FileType
from sparks.media.preload import preload as preload_decoders
from sparks.media.sandbox.protocol import Report, TaskResult
from sparks.model.errors import Damaged


def run(
    request: FindFacesRequest | AnalyzeBoxRequest | AnalyzeVideoRequest,
    files: Sequence[int],
    report: Report,  # noqa: ARG001
) -> TaskResult[tuple[FaceReply, ...]]:
    match request:
        case FindFacesRequest():
            return _result(analyze_picture(_picture(files[0])))
        case AnalyzeBoxRequest():
            return _result([analyze_box(_picture(files[0]), request.box)])
        case AnalyzeVideoRequest():
            return _result(_analyze_video(files[0], KINDS[request.kind], request.limits))


def _result(analyzed: Iterable[AnalyzedFace]) -> TaskResult[tuple[FaceReply, ...]]:
    faces = list(analyzed)
    return TaskResult(tuple(face.reply for face in faces), [face.crop for face in faces])


def _picture(file: int) -> MatLike:
    content = np.frombuffer(os.pread(file, os.fstat(file).st_size, 0), np.uint8)
    try:
        picture = cv2.imdecode(content, cv2.IMREAD_COLOR) if content.size else None
    except cv2.error as error:
        raise Damaged("the rendition for face detection cannot be decoded") from error
    if picture is None:
        raise Damaged("the rendition for face detection cannot be decoded")
    return picture


def _analyze_video(file: int, kind: FileType, limits: DecodeLimits) -> list[AnalyzedFace]:
    with os.fdopen(file, "rb", closefd=False) as video:
        found = [
            (number, face)
            for number, frame in enumerate(frames_over(video, kind, limits=limits))
            for face in analyze_picture(frame)
        ]
    best = best_of_each([number for number, _ in found], [face.reply for _, face in found], THRESHOLDS)
    return [found[index][1] for index in best]


def preload() -> None:
    """Imports decoders and OpenCV, and reads the weights; Unavailable where these are missing.

    It may be called again, and the process may fork afterwards.
    """
    preload_decoders()
    importlib.import_module("sparks.faces.opencv.face_task")
    importlib.import_module("cv2").setNumThreads(1)
    analyze.weights()
