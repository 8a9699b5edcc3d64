"""The studio: where pictures and videos are decoded, in a jail, and renditions made of them."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Self

from sparks.library.photos import Told
from sparks.media.caps import USUAL, Caps
from sparks.media.jail import Jail, Report
from sparks.media.jail.landlock import version
from sparks.media.kinds import Kind
from sparks.media.metadata.told import told_by
from sparks.media.orders import CutSquare, MakeFilm, Seen, Show
from sparks.media.sizes import FORMAT, QUALITY, SIZES
from sparks.model.errors import Damaged
from sparks.model.face import Box

SECONDS: Final = 120.0  # for renditions; a hundredth of it is usual
FILM_SECONDS: Final = 6.0  # for each of a film: a slow core needs four for the worst of cameras
MOST_FILM_SECONDS: Final = 3300.0  # no step runs for an hour
FILM_BYTES: Final = 16 << 30
WORKING: Final = 256 << 20  # bytes of memory beside what the caps count
JPEG: Final = b"\xff\xd8\xff"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """`renditions` are WebP files by their size's name; `told` is what the file tells about itself.

    `width` and `height` are those of the original, upright. The duration is that of a video, or of the film that seems
    to be behind a picture; only a video may not be `playable` as it is: by any browser, with a veil over it for those
    who are not to learn where it was taken.
    """

    renditions: Mapping[str, bytes]
    thumbhash: bytes
    width: int
    height: int
    duration: float | None
    animated: bool
    playable: bool
    told: Told
    format: str = FORMAT
    quality: int = QUALITY


class Studio:
    """One file at a time; others wait. Damaged, with the reason, where a file cannot be shown; Unavailable where no
    decoder can be started.
    """

    def __init__(self, sizes: Mapping[str, int] = SIZES, caps: Caps = USUAL, *, seconds: float = SECONDS) -> None:
        """`sizes`: what is made of every original, by name and longest side. `seconds`: how long that may take."""
        self.sizes: Final = {str(name): side for name, side in sizes.items()}
        self._caps = caps
        self._seconds = seconds
        self._jail: Jail[Seen] = Jail(
            task="sparks.media.task:run",
            warm="sparks.media.warm:warm",
            answer=Seen,
            memory=caps.memory + WORKING,
            output=FILM_BYTES,
        )

    def start(self) -> tuple[str, ...]:
        """Makes the first decoder now, and tells what of its jail this machine cannot build. Not needed."""
        return self._jail.start()

    def show(self, file: int, kind: Kind, sizes: Mapping[str, int]) -> Shown:
        """`file` is open for reading only."""
        answer = self._jail.run(Show(kind.name, self._caps, sizes), [file], seconds=self._seconds)
        seen, blobs = answer.value, answer.blobs
        if len(blobs) != len(sizes) or not seen.thumbhash:
            raise Damaged("the file could not be decoded: the decoder gave no proper answer")
        return Shown(
            renditions=dict(zip(sizes, blobs, strict=True)),
            thumbhash=seen.thumbhash,
            width=seen.width,
            height=seen.height,
            duration=seen.duration,
            animated=seen.animated,
            playable=seen.playable,
            told=told_by(seen.metadata),
        )

    def square(self, file: int, kind: Kind, *, side: int, around: Box | None = None) -> bytes:
        """A JPEG of at most `side` pixels, of what is round the box, or else of the picture's middle."""
        box = None if around is None else (around.left, around.top, around.width, around.height)
        answer = self._jail.run(CutSquare(kind.name, self._caps, side, box), [file], seconds=self._seconds)
        if len(answer.blobs) != 1 or not answer.blobs[0].startswith(JPEG):
            raise Damaged("the picture could not be cut: the decoder gave no proper answer")
        return answer.blobs[0]

    def film(
        self, file: int, kind: Kind, target: int, *, duration: float | None = None, progress: Report = lambda _: None
    ) -> bool:
        """Writes an MP4 of at most 720p into `target`, an empty file that is open for reading and writing; False, and
        nothing is written, where the original is playable as it is. Of a picture, it is the film behind it, or Damaged
        where that is none. `duration` is the film's, if it is known.
        """
        seconds = min(self._seconds + FILM_SECONDS * (duration or self._caps.seconds), MOST_FILM_SECONDS)
        order = MakeFilm(kind.name, self._caps)
        return not self._jail.run(order, [file, target], seconds=seconds, progress=progress).value.playable

    def close(self) -> None:
        """Waits for the file at hand. Closing twice is fine."""
        self._jail.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def has_landlock() -> bool:
    """Whether the kernel can keep decoders from all files; without it, the rest of the jail stays."""
    with suppress(OSError):
        return version() > 0
    return False
