"""Task of the sandboxed child: renders pictures and videos, transcodes and crops."""

import mmap
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import BinaryIO

from sparks.media.decode_limits import DecodeLimits
from sparks.media.file_types import KINDS, FileType
from sparks.media.metadata.read_metadata import Metadata, read_metadata
from sparks.media.motion_photo.embedded_video import MAX_SECONDS, opened_part
from sparks.media.motion_photo.find_video import find_motion
from sparks.media.renderer_messages import CropRequest, RenderReply, RenderRequest, TranscodeRequest
from sparks.media.renditions import crop_square, render
from sparks.media.sandbox.protocol import Report, TaskResult
from sparks.media.sniff import HEAD_BYTES, sniff
from sparks.media.strip_metadata import patches_for
from sparks.media.video.poster import render_poster
from sparks.media.video.probe import VideoInfo, probe_video
from sparks.media.video.transcode import transcode
from sparks.model.errors import Damaged
from sparks.model.photo import AssetType


def run(
    request: RenderRequest | TranscodeRequest | CropRequest, files: Sequence[int], report: Report
) -> TaskResult[RenderReply]:
    kind = KINDS[request.kind]
    if isinstance(request, TranscodeRequest):
        return TaskResult(_make_video(files[0], files[1], kind, request.limits, report))
    if isinstance(request, CropRequest):
        square = crop_square(_map_file(files[0]), kind, side=request.side, around=request.around, limits=request.limits)
        return TaskResult(RenderReply(width=request.side, height=request.side, metadata=Metadata()), [square])
    render_file = _render_video if kind.asset_type is AssetType.VIDEO else _render_picture
    return render_file(files[0], kind, request.sizes, request.limits)


def _render_picture(
    file: int, kind: FileType, sizes: Mapping[str, int], limits: DecodeLimits
) -> TaskResult[RenderReply]:
    content = _map_file(file)
    metadata = read_metadata(content, kind)
    rendered = render(content, kind, sizes=sizes, limits=limits)
    motion = find_motion(content, kind)
    reply = RenderReply(
        width=rendered.width,
        height=rendered.height,
        metadata=metadata,
        thumbhash=rendered.thumbhash,
        animated=rendered.animated,
        duration=None if motion is None else motion.seconds,
    )
    return TaskResult(reply, [rendered.renditions[name] for name in sizes])


def _map_file(file: int) -> memoryview:
    """The file mapped for reading, so that a large file does not count against the memory limit."""
    return memoryview(mmap.mmap(file, 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ))


def _render_video(file: int, kind: FileType, sizes: Mapping[str, int], limits: DecodeLimits) -> TaskResult[RenderReply]:
    with os.fdopen(file, "rb", closefd=False) as video:
        info = probe_video(video, kind, limits=limits)
        rendered = render_poster(video, kind, sizes=sizes, limits=limits)
        playable = _is_playable(video, kind, info)
    return TaskResult(
        _reply(info, rendered.thumbhash, playable=playable), [rendered.renditions[name] for name in sizes]
    )


def _make_video(file: int, target: int, kind: FileType, limits: DecodeLimits, report: Report) -> RenderReply:
    with os.fdopen(target, "r+b", closefd=False) as target_file:
        if kind.asset_type is AssetType.IMAGE:
            return _make_motion(file, target_file, kind, limits, report)
        with os.fdopen(file, "rb", closefd=False) as video:
            info = probe_video(video, kind, limits=limits)
            playable = _is_playable(video, kind, info)
            if not playable:
                transcode(video, target_file, kind, limits=limits, progress=report)
    return _reply(info, playable=playable)


def _is_playable(video: BinaryIO, kind: FileType, info: VideoInfo) -> bool:
    """Whether the original can be served as it is: browsers play it, and its metadata can be stripped."""

    def read(start: int, end: int) -> bytes:
        video.seek(start)
        return video.read(end - start)

    return info.playable and patches_for(read, video.seek(0, os.SEEK_END), kind) is not None


def _make_motion(file: int, target_file: BinaryIO, kind: FileType, limits: DecodeLimits, report: Report) -> RenderReply:
    """Transcodes the video of a motion photo, also where browsers play it: it holds a location, and is larger."""
    content = _map_file(file)
    motion = find_motion(content, kind)
    if motion is None:
        raise Damaged(f"This {kind.label} holds no video.")
    short = replace(limits, seconds=min(limits.seconds, MAX_SECONDS))
    with opened_part(content, motion) as part:
        inside = sniff(part.read(HEAD_BYTES))
        if inside.asset_type is not AssetType.VIDEO:
            raise Damaged(f"What is embedded in this {kind.label} is no video.")
        info = probe_video(part, inside, limits=short)
        transcode(part, target_file, inside, limits=short, progress=report)
    return _reply(info, playable=False)


def _reply(info: VideoInfo, thumbhash: bytes = b"", *, playable: bool) -> RenderReply:
    return RenderReply(
        width=info.width,
        height=info.height,
        metadata=info.metadata,
        thumbhash=thumbhash,
        duration=info.duration,
        playable=playable,
    )
