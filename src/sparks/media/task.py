"""What a jailed child is asked to do: show a picture or a video in some sizes, make a film that browsers play (of a
video, or of what is behind a still), or cut a square out of a picture.
"""

import mmap
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import BinaryIO

from sparks.media.caps import Caps
from sparks.media.jail import Answer, Report
from sparks.media.kinds import KINDS, Kind
from sparks.media.metadata.read import Metadata, read_metadata
from sparks.media.motion.film import MOST_SECONDS
from sparks.media.motion.find import find_motion
from sparks.media.motion.part import opened_part
from sparks.media.orders import CutSquare, MakeFilm, Seen, Show
from sparks.media.renditions import render
from sparks.media.sniff import HEAD_BYTES, sniff
from sparks.media.squares import cut_square
from sparks.media.veil import veil_of
from sparks.media.video.clip import Clip, probe
from sparks.media.video.poster import render_poster
from sparks.media.video.transcode import transcode
from sparks.model.errors import Damaged
from sparks.model.photo import AssetType


def run(order: Show | MakeFilm | CutSquare, files: Sequence[int], report: Report) -> Answer[Seen]:
    kind = KINDS[order.kind]
    if isinstance(order, MakeFilm):
        return Answer(_make_film(files[0], files[1], kind, order.caps, report))
    if isinstance(order, CutSquare):
        square = cut_square(_mapped(files[0]), kind, side=order.side, around=order.around, caps=order.caps)
        return Answer(Seen(width=order.side, height=order.side, metadata=Metadata()), [square])
    show = _show_video if kind.asset_type is AssetType.VIDEO else _show_picture
    return show(files[0], kind, order.sizes, order.caps)


def _show_picture(file: int, kind: Kind, sizes: Mapping[str, int], caps: Caps) -> Answer[Seen]:
    content = _mapped(file)
    metadata = read_metadata(content, kind)
    rendered = render(content, kind, sizes=sizes, caps=caps)
    motion = find_motion(content, kind)
    seen = Seen(
        width=rendered.width,
        height=rendered.height,
        metadata=metadata,
        thumbhash=rendered.thumbhash,
        animated=rendered.animated,
        duration=None if motion is None else motion.seconds,
    )
    return Answer(seen, [rendered.renditions[name] for name in sizes])


def _mapped(file: int) -> memoryview:
    """[Note: mapped] So a large file needs no memory of its own."""
    return memoryview(mmap.mmap(file, 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ))


def _show_video(file: int, kind: Kind, sizes: Mapping[str, int], caps: Caps) -> Answer[Seen]:
    with os.fdopen(file, "rb", closefd=False) as video:
        clip = probe(video, kind, caps=caps)
        rendered = render_poster(video, kind, sizes=sizes, caps=caps)
        playable = _is_film(video, kind, clip)
    return Answer(_seen(clip, rendered.thumbhash, playable=playable), [rendered.renditions[name] for name in sizes])


def _make_film(file: int, target: int, kind: Kind, caps: Caps, report: Report) -> Seen:
    with os.fdopen(target, "r+b", closefd=False) as film:
        if kind.asset_type is AssetType.IMAGE:
            return _make_motion(file, film, kind, caps, report)
        with os.fdopen(file, "rb", closefd=False) as video:
            clip = probe(video, kind, caps=caps)
            playable = _is_film(video, kind, clip)
            if not playable:
                transcode(video, film, kind, caps=caps, progress=report)
    return _seen(clip, playable=playable)


def _is_film(video: BinaryIO, kind: Kind, clip: Clip) -> bool:
    """Whether it can stand for itself: any browser plays it, and it can be given to strangers without what it tells."""

    def read(start: int, end: int) -> bytes:
        video.seek(start)
        return video.read(end - start)

    return clip.playable and veil_of(read, video.seek(0, os.SEEK_END), kind) is not None


def _make_motion(file: int, film: BinaryIO, kind: Kind, caps: Caps, report: Report) -> Seen:
    """Made anew even where browsers play what is there: that tells where it was taken, and is larger than need be."""
    content = _mapped(file)
    motion = find_motion(content, kind)
    if motion is None:
        raise Damaged(f"There is no film behind this {kind.label}.")
    short = replace(caps, seconds=min(caps.seconds, MOST_SECONDS))
    with opened_part(content, motion) as part:
        inside = sniff(part.read(HEAD_BYTES))
        if inside.asset_type is not AssetType.VIDEO:
            raise Damaged(f"What is behind this {kind.label} is no film.")
        clip = probe(part, inside, caps=short)
        transcode(part, film, inside, caps=short, progress=report)
    return _seen(clip, playable=False)


def _seen(clip: Clip, thumbhash: bytes = b"", *, playable: bool) -> Seen:
    return Seen(
        width=clip.width,
        height=clip.height,
        metadata=clip.metadata,
        thumbhash=thumbhash,
        duration=clip.duration,
        playable=playable,
    )
